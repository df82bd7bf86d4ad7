// SPDX-License-Identifier: MIT
// The causal difference graph, drawn. Instructions of libraries that one call of the program led to
// are one box until they are expanded. At most LIMIT boxes, those nearest to the target; the rest is
// counted.
import { graphlib, layout } from '@dagrejs/dagre';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { list, type GraphEdge, type GraphNode, type Model } from './data';
import type { Selection } from './select';
import { baseName, brief, count, placeText } from './text';

export const LIMIT = 150;

interface Box {
  id: string;
  members: GraphNode[];
  title: string;
  text: string;
  kind: string;
  finding: string;
}

interface Link {
  from: string;
  to: string;
  edges: GraphEdge[];
}

/** Which box each node is in: its own, or that of a call into a library. */
function group(model: Model, expanded: boolean): Map<string, string> {
  const box = new Map<string, string>();
  for (const node of model.nodes) box.set(node.id, node.id);
  if (expanded) return box;
  const key = (node: GraphNode): string => {
    if (!model.isLibrary(node) || node.kind === 'unaligned' && !model.isLibrary({ ...node, b: node.a })) return '';
    const at = (place = node.caller_b ?? node.caller_a) => (place ? `${place.function} ${place.offset}` : '-');
    return at();
  };
  // Neighbours in one library call fall together; findings keep a box of their own.
  const find = (id: string): string => {
    let root = id;
    while (box.get(root) !== root) root = box.get(root)!;
    while (box.get(id) !== root) [id] = [box.get(id)!, box.set(id, root)];
    return root;
  };
  const stays = (id: string) => {
    const line = model.lineOf.get(id);
    const told = line === undefined ? undefined : model.answer[line];
    return !!told?.id;
  };
  for (const edge of model.edges) {
    const from = model.byId.get(edge.from)!;
    const to = model.byId.get(edge.to)!;
    const k = key(from);
    if (!k || k !== key(to) || stays(from.id) || stays(to.id)) continue;
    box.set(find(to.id), find(from.id));
  }
  for (const node of model.nodes) box.set(node.id, find(node.id));
  return box;
}

function describe(model: Model, members: GraphNode[]): Omit<Box, 'id' | 'members'> {
  const node = members[0]!;
  const lines = members.map((member) => model.lineOf.get(member.id)).filter((line) => line !== undefined);
  const finding = lines.map((line) => model.answer[line]?.id).find((id) => id) ?? '';
  if (members.length > 1) {
    const caller = node.caller_b ?? node.caller_a;
    const names = [...new Set(members.map((m) => (m.b ?? m.a)?.function ?? ''))].filter((name) => name);
    return {
      title: `${placeText(caller) || 'library'}  ⊞ ${count(members.length)}`,
      text: `in ${names[0] ?? 'a library'}${names.length > 1 ? ` and ${names.length - 1} more` : ''}`,
      kind: members.some((m) => m.kind === 'unaligned' || m.kind === 'single') ? 'group apart' : 'group',
      finding,
    };
  }
  if (node.kind === 'input') {
    const at = node.input_b ?? node.input_a;
    const where = at?.offset === undefined ? '' : `, byte ${at.offset}`;
    return { title: `${node.id} input`, text: `${at?.call ?? ''} ${baseName(at?.input)}${where}`, kind: 'input', finding };
  }
  const a = placeText(node.a);
  const b = placeText(node.b);
  const flags = (node.target ? '◎ ' : '') + (node.decides ? '◇ ' : '');
  const isApart = node.kind === 'unaligned' || node.kind === 'single';
  const where = isApart ? `${a ? `A ${a}` : ''}${a && b ? '  ' : ''}${b ? `B ${b}` : ''}` : b || a;
  const text =
    node.kind === 'unaligned' && node.divergence ? `≠ ${node.divergence}` : ((node.b ?? node.a)?.instruction ?? '');
  return { title: `${flags}${node.id} ${where}`, text, kind: isApart ? 'apart' : 'both', finding };
}

/** The boxes nearest to the targets, in breadth-first order. */
function nearest(model: Model, box: Map<string, string>): { boxes: Box[]; links: Link[]; total: number } {
  const members = new Map<string, GraphNode[]>();
  for (const node of model.nodes) {
    const id = box.get(node.id)!;
    const found = members.get(id);
    if (found) found.push(node);
    else members.set(id, [node]);
  }
  const chosen = new Set<string>();
  const add = (id: string | undefined) => {
    if (id !== undefined && chosen.size < LIMIT) chosen.add(id);
  };
  for (const node of model.nodes) if (node.target) add(box.get(node.id));
  // What the answer tells is worth more than what is near.
  for (const line of model.answer.slice(0, LIMIT)) for (const id of list(line.nodes).slice(0, LIMIT)) add(box.get(id));
  // A set that grows is iterated to its new end: breadth-first.
  for (const id of chosen)
    for (const node of members.get(id)!) for (const edge of model.reads.get(node.id) ?? []) add(box.get(edge.to));
  for (const id of members.keys()) {
    if (chosen.size >= LIMIT) break;
    add(id);
  }
  const boxes = [...chosen].map((id) => ({ id, members: members.get(id)!, ...describe(model, members.get(id)!) }));
  const links = new Map<string, Link>();
  for (const id of chosen)
    for (const node of members.get(id)!)
      for (const edge of model.reads.get(node.id) ?? []) {
        const to = box.get(edge.to)!;
        if (to === id || !chosen.has(to)) continue;
        const key = `${id} ${to}`;
        const link = links.get(key) ?? { from: id, to, edges: [] };
        link.edges.push(edge);
        links.set(key, link);
      }
  return { boxes, links: [...links.values()], total: members.size };
}

