// SPDX-License-Identifier: MIT
// The causal difference graph, drawn: a box for each line of the source (boxes.ts), which opens to
// show its instructions. At most LIMIT boxes at first; the rest is counted and comes when asked for.
import { graphlib, layout } from '@dagrejs/dagre';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { boxesOf, inputText, linkText, memberPlace, nearest, type Box, type Link, type Member } from './boxes';
import type { Model } from './data';
import { stretches, stretchText } from './folds';
import { press } from './press';
import type { Selection } from './select';
import { suspicionShare, suspicionWords } from './suspicion';
import { brief, count, placeText } from './text';

export const LIMIT = 150;
const ROWS = 12; // instructions of an open box, at first
const MORE_ROWS = 50;
const ROW = 17;
const CLOSED = 46;
const CHAR = 7;
const TEXT = 44;
const SMALLEST_ZOOM = 0.3;

const width = (texts: string[]) => Math.max(0, ...texts.map((text) => text.length)) * CHAR;

/** A row of an open box: an instruction, a stretch in a library, or the button for what is left. */
interface Row {
  text: string;
  member?: Member;
  fold?: string; // its name among what is open
}

/** What is open: boxes and stretches of libraries in them, with how many rows they show. */
type Open = Map<string, number>;

function rowText(model: Model, box: Box, member: Member): string {
  const { node } = member;
  if (node.kind === 'input') return `${node.id}  ${inputText(node)}`;
  const at = memberPlace(member);
  const indent = box.kind === 'line' && model.isLibrary(at) ? '  ' : '';
  return `${indent}${node.id}  ${node.divergence ? '≠ ' : ''}${at?.instruction || placeText(at)}`;
}

function rowsOf(model: Model, box: Box, open: Open): Row[] {
  const some = (members: Member[], name: string): Row[] => {
    const limit = open.get(name) ?? 0;
    const rows: Row[] = members.slice(0, limit).map((member) => ({ text: rowText(model, box, member), member }));
    const left = members.length - limit;
    return left > 0 ? [...rows, { text: `${count(left)} more`, fold: name }] : rows;
  };
  if (!open.has(box.id)) return [];
  if (box.kind !== 'line') return some(box.members, box.id);
  const parts = stretches(model, box.members, memberPlace);
  const limit = open.get(box.id)!;
  const rows = parts.slice(0, limit).flatMap((part): Row[] => {
    if (!part.library || part.items.length === 1) return part.items.map((member) => ({ text: rowText(model, box, member), member }));
    const fold = `${box.id} ${part.items[0]!.node.id}`;
    const isOpen = open.has(fold);
    return [{ text: `${isOpen ? '▾' : '▸'} ${stretchText(part)}`, fold }, ...(isOpen ? some(part.items, fold) : [])];
  });
  const left = parts.slice(limit).reduce((sum, part) => sum + part.items.length, 0);
  return left > 0 ? [...rows, { text: `${count(left)} more`, fold: box.id }] : rows;
}

function marks(box: Box): string {
  const target = box.members.some((one) => one.node.target) ? '◎ ' : '';
  return target + (box.members.some((one) => one.node.decides) ? '◇ ' : '');
}

const titleOf = (box: Box) => brief(`${marks(box)}${box.title}`, TEXT);

function countText(box: Box): string {
  const noun = box.kind === 'input' ? 'place' : 'instruction';
  return `${count(box.members.length)} ${noun}${box.members.length === 1 ? '' : 's'}`;
}

/** For who cannot see the box, and beside the pointer. */
function words(box: Box): string {
  const run = box.run === 'both' ? '' : `, ${box.run.toUpperCase()} only`;
  return brief(`${box.title}${run}: ${box.text}`, 400) + `, ${countText(box)}` + (box.suspicion ? `. ${suspicionWords(box.suspicion)}` : '');
}

