// SPDX-License-Identifier: MIT
// The boxes of the causal difference graph: one for each line of the source.
//
// An instruction belongs to the line that it is of, one of a library to the line that called the
// library. Where the runs did different things an instruction of A is set against one of B, and so
// belongs to two lines; each box then knows which run's side it has. Inputs are a box for each call
// and file. When libraries are looked into, what a line had done by one function of a library is a
// box of its own. Links between boxes are those between their instructions, each once.
import { list, type GraphEdge, type GraphLine, type GraphNode, type Model, type Place, type Run, type Suspicion } from './data';
import { baseName, brief, count, placeText } from './text';

export interface Member {
  node: GraphNode;
  run: Run | 'both';
}

export interface Box {
  id: string;
  kind: 'line' | 'library' | 'input' | 'other';
  members: Member[];
  line?: GraphLine;
  title: string;
  text: string;
  run: Run | 'both';
  isApart: boolean; // the runs do not correspond here
  finding: string;
  suspicion?: Suspicion;
}

export interface Link {
  from: string;
  to: string;
  edges: { edge: GraphEdge; run: Run | 'both' }[]; // the runs whose sides the ends are of
}

export interface Boxes {
  all: Map<string, Box>;
  of: Map<string, string[]>; // boxes of a node, the one with B's side first
}

function site(node: GraphNode, run: Run): Place | undefined {
  return (run === 'a' ? (node.caller_a ?? node.a) : (node.caller_b ?? node.b)) ?? undefined;
}

function isAt(place: Place | undefined, line: GraphLine): boolean {
  const at = line.at;
  if (!place || !at) return false;
  if (line.whole_module) return place.module === at.module;
  if (at.line) return place.line === at.line && place.file === at.file;
  if (at.function) return (place.symbol ?? place.function) === (at.symbol ?? at.function);
  return place.module === at.module && place.offset === at.offset;
}

function sideIn(node: GraphNode, line: GraphLine): Run | 'both' {
  const further = (run: Run) => list(node.more).some((place) => place.run === run && isAt(place, line));
  const [a, b] = (['a', 'b'] as const).map((run) => isAt(site(node, run), line) || further(run));
  return a === b ? 'both' : a ? 'a' : 'b';
}

export function lineTitle(line: GraphLine): string {
  const at = line.at;
  if (!at) return '?';
  if (line.whole_module) return at.module ?? '?';
  return placeText(at.line || !at.function ? at : { ...at, offset: 0 });
}

export function memberPlace({ node, run }: Member): Place | undefined {
  return (run === 'a' ? node.a : (node.b ?? node.a)) ?? undefined;
}

function functionsText(members: Member[]): string {
  const names = [...new Set(members.map((one) => memberPlace(one)?.function || memberPlace(one)?.module || ''))].filter((name) => name);
  return `${names[0] ?? 'a library'}${names.length > 1 ? ` and ${names.length - 1} more` : ''}`;
}

export function inputText(node: GraphNode): string {
  const at = node.input_b ?? node.input_a;
  return at?.offset === undefined ? (at?.call ?? '') : `byte ${count(at.offset)}`;
}

/** Which box a side of a node is in. */
function keyOf(
  model: Model, { node, run }: Member, numbers: Map<GraphLine, number>, line: GraphLine | undefined, expanded: boolean,
): [string, Box['kind']] {
  if (line) {
    const number = `l${numbers.get(line)}`;
    const at = memberPlace({ node, run });
    if (!expanded || !model.isLibrary(at)) return [number, 'line'];
    return [`${number} ${at?.module} ${at?.function || ''}`, 'library'];
  }
  const input = node.input_b ?? node.input_a;
  if (node.kind === 'input') return [`i ${input?.call} ${input?.input ?? node.id}`, 'input'];
  return [node.id, 'other'];
}