function linkText(link: Link): string[] {
  const edge = link.edges.find((e) => e.value_a || e.value_b) ?? link.edges[0]!;
  if (edge.kind === 'control' && !edge.value_a && !edge.value_b) return ['decides'];
  const name = edge.name ?? (edge.place && !/^0x/.test(edge.place) ? edge.place : '');
  const values = edge.value_a || edge.value_b ? `A ${brief(edge.value_a ?? '-', 12)}  B ${brief(edge.value_b ?? '-', 12)}` : '';
  return [brief(name, 24), values].filter((text) => text);
}

const CHAR = 7;
const width = (texts: string[]) => Math.max(...texts.map((text) => text.length)) * CHAR;

function place(boxes: Box[], links: Link[]) {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: 24, ranksep: 26, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) {
    const texts = [brief(box.title, 44) + '      ', brief(box.text, 44)];
    graph.setNode(box.id, { width: Math.max(90, width(texts) + 20), height: 42 });
  }
  for (const link of links) {
    const texts = linkText(link);
    graph.setEdge(link.from, link.to, texts.length ? { width: width(texts) * 0.9 + 8, height: texts.length * 13, labelpos: 'r' } : {});
  }
  layout(graph);
  return graph;
}

export function GraphView(props: {
  model: Model;
  selection: Selection;
  expanded: boolean;
  onNode: (id: string) => void;
}) {
  const { model, selection, expanded } = props;
  const [zoom, setZoom] = useState(1);
  const view = useRef<HTMLDivElement>(null);
  const { box, boxes, links, total, graph } = useMemo(() => {
    const grouped = group(model, expanded);
    const near = nearest(model, grouped);
    return { box: grouped, ...near, graph: place(near.boxes, near.links) };
  }, [model, expanded]);
  const chosen = selection.node === undefined ? undefined : box.get(selection.node);
  useEffect(() => {
    const at = chosen === undefined ? undefined : graph.node(chosen);
    const pane = view.current;
    if (!at || !pane) return;
    pane.scrollTo({ left: at.x * zoom - pane.clientWidth / 2, top: at.y * zoom - pane.clientHeight / 2 });
  }, [chosen, graph, zoom]);
  if (boxes.length === 0) return <p class="empty">The graph is empty.</p>;
  const size = graph.graph() as { width?: number; height?: number };
  const w = (size.width ?? 100) + 4;
  const h = (size.height ?? 100) + 4;
  const choose = (one: Box) => {
    // Clicking again goes on to the next instruction of a box.
    const ids = one.members.map((member) => member.id);
    const at = ids.indexOf(selection.node ?? '');
    props.onNode(ids[(at + 1) % ids.length]!);
  };
  return (
    <div class="graph">
      <p class="tools">
        <button onClick={() => setZoom(Math.max(0.3, zoom / 1.25))} aria-label="smaller">−</button>
        <button onClick={() => setZoom(Math.min(2, zoom * 1.25))} aria-label="larger">+</button>
        <button onClick={() => setZoom(Math.max(0.3, Math.min(1, (view.current?.clientWidth ?? w) / w)))}>fit</button>
        <span class="note">
          {count(boxes.length)} of {count(total)} boxes, {count(model.nodes.length)} instructions
          {total > boxes.length && <b class="left-out"> · {count(total - boxes.length)} more</b>}
          {model.why.graph?.cut && ' · the graph itself was cut'}
        </span>
      </p>
      <div class="view" ref={view}>
        <svg width={w * zoom} height={h * zoom} viewBox={`0 0 ${w} ${h}`} role="img" aria-label="causal difference graph">
          <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path d="M0 0 L8 4 L0 8 z" />
            </marker>
          </defs>
          {links.map((link) => {
            const edge = graph.edge(link.from, link.to) as { points: { x: number; y: number }[]; x?: number; y?: number };
            const texts = linkText(link);
            const isControl = link.edges.every((e) => e.kind === 'control');
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
          {boxes.map((one) => {
            const at = graph.node(one.id) as { x: number; y: number; width: number; height: number };
            return (
              <g class={`box ${one.kind} ${chosen === one.id ? 'chosen' : ''}`} data-box={brief(one.id, 12)}
                transform={`translate(${at.x - at.width / 2} ${at.y - at.height / 2})`} onClick={() => choose(one)}>
                <title>{brief(one.members.slice(0, 20).map((m) => m.id).join(' '), 200)}</title>
                <rect width={at.width} height={at.height} rx={one.kind === 'input' ? 20 : 4} />
                <text x="10" y="17" class="title">{brief(one.title, 44)}</text>
                <text x="10" y="33" class="sub">{brief(one.text, 44)}</text>
                {one.finding && <text x={at.width - 8} y="17" class="badge">{brief(one.finding, 6)}</text>}
              </g>
            );
          })}
        </svg>
      </div>
    </div>
  );
}
