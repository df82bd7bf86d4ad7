// SPDX-License-Identifier: MIT
// Both runs on one axis: the longer of its two sides gives a stretch its width; what only one run
// executed stands in its lane alone.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { list, type Cell, type Model, type Thread } from './data';
import { useMore } from './more';
import type { Selection } from './select';
import { brief, count, linkTo } from './text';

const WIDTH = 1000;
const SMALLEST = 3; // so that a short divergence in a long run is seen
const THREADS = 6;
const LANE = 21; // height
const PIN = 28; // pixels of a mark and what is beside it

interface Laid {
  cell: Cell;
  x: number;
  w: number;
}

function lay(cells: Cell[]): Laid[] {
  // The square root: most of a run can be its start, which differs in nothing.
  const size = (cell: Cell) => Math.sqrt(Math.max(cell.a[1] - cell.a[0], cell.b[1] - cell.b[0]));
  const total = cells.reduce((sum, cell) => sum + size(cell), 0) || 1;
  const smallest = Math.min(SMALLEST, WIDTH / cells.length / 2);
  const free = WIDTH - smallest * cells.length;
  let x = 0;
  return cells.map((cell) => {
    const w = smallest + (size(cell) / total) * free;
    const out = { cell, x, w };
    x += w;
    return out;
  });
}

function stepIn(step: string | undefined, thread: string | null | undefined): number | undefined {
  const found = /^(\d+\.\d+)\.(\d+)$/.exec(step ?? '');
  return found && found[1] === thread ? Number(found[2]) : undefined;
}

function find(laid: Laid[], side: 'a' | 'b', step: number): number {
  return laid.findIndex(({ cell }) => step >= cell[side][0] && step < cell[side][1]);
}

/** Where a node is: its stretch and its place on the axis. */
function locate(laid: Laid[], thread: Thread, a: string | undefined, b: string | undefined): [number, number] | undefined {
  for (const [side, step] of [['b', stepIn(b, thread.b)], ['a', stepIn(a, thread.a)]] as const) {
    if (step === undefined) continue;
    const i = find(laid, side, step);
    const at = laid[i];
    if (!at) continue;
    const [from, to] = at.cell[side];
    return [i, at.x + (at.w * (step - from)) / Math.max(1, to - from)];
  }
  return undefined;
}

function title(cell: Cell): string {
  const parts = [`${count(cell.aligned)} in both`];
  if (cell.only_a) parts.push(`${count(cell.only_a)} only in A`);
  if (cell.only_b) parts.push(`${count(cell.only_b)} only in B`);
  if ((cell.divergences ?? 0) > 1) parts.push(`${count(cell.divergences)} divergences`);
  if (cell.at) parts.push(`at ${brief(cell.at.file?.split('/').pop() ?? cell.at.function ?? cell.at.module, 40)}${cell.at.line ? `:${cell.at.line}` : ''}`);
  return parts.join(', ');
}

/** Marks that would lie on each other move apart: to the right, and back where that goes beyond the end. */
function spread<T extends { x: number }>(marks: T[], apart: number): (T & { at: number })[] {
  let last = -WIDTH;
  const out = [...marks].sort((x, y) => x.x - y.x).map((mark) => ({ ...mark, at: (last = Math.max(mark.x, last + apart)) }));
  let most = WIDTH - apart;
  for (const mark of out.reverse()) {
    mark.at = Math.min(mark.at, most);
    most = mark.at - apart;
  }
  return out.reverse();
}

