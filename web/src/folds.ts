// SPDX-License-Identifier: MIT
// Instructions of one library that follow each other are one row, until it is opened.
import type { GraphNode, Model, Place, Run } from './data';
import { count } from './text';

export interface Stretch<T> {
  items: T[];
  library: string; // its module; empty: the program's own instructions
  functions: string[];
}

export function sideOf(node: GraphNode, run: Run): Place | undefined {
  return (run === 'a' ? (node.a ?? node.b) : (node.b ?? node.a)) ?? undefined;
}

/** What belongs together of items that follow each other, by where they are. */
export function stretches<T>(model: Model, items: T[], placeOf: (item: T) => Place | undefined): Stretch<T>[] {
  const out: Stretch<T>[] = [];
  for (const item of items) {
    const at = placeOf(item);
    const library = model.isLibrary(at) ? (at?.module ?? '') : '';
    let last = out[out.length - 1];
    if (!last || !library || last.library !== library) out.push((last = { items: [], library, functions: [] }));
    last.items.push(item);
    const name = at?.function ?? '';
    if (name && !last.functions.includes(name)) last.functions.push(name);
  }
  return out;
}

/** "8 in libc.so.6: __strcpy_avx2 and 2 more". */
export function stretchText<T>(of: Stretch<T>): string {
  const [first, ...further] = of.functions;
  return `${count(of.items.length)} in ${of.library}${first ? `: ${first}` : ''}${further.length ? ` and ${further.length} more` : ''}`;
}
