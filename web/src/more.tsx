// SPDX-License-Identifier: MIT
// Long lists show their first rows, say how many more there are, and show these when asked to.
import { useRef, useState } from 'preact/hooks';
import { count } from './text';

/** The rows that are shown now, and the button for the rest; null when all are. */
export function useMore<T>(all: T[], first: number, noun: string, step = Math.max(first, 200)) {
  const [limit, setLimit] = useState(first);
  const of = useRef(all);
  if (of.current.length !== all.length || of.current[0] !== all[0]) {
    of.current = all;
    if (limit !== first) setLimit(first);
  }
  const left = all.length - limit;
  const button = left > 0 && (
    <button class="more" onClick={(event) => { event.stopPropagation(); setLimit(limit + step); }}>
      {count(left)} more{noun && ` ${noun}${left === 1 ? '' : 's'}`}
    </button>
  );
  return [all.slice(0, limit), button] as const;
}