function place(boxes: Box[], links: { link: Link; texts: string[] }[], rows: Map<string, Row[]>) {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: 24, ranksep: 26, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) {
    const own = rows.get(box.id) ?? [];
    const right = box.run === 'both' ? 4 : 8;
    const texts = [titleOf(box) + ' '.repeat(right + box.finding.length), brief(box.text, TEXT) + '      ', ...own.map((row) => `   ${brief(row.text, TEXT)}`)];
    graph.setNode(box.id, { width: Math.max(100, width(texts) + 20), height: CLOSED + (own.length ? own.length * ROW + 6 : 0) });
  }
  for (const { link, texts } of links)
    graph.setEdge(link.from, link.to, texts.length ? { width: width(texts) * 0.9 + 8, height: texts.length * 13, labelpos: 'r' } : {});
  layout(graph);
  return graph;
}

interface At {
  x: number;
  y: number;
  width: number;
  height: number;
}

function BoxView(props: {
  box: Box; at: At; rows: Row[]; isChosen: boolean; isFocus: boolean; node: string | undefined;
  onToggle: () => void; onNode: (id: string) => void; onFold: (row: Row) => void;
}) {
  const { box, at, rows, isChosen } = props;
  const isOpen = rows.length > 0;
  const letter = box.run === 'both' ? '' : box.run.toUpperCase();
  const kind = `${box.kind} ${box.isApart ? 'apart' : ''} ${box.run === 'both' ? '' : `only-${box.run}`}`;
  return (
    <g class={`box ${kind} ${isChosen ? 'chosen' : ''} ${isOpen ? 'open' : ''}`} data-box={brief(box.id, 40)}
      data-nodes={box.members.length} transform={`translate(${at.x - at.width / 2} ${at.y - at.height / 2})`}>
      <g class="head" role="button" tabindex={props.isFocus ? 0 : -1} aria-expanded={isOpen} aria-label={words(box)}
        {...press(props.onToggle)}>
        <title>{words(box)}</title>
        <rect width={at.width} height={at.height} rx={box.kind === 'input' ? 20 : 5} />
        {letter && <rect class={`side ${box.run}`} x="8" y="7" width="14" height="14" rx="3" />}
        {letter && <text x="11" y="18" class={`side ${box.run}`}>{letter}</text>}
        <text x={letter ? 27 : 10} y="18" class="title">{titleOf(box)}</text>
        {box.finding && <text x={at.width - 9} y="18" class="badge">{brief(box.finding, 6)}</text>}
        <text x="10" y="34" class="sub">{brief(box.text, TEXT)}</text>
        <text x={at.width - 9} y="34" class="members">{`${isOpen ? '▾' : '▸'} ${count(box.members.length)}`}</text>
        {box.suspicion && (
          <rect class="suspect" data-rank={box.suspicion.rank} x="10" y="39" rx="1.5" height="3"
            width={(at.width - 20) * suspicionShare(box.suspicion)} />
        )}
      </g>
      {rows.map((row, i) => (
        <g class={`inner ${row.member && row.member.node.id === props.node ? 'chosen' : ''}`} role="button" tabindex={0}
          data-node={row.member ? brief(row.member.node.id, 12) : undefined} transform={`translate(6 ${CLOSED + i * ROW})`}
          aria-expanded={row.fold ? row.text.startsWith('▾') : undefined}
          {...press(() => (row.member ? props.onNode(row.member.node.id) : props.onFold(row)))}>
          <rect width={at.width - 12} height={ROW} rx="3" />
          <text x="8" y="12.5" class={row.fold ? 'fold' : ''}>{brief(row.text, TEXT)}</text>
        </g>
      ))}
    </g>
  );
}

/** Which box an arrow key leads to: along the links, or beside on the same height. */
function neighbour(key: string, from: string, boxes: Box[], links: Link[], at: (id: string) => At): string | undefined {
  const here = at(from);
  if (key === 'ArrowDown') return links.find((link) => link.from === from && at(link.to).y > here.y)?.to;
  if (key === 'ArrowUp') return links.find((link) => link.to === from && at(link.from).y < here.y)?.from;
  const side = key === 'ArrowLeft' ? -1 : 1;
  const beside = boxes.map((box) => ({ id: box.id, by: (at(box.id).x - here.x) * side, off: Math.abs(at(box.id).y - here.y) }))
    .filter((one) => one.by > 0 && one.off < CLOSED);
  return beside.sort((x, y) => x.by - y.by)[0]?.id;
}

