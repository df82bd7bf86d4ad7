// SPDX-License-Identifier: MIT
// One run's source: line numbers, how often lines were executed, and which are in the graph.
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { list, type Model, type Run, type Source, type Suspicion } from './data';
import { highlight } from './highlight';
import type { Target } from './select';
import { brief, count, placeText, Text } from './text';

interface Marks {
  nodes: string[];
  findings: string[];
}

/** Which lines of a file the graph has, for one run. */
function marksOf(model: Model, file: string, run: Run): Map<number, Marks> {
  const out = new Map<number, Marks>();
  const at = (line: number): Marks => {
    const found = out.get(line);
    if (found) return found;
    const made: Marks = { nodes: [], findings: [] };
    out.set(line, made);
    return made;
  };
  for (const node of model.nodes) {
    const place = model.place(node, run);
    if (place?.file !== file || !place.line) continue;
    const marks = at(place.line);
    marks.nodes.push(node.id);
    const line = model.lineOf.get(node.id);
    const id = line === undefined ? null : model.answer[line]?.id;
    if (id && !marks.findings.includes(id)) marks.findings.push(id);
  }
  for (const one of list(model.why.statements))
    if (one?.file === file && one.line && one.run !== (run === 'a' ? 'b' : 'a')) at(one.line);
  return out;
}

function executedMark(a: number | undefined, b: number | undefined): [string, string] {
  if (a === undefined && b === undefined) return ['', ''];
  if (b === undefined) return ['−', 'only A executed this line'];
  if (a === undefined) return ['+', 'only B executed this line'];
  return a === b ? ['', ''] : ['~', `A executed this ${count(a)} times, B ${count(b)}`];
}

/** A bar as long as the line is suspicious. */
function SuspicionBar({ of }: { of: Suspicion | undefined }) {
  if (!of) return <span class="suspicion" />;
  const words = `suspicion: number ${count(of.rank)} of ${count(of.of)} lines that lead to the difference. Judged by how much of it ` +
    'leads here, how often each run executed the line, and whether B alone goes this way.';
  return (
    <span class="suspicion" title={words} role="img" aria-label={`suspicion: number ${of.rank} of ${of.of}`} data-rank={of.rank}>
      <i style={{ width: `${Math.round(10 + 90 * of.share)}%` }} />
    </span>
  );
}

function Rows({ model, source, run, onNode }: { model: Model; source: Source; run: Run; onNode: (id: string) => void }) {
  const marks = useMemo(() => marksOf(model, source.file, run), [model, source, run]);
  const a = useMemo(() => new Map(list(source.a)), [source]);
  const b = useMemo(() => new Map(list(source.b)), [source]);
  const chunks = useMemo(
    () => list(source.chunks).map((chunk) => ({ first: chunk.first, rows: highlight(list(chunk.text)) })),
    [source],
  );
  const gap = (from: number, to: number) =>
    to >= from && (
      <div class="gap" key={`gap${from}`}>
        {from === to ? `line ${from} is` : `lines ${from} to ${to} are`} not in this page
      </div>
    );
  const most = [...a.values(), ...b.values()].reduce((x, y) => Math.max(x, y), 10);
  const widest = count(most).length + 1;
  let next = 1;
  const out = [];
  for (const chunk of chunks) {
    out.push(gap(next, chunk.first - 1));
    next = chunk.first + chunk.rows.length;
    chunk.rows.forEach((row, i) => {
      const number = chunk.first + i;
      const mark = marks.get(number);
      const [sign, words] = executedMark(a.get(number), b.get(number));
      const times = (run === 'a' ? a : b).get(number);
      const kind = sign === '−' ? 'only-a' : sign === '+' ? 'only-b' : times === undefined ? 'idle' : '';
      const classes = `row ${mark?.nodes.length ? 'marked' : ''} ${kind}`;
      out.push(
        <div class={classes} data-line={number} key={number} onClick={mark?.nodes[0] ? () => onNode(mark.nodes[0]!) : undefined}
          title={mark?.nodes.length ? `in the graph: ${mark.nodes.slice(0, 8).join(' ')}${mark.nodes.length > 8 ? ' …' : ''}` : undefined}>
          <span class="mark">{mark ? (mark.findings[0] ?? (mark.nodes.length ? '●' : '○')) : ''}</span>
          <SuspicionBar of={mark && model.suspicion(source.file, number)} />
          <span class="sign" title={words}>{sign}</span>
          <span class="times" style={{ width: `${widest}ch` }}>{times === undefined ? '' : `${count(times)}×`}</span>
          <span class="number">{number}</span>
          <code>{row}</code>
        </div>,
      );
    });
  }
  if (source.lines) out.push(gap(next, source.lines));
  return <div class="rows">{out}</div>;
}