function Lanes(props: {
  model: Model; thread: Thread; number: number; selection: Selection;
  onCell: (thread: number, cell: number) => void; onNode: (id: string) => void; onLine: (line: number) => void;
}) {
  const { model, thread, number, selection } = props;
  const laid = useMemo(() => lay(list(thread.cells)), [thread]);
  const { marks, nodeOf } = useMemo(() => {
    const nodes = new Map<number, string>();
    const found: { id: string; line: number; x: number }[] = [];
    for (const node of model.nodes.slice(0, 2000)) {
      const at = locate(laid, thread, node.a?.step, node.b?.step);
      if (at && !nodes.has(at[0])) nodes.set(at[0], node.id);
    }
    model.answer.slice(0, 400).forEach((line, i) => {
      const node = model.byId.get(model.nodesOf(line)[0] ?? '');
      const at = line.id && node && locate(laid, thread, node.a?.step, node.b?.step);
      if (at) found.push({ id: line.id!, line: i, x: at[1] });
    });
    return { marks: found, nodeOf: nodes };
  }, [model, thread, laid]);
  const current = selection.node === undefined ? undefined : model.byId.get(selection.node);
  const here = current && locate(laid, thread, current.a?.step, current.b?.step);
  const click = (i: number) => {
    const node = nodeOf.get(i);
    if (node && laid[i]!.cell.divergences) props.onNode(node);
    else props.onCell(number, i);
  };
  const lanes = useRef<HTMLDivElement>(null);
  const [pixels, setPixels] = useState(WIDTH);
  useLayoutEffect(() => {
    const measure = () => setPixels(lanes.current?.clientWidth || WIDTH);
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, []);
  const labels = useMemo(() => spread(marks, (WIDTH * PIN) / pixels), [marks, pixels]);
  const at = selection.cell?.[0] === number ? selection.cell[1] : (here?.[0] ?? -1);
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined || laid.length === 0) return;
    event.preventDefault();
    props.onCell(number, Math.min(laid.length - 1, Math.max(0, at + by)));
  };
  return (
    <div class={marks.length > 0 ? 'lanes pinned' : 'lanes'} ref={lanes}>
      <svg viewBox={`0 0 ${WIDTH} 50`} preserveAspectRatio="none" role="group" tabindex={0} onKeyDown={onKey}
        aria-label="aligned timeline of both runs: the arrow keys go from stretch to stretch">
        <defs>
          <pattern id={`hatch-a${number}`} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="5" height="5" class="fill-a" /><rect width="2" height="5" class="stripe" />
          </pattern>
          <pattern id={`hatch-b${number}`} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
            <rect width="5" height="5" class="fill-b" /><rect width="2" height="5" class="stripe" />
          </pattern>
        </defs>
        {laid.map(({ cell, x, w }, i) => {
          const has = (side: 'a' | 'b') => cell[side][1] > cell[side][0];
          // Of several regions in one the hatched part is as high as its share.
          const high = (side: 'a' | 'b') => {
            const only = (side === 'a' ? cell.only_a : cell.only_b) ?? 0;
            return only === 0 ? 0 : Math.max(3, (LANE * only) / (only + (cell.aligned ?? 0)));
          };
          const isChosen = selection.cell?.[0] === number && selection.cell[1] === i;
          const kind = !cell.divergences ? 'both' : !cell.aligned ? 'apart' : 'mixed';
          return (
            <g class={`cell ${kind} ${isChosen ? 'chosen' : ''}`} data-cell={i} onClick={() => click(i)}>
              <title>{title(cell)}</title>
              <rect x={x} y="0" width={w} height="50" class="back" />
              {has('a') && kind !== 'apart' && <rect x={x} y="2" width={w} height={LANE} class="lane a" />}
              {has('b') && kind !== 'apart' && <rect x={x} y="27" width={w} height={LANE} class="lane b" />}
              {has('a') && high('a') > 0 && (
                <rect x={x} y={2 + LANE - high('a')} width={w} height={high('a')} class="alone a" fill={`url(#hatch-a${number})`} />
              )}
              {has('b') && high('b') > 0 && (
                <rect x={x} y="27" width={w} height={high('b')} class="alone b" fill={`url(#hatch-b${number})`} />
              )}
            </g>
          );
        })}
        {here && <rect x={here[1] - 1} y="0" width="2" height="50" class="here" />}
      </svg>
      {labels.map((mark) => (
        <a class={`pin ${selection.line === mark.line ? 'chosen' : ''}`} href={linkTo(mark.id)}
          style={{ left: `${Math.max(0, (100 * mark.at) / WIDTH)}%` }}
          onClick={(event) => { event.preventDefault(); props.onLine(mark.line); }}>{brief(mark.id, 6)}</a>
      ))}
    </div>
  );
}

export function Timeline(props: {
  model: Model; selection: Selection;
  onCell: (thread: number, cell: number) => void; onNode: (id: string) => void; onLine: (line: number) => void;
}) {
  const threads = list(props.model.data.timeline?.threads);
  const [shown, more] = useMore(threads, THREADS, 'thread');
  const left = props.model.data.timeline?.left_out ?? 0;
  if (threads.length === 0) return null;
  return (
    <section class={threads.length > 1 ? 'timeline many' : 'timeline'} aria-label="timeline">
      {shown.map((thread, i) => (
        <div class="thread">
          {threads.length > 1 && <span class="note who">{brief(thread.a ?? thread.b ?? '', 12)}</span>}
          {list(thread.cells).length > 0 && <div class="names"><b class="letter a">A</b><b class="letter b">B</b></div>}
          {list(thread.cells).length > 0 ? (
            <Lanes {...props} thread={thread} number={i} />
          ) : (
            <p class="note">{thread.a ? 'A' : 'B'}: {brief(thread.note ?? 'nothing is aligned', 120)}</p>
          )}
        </div>
      ))}
      {more}
      {left > 0 && <p class="note">{count(left)} more threads are not in this page: twinrun align A B</p>}
    </section>
  );
}