function Extent({ model, boxes, shown, onMore }: { model: Model; boxes: Box[]; shown: number; onMore: () => void }) {
  const of = (kind: Box['kind'], one: string, many: string) => {
    const n = boxes.filter((box) => box.kind === kind).length;
    return n === 0 ? '' : `${count(n)} ${n === 1 ? one : many}`;
  };
  // What two runs executed at two places is an instruction of each.
  const instructions = boxes.reduce((sum, box) => sum + (box.kind === 'input' ? 0 : box.members.length), 0);
  const lines = new Set(boxes.map((box) => box.line).filter((line) => line)).size;
  const parts = [
    lines ? `${count(lines)} line${lines === 1 ? '' : 's'}` : '', of('library', 'function of a library', 'functions of libraries'),
    of('input', 'input', 'inputs'), of('other', 'box', 'boxes'),
    `${count(instructions)} instruction${instructions === 1 ? '' : 's'}`,
  ].filter((part) => part);
  const left = boxes.length - shown;
  return (
    <span class="note extent">
      {model.why.graph?.cut && 'cut at its limit: '}{parts.join(', ')}
      {model.helping > 0 && <span title="they are marked ○ in the source">; {count(model.helping)} more line{model.helping === 1 ? '' : 's'} helped</span>}
      {left > 0 && <button class="more" onClick={onMore}>{count(left)} more</button>}
    </span>
  );
}

