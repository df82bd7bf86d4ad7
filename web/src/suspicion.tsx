// SPDX-License-Identifier: MIT
// How suspicious a line of the source is, the same words and the same bar wherever it is shown.
import type { Suspicion } from './data';
import { count } from './text';

export function suspicionWords(of: Suspicion): string {
  return `suspicion: number ${count(of.rank)} of ${count(of.of)} lines that lead to the difference. Judged by how much of it ` +
    'leads here, how often each run executed the line, and whether B alone goes this way.';
}

/** Of the whole bar; the least suspicious line has a little, too. */
export function suspicionShare(of: Suspicion): number {
  return 0.1 + 0.9 * of.share;
}

/** A bar as long as the line is suspicious. */
export function SuspicionBar({ of }: { of: Suspicion | undefined }) {
  if (!of) return <span class="suspicion" />;
  return (
    <span class="suspicion" title={suspicionWords(of)} role="img" aria-label={`suspicion: number ${of.rank} of ${of.of}`}
      data-rank={of.rank}>
      <i style={{ width: `${Math.round(100 * suspicionShare(of))}%` }} />
    </span>
  );
}