function describe(model: Model, box: Box): void {
  const { members, line } = box;
  const node = members[0]!.node;
  const lines = members.map((one) => model.lineOf.get(one.node.id)).filter((i) => i !== undefined);
  box.finding = lines.map((i) => model.answer[i]?.id).find((id) => id) ?? '';
  // Of what one run has nothing to set against, too.
  const alone = ({ a, b, kind }: GraphNode) => (kind === 'input' || !a === !b ? 'both' : a ? 'a' : 'b');
  const sides = new Set(members.map((one) => (one.run === 'both' ? alone(one.node) : one.run)));
  box.run = sides.size === 1 ? [...sides][0]! : 'both';
  box.isApart = members.every((one) => one.node.kind === 'unaligned' || one.node.kind === 'single');
  if (box.kind === 'library') {
    const at = memberPlace(members[0]!);
    box.title = at?.function || at?.module || '?';
    box.text = `${at?.module ?? ''}, for ${lineTitle(line!)}`;
  } else if (line) {
    box.title = lineTitle(line);
    const calls = !line.whole_module && members.some((one) => model.isLibrary(memberPlace(one)));
    box.text = (!line.whole_module && line.text) || (calls ? 'calls ' : 'in ') + functionsText(members);
    box.suspicion = model.suspicionOf(line);
  } else if (box.kind === 'input') {
    const at = node.input_b ?? node.input_a;
    box.title = at?.call ? `input by ${at.call}` : 'input';
    const name = baseName(at?.input);
    const what = members.length > 1 ? `${count(members.length)} places` : inputText(node);
    box.text = [name, what].filter((part) => part).join(', ');
  } else {
    const at = node.b ?? node.a;
    box.title = `${node.id} ${placeText(at)}`;
    box.text = at?.instruction ?? '';
  }
}

export function boxesOf(model: Model, expanded: boolean): Boxes {
  const all = new Map<string, Box>();
  const of = new Map<string, string[]>();
  const numbers = new Map(model.lines.map((line, i) => [line, i]));
  const add = (node: GraphNode, line: GraphLine | undefined, run: Run | 'both') => {
    const [id, kind] = keyOf(model, { node, run }, numbers, line, expanded);
    let box = all.get(id);
    if (!box) all.set(id, (box = { id, kind, members: [], line, title: '', text: '', run: 'both', isApart: false, finding: '' }));
    box.members.push({ node, run });
    const known = of.get(node.id);
    if (!known) of.set(node.id, [id]);
    else if (run === 'b') known.unshift(id);
    else known.push(id);
  };
  for (const node of model.nodes) {
    const lines = model.linesOf.get(node.id);
    if (!lines) add(node, undefined, 'both');
    else for (const line of lines) add(node, line, lines.length === 1 ? 'both' : sideIn(node, line));
  }
  for (const box of all.values()) describe(model, box);
  return { all, of };
}

/** At most `limit` boxes: what the answer tells, then what is nearest to the targets, breadth-first. */
export function nearest(model: Model, { all, of }: Boxes, limit: number): { boxes: Box[]; links: Link[] } {
  const chosen = new Set<string>();
  const add = (ids: string[] | undefined) => {
    for (const id of ids ?? []) if (chosen.size < limit) chosen.add(id);
  };
  for (const node of model.nodes) if (node.target) add(of.get(node.id));
  for (const line of model.answer.slice(0, limit)) if (!line.isQuiet) for (const id of list(line.nodes).slice(0, limit)) add(of.get(id));
  // A set that grows is iterated to its new end.
  for (const id of chosen)
    for (const { node } of all.get(id)!.members) for (const edge of model.reads.get(node.id) ?? []) add(of.get(edge.to));
  for (const id of all.keys()) {
    if (chosen.size >= limit) break;
    chosen.add(id);
  }
  const links = new Map<string, Link>();
  const sides = new Map([...chosen].map((id) => [id, new Map(all.get(id)!.members.map((one) => [one.node.id, one.run]))]));
  for (const id of chosen)
    for (const { node, run } of all.get(id)!.members)
      for (const edge of model.reads.get(node.id) ?? [])
        for (const to of of.get(edge.to)!) {
          if (to === id || !chosen.has(to)) continue;
          const key = `${id} > ${to}`;
          const link = links.get(key) ?? { from: id, to, edges: [] };
          const other = sides.get(to)!.get(edge.to)!;
          link.edges.push({ edge, run: run === 'both' ? other : run });
          links.set(key, link);
        }
  return { boxes: [...chosen].map((id) => all.get(id)!), links: [...links.values()] };
}

/** What a link carries: a name, and its values in the runs that its ends are of. */
export function linkText(link: Link): string[] {
  const { edge, run } = link.edges.find((one) => one.edge.value_a || one.edge.value_b) ?? link.edges[0]!;
  if (edge.kind === 'control' && !edge.value_a && !edge.value_b) return ['decides'];
  const name = edge.name ?? (edge.place && !/^0x/.test(edge.place) ? edge.place : '');
  const values = [
    run !== 'b' && edge.value_a ? `A ${brief(edge.value_a, 12)}` : '',
    run !== 'a' && edge.value_b ? `B ${brief(edge.value_b, 12)}` : '',
  ].filter((text) => text);
  return [brief(name, 24), values.join('  ')].filter((text) => text);
}
