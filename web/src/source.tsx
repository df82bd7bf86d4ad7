// SPDX-License-Identifier: MIT
// One run's source: line numbers, how often lines were executed, and which are in the graph.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { list, type GraphNode, type Model, type Run, type Source } from './data';
import { stretches, stretchText } from './folds';
import { highlight } from './highlight';
import { press } from './press';
import type { Target } from './select';
import { SuspicionBar } from './suspicion';
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
        <div class={classes} data-line={number} key={number}
          {...(mark?.nodes[0] ? { ...press(() => onNode(mark.nodes[0]!)), tabIndex: 0, role: 'button' } : {})}
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

function ListingRow({ model, run, node, isCurrent, onNode }: {
  model: Model; run: Run; node: GraphNode; isCurrent: boolean; onNode: (id: string) => void;
}) {
  const at = (run === 'a' ? node.a : node.b)!;
  const suspicion = model.suspicionOf(model.linesOf.get(node.id)?.[0]);
  return (
    <div class={`row marked ${isCurrent ? 'current' : ''}`} data-node={brief(node.id, 12)} tabIndex={0} role="button"
      {...press(() => onNode(node.id))}>
      <SuspicionBar of={suspicion} />
      <span class="number">{brief(node.id, 8)}</span>
      <code>{brief(at.instruction, 80)}</code>
      <span class="at">{brief(placeText(at), 40)}</span>
    </div>
  );
}

/**
 * Without source: the run's instructions that are in the graph, as they were executed. Those of a library
 * are one row, until it is opened or one of them is selected.
 */
function Listing({ model, run, node, expanded, onNode }: {
  model: Model; run: Run; node: string | undefined; expanded: boolean; onNode: (id: string) => void;
}) {
  const [opened, setOpened] = useState<string[]>([]);
  const [room, setRoom] = useState(LISTED);
  const all = useMemo(() => {
    const found = model.nodes.flatMap((one) => {
      const at = run === 'a' ? one.a : one.b;
      return at?.instruction ? [{ node: one, steps: order(at.step) }] : [];
    });
    found.sort((x, y) => {
      for (let i = 0; i < 3; ++i) {
        const by = (x.steps[i] ?? 0) - (y.steps[i] ?? 0);
        if (by) return by;
      }
      return 0;
    });
    return found.map((one) => one.node);
  }, [model, run]);
  const here = all.findIndex((one) => one.id === node);
  const from = Math.max(0, Math.min(here - room / 2, all.length - room));
  const shown = useMemo(() => stretches(model, all.slice(from, from + room), (one) => (run === 'a' ? one.a : one.b) ?? undefined), [model, all, from, room, run]);
  const rows = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => rows.current?.querySelector('.current')?.scrollIntoView({ block: 'center' }), [node]);
  if (shown.length === 0) return null;
  const left = all.length - Math.min(room, all.length);
  return (
    <div class="listing" ref={rows}>
      <p class="note">no source: this run's instructions of the graph, as they were executed</p>
      {shown.map((stretch) => {
        const first = stretch.items[0]!.id;
        const isOpen = expanded || !stretch.library || stretch.items.length === 1 || opened.includes(first) ||
          stretch.items.some((one) => one.id === node);
        return (
          <>
            {stretch.library && stretch.items.length > 1 && (
              <button class="fold" aria-expanded={isOpen}
                onClick={() => setOpened(opened.includes(first) ? opened.filter((one) => one !== first) : [...opened, first])}>
                {isOpen ? '▾' : '▸'} {brief(stretchText(stretch), 90)}
              </button>
            )}
            {isOpen && stretch.items.map((one) => (
              <ListingRow key={one.id} model={model} run={run} node={one} isCurrent={one.id === node} onNode={onNode} />
            ))}
          </>
        );
      })}
      {left > 0 && <button class="more" onClick={() => setRoom(room + LISTED)}>{count(left)} more instructions</button>}
    </div>
  );
}

export function SourcePane(props: {
  model: Model;
  run: Run;
  target: Target | undefined;
  node: string | undefined;
  expanded: boolean;
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
  const selected = node === undefined ? undefined : model.byId.get(node);
  const own = selected && (run === 'a' ? (selected.caller_a ?? selected.a) : (selected.caller_b ?? selected.b));
  const isSource = hasText || (!own && target);
  const shown = isSource ? `${target.file.split('/').pop()}:${target.line}` : own ? placeText(own) : '';
  const nothing = !selected ? 'no line of the source' : selected.kind === 'input' ? 'outside of the program' : 'not executed';
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
        <span class="file" title={target && brief(target.file, 400)}>{brief(shown, 80)}</span>
        {!shown && <span class="note">{nothing}</span>}
        <span class="note">{target?.note && <Text of={target.note} max={80} />}</span>
      </h3>
      <div class="code" ref={body} tabIndex={0} data-file={target ? brief(target.file, 400) : ''} data-at={target?.line ?? ''}>
        {rows || (
          <>
            {target && target.file.startsWith('/') && (
              <p class="empty">
                The text of <Text of={target.file} max={120} /> was not there when this page was made.
              </p>
            )}
            <Listing model={model} run={run} node={node} expanded={props.expanded} onNode={onNode} />
          </>
        )}
      </div>
    </section>
  );
}