export function GraphView(props: {
  model: Model;
  selection: Selection;
  expanded: boolean;
  onNode: (id: string) => void;
}) {
  const { model, selection, expanded } = props;
  const [zoom, setZoom] = useState(1);
  const [limit, setLimit] = useState(LIMIT);
  const [open, setOpen] = useState<Open>(new Map());
  const [arrived, setArrived] = useState<string | undefined>();
  const view = useRef<HTMLDivElement>(null);
  const pin = useRef<{ id: string; x: number; y: number } | undefined>(undefined);
  const grouped = useMemo(() => boxesOf(model, expanded), [model, expanded]);
  const { boxes, links, rows, graph } = useMemo(() => {
    const near = nearest(model, grouped, limit);
    const drawn = near.links.map((link) => ({ link, texts: linkText(link) }));
    const inner = new Map(near.boxes.map((box) => [box.id, rowsOf(model, box, open)]));
    return { boxes: near.boxes, links: drawn, rows: inner, graph: place(near.boxes, drawn, inner) };
  }, [model, grouped, limit, open]);
  const at = (id: string) => graph.node(id) as At;
  const chosen = selection.node === undefined ? [] : (grouped.of.get(selection.node) ?? []).filter((id) => graph.hasNode(id));
  const focus = arrived !== undefined && chosen.includes(arrived) ? arrived : (chosen[0] ?? boxes[0]?.id);
  const size = graph.graph() as { width?: number; height?: number };
  const w = (size.width ?? 100) + 4;
  const h = (size.height ?? 100) + 4;

  const fit = (least: number) => Math.max(least, Math.min(1, (view.current?.clientWidth ?? w) / w));
  useLayoutEffect(() => {
    setZoom(fit(0.7));
    // So that arrows and Enter work at once.
    view.current?.querySelector<SVGGElement>('.head[tabindex="0"]')?.focus({ preventScroll: true });
  }, []);
  useLayoutEffect(() => {
    const pane = view.current;
    if (!pane || focus === undefined) return;
    const to = at(focus);
    const held = pin.current;
    pin.current = undefined;
    // A box that opens stays where it was clicked.
    if (held && graph.hasNode(held.id)) {
      const box = at(held.id);
      pane.scrollTo({ left: (box.x - box.width / 2) * zoom - held.x, top: (box.y - box.height / 2) * zoom - held.y });
      return;
    }
    pane.scrollTo({ left: to.x * zoom - pane.clientWidth / 2, top: (to.y - to.height / 2) * zoom - pane.clientHeight / 3 });
  }, [focus, graph, zoom]);

  if (boxes.length === 0) return <p class="empty">The graph is empty.</p>;
  const hold = (id: string) => {
    const pane = view.current;
    const box = at(id);
    if (pane) pin.current = { id, x: (box.x - box.width / 2) * zoom - pane.scrollLeft, y: (box.y - box.height / 2) * zoom - pane.scrollTop };
  };
  const put = (box: Box, name: string, shown: number | undefined) => {
    hold(box.id);
    const next = new Map(open);
    if (shown === undefined) next.delete(name);
    else next.set(name, shown);
    setOpen(next);
  };
  const toggle = (box: Box) => {
    setArrived(box.id);
    put(box, box.id, open.has(box.id) ? undefined : ROWS);
    if (!box.members.some((one) => one.node.id === selection.node)) props.onNode(box.members[0]!.node.id);
  };
  const fold = (box: Box, row: Row) => {
    const name = row.fold!;
    const isMark = /^[▸▾]/.test(row.text);
    if (isMark) put(box, name, open.has(name) ? undefined : ROWS);
    else put(box, name, open.get(name)! + MORE_ROWS);
  };
  const select = (box: Box, id: string) => {
    hold(box.id);
    setArrived(box.id);
    props.onNode(id);
  };
  const onKey = (event: KeyboardEvent) => {
    if (!event.key.startsWith('Arrow') || focus === undefined) return;
    const next = neighbour(event.key, focus, boxes, links.map((one) => one.link), at);
    event.preventDefault();
    if (next === undefined) return;
    setArrived(next);
    props.onNode(grouped.all.get(next)!.members[0]!.node.id);
    view.current?.querySelector<SVGGElement>(`[data-box="${CSS.escape(brief(next, 40))}"] > .head`)?.focus({ preventScroll: true });
  };
  return (
    <div class="graph">
      <p class="tools">
        <button onClick={() => setZoom(Math.max(SMALLEST_ZOOM, zoom / 1.25))} aria-label="smaller">−</button>
        <button onClick={() => setZoom(Math.min(2, zoom * 1.25))} aria-label="larger">+</button>
        <button onClick={() => setZoom(fit(SMALLEST_ZOOM))}>fit</button>
        <Extent model={model} boxes={[...grouped.all.values()]} shown={boxes.length} onMore={() => setLimit(limit + LIMIT)} />
      </p>
      <div class="view" ref={view} onKeyDown={onKey}>
        <svg width={w * zoom} height={h * zoom} viewBox={`0 0 ${w} ${h}`} role="group" aria-label="causal difference graph">
          <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path d="M0 0 L8 4 L0 8 z" />
            </marker>
          </defs>
          {links.map(({ link, texts }) => {
            const edge = graph.edge(link.from, link.to) as { points: { x: number; y: number }[]; x?: number; y?: number };
            const isControl = link.edges.every(({ edge: one }) => one.kind === 'control');
            const d = edge.points.map((p, i) => `${i ? 'L' : 'M'}${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join(' ');
            return (
              <g class={isControl ? 'link control' : 'link'}>
                <path d={d} marker-end="url(#arrow)" />
                {edge.x !== undefined &&
                  texts.map((text, i) => (
                    <text x={edge.x! - (width(texts) * 0.9) / 2 + 4} y={edge.y! + (i - (texts.length - 1) / 2) * 12 + 4}>{text}</text>
                  ))}
              </g>
            );
          })}
          {boxes.map((box) => (
            <BoxView key={box.id} box={box} at={at(box.id)} rows={rows.get(box.id) ?? []} isChosen={chosen.includes(box.id)}
              isFocus={focus === box.id} node={selection.node} onToggle={() => toggle(box)} onNode={(id) => select(box, id)}
              onFold={(row) => fold(box, row)} />
          ))}
        </svg>
      </div>
    </div>
  );
}