const LISTED = 400;

function order(step: string | undefined): number[] {
  return (step ?? '').split('.').map(Number);
}

/** Without source: the run's instructions that are in the graph, as they were executed. */
function Listing({ model, run, node, onNode }: { model: Model; run: Run; node: string | undefined; onNode: (id: string) => void }) {
  const all = useMemo(() => {
    const found = model.nodes.flatMap((one) => {
      const at = run === 'a' ? one.a : one.b;
      return at?.instruction ? [{ id: one.id, at, steps: order(at.step) }] : [];
    });
    return found.sort((x, y) => {
      for (let i = 0; i < 3; ++i) {
        const by = (x.steps[i] ?? 0) - (y.steps[i] ?? 0);
        if (by) return by;
      }
      return 0;
    });
  }, [model, run]);
  const here = all.findIndex((one) => one.id === node);
  const from = Math.max(0, Math.min(here - LISTED / 2, all.length - LISTED));
  const shown = all.slice(from, from + LISTED);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => list.current?.querySelector('.current')?.scrollIntoView({ block: 'center' }), [node]);
  if (shown.length === 0) return null;
  return (
    <div class="listing" ref={list}>
      <p class="note">no source: this run's instructions of the graph, as they were executed</p>
      {shown.map((one) => (
        <div class={`row marked ${one.id === node ? 'current' : ''}`} data-node={brief(one.id, 12)} onClick={() => onNode(one.id)}>
          <span class="number">{brief(one.id, 8)}</span>
          <code>{brief(one.at.instruction, 80)}</code>
          <span class="at">{brief(placeText(one.at), 40)}</span>
        </div>
      ))}
      {all.length > shown.length && <p class="note">{count(all.length - shown.length)} more</p>}
    </div>
  );
}

export function SourcePane(props: {
  model: Model;
  run: Run;
  target: Target | undefined;
  node: string | undefined;
  onNode: (id: string) => void;
}) {
  const { model, run, target, node, onNode } = props;
  const body = useRef<HTMLDivElement>(null);
  const source = target && model.sources.get(target.file);
  const hasText = !!target && model.hasText(target.file);
  const rows = useMemo(
    () => source && hasText && <Rows model={model} source={source} run={run} onNode={onNode} />,
    [model, source, run, hasText, onNode],
  );
  useLayoutEffect(() => {
    const pane = body.current;
    if (!pane) return;
    for (const row of pane.querySelectorAll('.rows .row.current')) row.classList.remove('current');
    const row = target && pane.querySelector<HTMLElement>(`[data-line="${Number(target.line)}"]`);
    if (!row) return;
    row.classList.add('current');
    const top = row.offsetTop - pane.clientHeight * 0.4;
    pane.scrollTo({ top: Math.max(0, top) });
  }, [target?.file, target?.line, rows]);
  return (
    <section class={`source run-${run}`} aria-label={`source of run ${run.toUpperCase()}`}>
      <h3>
        <b class={`letter ${run}`}>{run.toUpperCase()}</b>
        {target ? (
          <>
            <span class="file" title={brief(target.file, 400)}>{brief(target.file.split('/').pop(), 60)}:{target.line}</span>
            <span class="note">{target.note && <Text of={target.note} max={80} />}</span>
          </>
        ) : (
          <span class="note">no source line is known for this</span>
        )}
      </h3>
      <div class="code" ref={body} tabIndex={0} data-file={target ? brief(target.file, 400) : ''} data-at={target?.line ?? ''}>
        {rows || (
          <>
            {target && (
              <p class="empty">
                The text of <Text of={target.file} max={120} /> was not there when this page was made.
              </p>
            )}
            <Listing model={model} run={run} node={node} onNode={onNode} />
          </>
        )}
      </div>
    </section>
  );
}
