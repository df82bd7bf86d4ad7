// SPDX-License-Identifier: MIT
// What is selected, and where that is in the source of each run.
import { list, type Model, type Place, type Run, type Told } from './data';

export interface Selection {
  line?: number; // of the answer
  node?: string;
  cell?: [number, number]; // thread and stretch of the timeline
  at?: { file: string; line: number }; // a line of the source that has no node
}

export interface Target {
  file: string;
  line: number;
  note: string; // why the pane shows this, when it is not simply the place
}

export function selectLine(model: Model, line: number): Selection {
  return { line, node: model.nodesOf(model.answer[line])[0] };
}

export function selectNode(model: Model, node: string, from?: Selection): Selection {
  // A line that tells the node and is selected already stays so.
  if (from?.line !== undefined && list(model.answer[from.line]?.nodes).includes(node)) return { line: from.line, node };
  return { line: model.lineOf.get(node), node };
}

export function selectTold(model: Model, told: Told, from?: Selection): Selection {
  const node = model.nodeAt(told.file, told.line);
  if (node) return selectNode(model, node, from);
  return told.file && told.line ? { at: { file: told.file, line: told.line } } : {};
}

/** What the page opens at: what the headline is about. */
export function selectHeadline(model: Model): Selection {
  const misuse = list(model.why.misuse)[0]?.node;
  if (misuse && model.byId.has(misuse)) return selectNode(model, misuse);
  const wrong = model.answer.findIndex((line) => line.first_wrong);
  if (wrong >= 0) return selectLine(model, wrong);
  const place = model.data.headline;
  const isAt = (at: { file?: string; line?: number } | undefined) => !!place?.line && at?.file === place.file && at?.line === place.line;
  const there = model.answer.findIndex((line) => !line.isQuiet && list(line.places).some(isAt));
  if (there >= 0) {
    // Rather an instruction that both runs executed there than one that A has elsewhere.
    const ofLine = list(model.lines.find((line) => isAt(line.at))?.nodes).filter((id) => model.byId.has(id));
    const isInBoth = (id: string) => (['a', 'b'] as const).every((run) => isAt(model.place(model.byId.get(id)!, run)));
    const node = [...model.nodesOf(model.answer[there]), ...ofLine].find(isInBoth);
    return node ? { line: there, node } : selectLine(model, there);
  }
  return model.answer.length ? selectLine(model, 0) : {};
}

/** The part of the address behind `#`; empty for nothing that can be linked to. */
export function fragmentOf(model: Model, selection: Selection): string {
  const line = selection.line === undefined ? undefined : model.answer[selection.line];
  const isFirst = selection.node === undefined || selection.node === model.nodesOf(line)[0];
  if (line?.id && isFirst) return line.id;
  if (line && isFirst) return `L${(selection.line ?? 0) + 1}`;
  return selection.node ?? '';
}

export function parseFragment(model: Model, fragment: string): Selection | undefined {
  const finding = model.finding(fragment);
  if (fragment && finding >= 0) return selectLine(model, finding);
  if (model.byId.has(fragment)) return selectNode(model, fragment);
  const line = /^L(\d{1,9})$/.exec(fragment);
  if (line && model.answer[Number(line[1]) - 1]) return selectLine(model, Number(line[1]) - 1);
  return undefined;
}

function known(place: Place | null | undefined): place is Place & { file: string; line: number } {
  return !!place?.file && !!place.line;
}

/** Where the pane of a run goes. Both panes move: a run that has no such place shows the other's. */
export function targetOf(model: Model, selection: Selection, run: Run): Target | undefined {
  const other: Run = run === 'a' ? 'b' : 'a';
  const letter = run.toUpperCase();
  if (selection.cell) {
    const at = list(list(model.data.timeline?.threads)[selection.cell[0]]?.cells)[selection.cell[1]]?.at;
    return known(at) ? { file: at.file, line: at.line, note: 'the runs part here' } : undefined;
  }
  if (selection.at) return { ...selection.at, note: '' };
  const node = selection.node === undefined ? undefined : model.byId.get(selection.node);
  const line = selection.line === undefined ? undefined : model.answer[selection.line];
  // A line of the answer can be about one run only; then its node knows the other's place.
  if (!node) {
    const at = list(line?.places).find((place) => place.run === run);
    return at && { file: at.file, line: at.line, note: '' };
  }
  const own = model.place(node, run);
  if (!(known(own) && model.hasText(own.file))) {
    const near = model.nearestWithText(node, run);
    if (near) return { file: near.place.file, line: near.place.line, note: `the nearest line with source, ${near.node.id}` };
  }
  if (known(own)) {
    const inner = run === 'a' ? node.a : node.b;
    const isCall = own !== inner && inner;
    return { file: own.file, line: own.line, note: isCall ? `calls ${inner.function || inner.module || 'a library'}` : '' };
  }
  const theirs = model.place(node, other);
  if (!known(theirs)) return undefined;
  const has = run === 'a' ? node.a : node.b;
  return { file: theirs.file, line: theirs.line, note: has ? '' : `${letter} did not execute this` };
}
