// SPDX-License-Identifier: MIT
// What the page is made from: the JSON block that `twinrun report` puts in. Every field may be
// missing: older and newer programs write less or more.

export type Run = 'a' | 'b';

export interface Place {
  module?: string;
  function?: string; // as people know it
  symbol?: string; // when that is another name
  offset?: number;
  file?: string;
  line?: number;
  step?: string;
  instruction?: string;
  run?: Run;
}

export interface Input {
  call?: string;
  input?: string;
  offset?: number;
}

export interface GraphNode {
  id: string;
  kind?: string;
  divergence?: string;
  target?: boolean;
  decides?: boolean;
  no_cause?: boolean;
  a?: Place | null;
  b?: Place | null;
  caller_a?: Place;
  caller_b?: Place;
  input_a?: Input;
  input_b?: Input;
  only_a?: number;
  only_b?: number;
  more?: Place[];
}

export interface GraphEdge {
  from: string;
  to: string;
  kind?: string;
  address?: boolean;
  name?: string;
  place?: string;
  value_a?: string;
  value_b?: string;
}

export interface Line {
  id?: string | null;
  text: string; // all of it in one piece
  // In its parts.
  run?: string; // "A" or "B", of what only one did
  place?: string;
  source?: string; // of the source; without a place a sentence
  name?: string;
  value_a?: string;
  value_b?: string;
  remark?: string;
  nodes?: string[];
  places?: { run: Run; file: string; line: number }[];
  aside?: boolean; // not on the way: what else is suspicious
  first_wrong?: boolean;
  telling?: boolean; // false: it says little, a brace by itself
  left_out?: Line[]; // in front of it, because the way would be too long
}

/** A line of the source that the graph has, and its instructions. */
export interface GraphLine {
  run?: string; // "a", "b" or "both"
  at?: Place;
  text?: string; // of the source, or an instruction
  whole_module?: boolean; // all that is done in the module
  library?: boolean; // what a library did by itself
  decides?: boolean;
  statement?: number; // number in Why.statements
  nodes?: string[];
}

/** A line of the source that is told beside the way, and why. */
export interface Told {
  what?: string;
  place?: string;
  text?: string;
  remark?: string;
  file?: string;
  line?: number;
}

export interface Side {
  recording?: string;
  command?: string;
  end?: string;
  instructions?: number;
  prefix?: string;
}

/** A line of the source that the graph, or what it was computed from, is about. */
export interface Statement {
  file?: string;
  line?: number;
  run?: string; // "a", "b" or "both"
  suspicion?: number; // to compare lines by; the list has the most suspicious first
}

/** A line that is shown, or at first only counted. */
export type AnswerLine = Line & { isQuiet: boolean };

/** How suspicious a line is among those that have been judged. */
export interface Suspicion {
  rank: number; // 1: the most suspicious
  of: number; // lines of the graph and those that helped
  share: number; // of the way from the least suspicious line to the most
}

export interface Why {
  result?: string;
  a?: Side;
  b?: Side;
  program?: string;
  programs?: string[];
  verdict?: string;
  sentences?: string[];
  details?: Told[]; // of the misuse of memory that is told
  look_first?: Told[];
  misuse?: { node?: string }[];
  target?: { kind?: string; text?: string; a?: string; b?: string } | null;
  answer?: Line[];
  statements?: Statement[];
  statements_left_out?: number; // the less suspicious ones
  basic_statements?: number; // lines that the graph has
  graph?: { nodes?: GraphNode[]; edges?: GraphEdge[]; cut?: boolean };
  alignment?: { aligned?: number; only_a?: number; only_b?: number; divergences?: number };
  notes?: string[];
}

export interface FunctionRow {
  module?: string;
  function?: string;
  address?: string;
  library?: boolean;
  calls?: [number, number];
  instructions?: [number, number];
  divergences?: number;
  only_a?: number;
  only_b?: number;
  accesses?: number;
  different?: number;
  first?: { name?: string; value_a?: string; value_b?: string; file?: string; line?: number };
}

/** A stretch of the aligned runs; several regions in one when there are many. */
export interface Cell {
  a: [number, number];
  b: [number, number];
  aligned?: number;
  only_a?: number;
  only_b?: number;
  divergences?: number;
  at?: Place;
}

export interface Thread {
  a?: string | null;
  b?: string | null;
  note?: string;
  cells?: Cell[];
}

export interface Source {
  file: string;
  lines?: number; // of the whole file
  chunks?: { first: number; text: string[] }[];
  a?: [number, number][]; // line and how often it was executed
  b?: [number, number][];
}

export interface PageData {
  schema?: string;
  version?: string;
  why?: Why;
  headline?: Place; // what the first sentence is about
  lines?: GraphLine[];
  names?: Record<string, string>; // of symbols that people know by another name
  functions?: { rows?: FunctionRow[]; different?: number; same?: number; values?: boolean };
  timeline?: { threads?: Thread[]; left_out?: number };
  sources?: Source[];
  notes?: string[];
}

/** The data with indexes over it. */
export class Model {
  readonly why: Why;
  readonly answer: AnswerLine[];
  readonly lines: GraphLine[];
  readonly nodes: GraphNode[];
  readonly edges: GraphEdge[];
  readonly byId = new Map<string, GraphNode>();
  readonly reads = new Map<string, GraphEdge[]>(); // by the node that reads
  readonly readers = new Map<string, GraphEdge[]>(); // by the node that wrote
  readonly lineOf = new Map<string, number>(); // first line of the answer that tells a node
  readonly sources = new Map<string, Source>();
  readonly linesOf = new Map<string, GraphLine[]>(); // of the source, by node
  /** Lines beside those of the graph: what differs was computed with their help. */
  readonly helping: number;
  private readonly own: Set<string>; // modules
  private readonly hasOwnText: boolean;
  private readonly suspicions: Suspicion[] = []; // by statement
  private readonly suspicionAt = new Map<string, Suspicion>(); // by file and line

  constructor(readonly data: PageData) {
    this.why = data.why ?? {};
    const isLine = (line: Line) => line && typeof line.text === 'string';
    this.answer = list(this.why.answer).filter(isLine).flatMap((line) => [
      ...list(line.left_out).filter(isLine).map((one) => ({ ...one, id: null, isQuiet: true })),
      { ...line, isQuiet: line.telling === false && !line.id },
    ]);
    this.own = new Set([...list(this.why.programs), this.why.program ?? '']);
    this.nodes = list(this.why.graph?.nodes).filter((node) => node && typeof node.id === 'string');
    for (const node of this.nodes) this.byId.set(node.id, node);
    this.name(list(data.lines).map((line) => line?.at));
    for (const node of this.nodes) this.name([node.a, node.b, node.caller_a, node.caller_b, ...list(node.more)]);
    this.edges = list(this.why.graph?.edges).filter(
      (edge) => edge && this.byId.has(edge.from) && this.byId.has(edge.to),
    );
    for (const edge of this.edges) {
      push(this.reads, edge.from, edge);
      push(this.readers, edge.to, edge);
    }
    for (const quiet of [false, true])
      this.answer.forEach((line, i) => {
        if (line.isQuiet !== quiet) return;
        for (const id of list(line.nodes)) if (!this.lineOf.has(id)) this.lineOf.set(id, i);
      });
    this.lines = list(data.lines).filter((line) => line && list(line.nodes).some((id) => this.byId.has(id)));
    for (const line of this.lines) for (const id of list(line.nodes)) push(this.linesOf, id, line);
    for (const source of list(data.sources)) if (source?.file) this.sources.set(source.file, source);
    this.hasOwnText = list(data.sources).some((source) => source?.file && !isOfSystem(source.file) && list(source.chunks).length > 0);
    const judged = list(this.why.statements);
    const inAll = judged.length + (this.why.statements_left_out ?? 0);
    this.helping = Math.max(0, inAll - (this.why.basic_statements ?? inAll));
    const all = judged.map((one) => one?.suspicion ?? NaN).filter(Number.isFinite);
    const most = all.reduce((x, y) => Math.max(x, y), -Infinity);
    const least = all.reduce((x, y) => Math.min(x, y), Infinity);
    judged.forEach((one, i) => {
      if (!Number.isFinite(one?.suspicion)) return;
      const share = most > least ? ((one.suspicion ?? 0) - least) / (most - least) : 1;
      const found = { rank: i + 1, of: inAll, share };
      this.suspicions[i] = found;
      const key = `${one.file}:${one.line}`;
      if (one.file && one.line && !this.suspicionAt.has(key)) this.suspicionAt.set(key, found);
    });
  }

  private name(places: (Place | null | undefined)[]): void {
    const names = this.data.names ?? {};
    for (const place of places) {
      if (!place?.function || !Object.hasOwn(names, place.function)) continue;
      place.symbol = place.function;
      place.function = names[place.function];
    }
  }

  /** Of a line of the source. */
  suspicion(file: string, line: number): Suspicion | undefined {
    return this.suspicionAt.get(`${file}:${line}`);
  }

  suspicionOf(line: GraphLine | undefined): Suspicion | undefined {
    return line?.statement === undefined ? undefined : this.suspicions[line.statement];
  }

  /** Where a node is in the source of one run: its own line, or the program's call that led to it. */
  place(node: GraphNode, run: Run): Place | undefined {
    const own = (run === 'a' ? node.a : node.b) ?? undefined;
    const caller = run === 'a' ? node.caller_a : node.caller_b;
    // The program's call tells more than a header of the system.
    const tellsLess = own?.file && isOfSystem(own.file) && caller?.file && this.hasText(caller.file);
    if (own?.file && this.hasText(own.file) && !tellsLess) return own;
    if (caller?.file) return caller;
    return own;
  }

  /** The nearest node whose line can be shown: of those that one was computed from, else of its users. */
  nearestWithText(node: GraphNode, run: Run): { node: GraphNode; place: Place & { file: string; line: number } } | undefined {
    return this.search(node, run, (id) => (this.reads.get(id) ?? []).map((edge) => edge.to)) ??
      this.search(node, run, (id) => (this.readers.get(id) ?? []).map((edge) => edge.from));
  }

  private search(node: GraphNode, run: Run, next: (id: string) => string[]) {
    const seen = new Set([node.id]);
    for (const from of seen) {
      if (seen.size > 500) return undefined;
      for (const id of next(from)) {
        const found = this.byId.get(id)!;
        const place = this.place(found, run);
        if (place?.file && place.line && this.hasText(place.file))
          return { node: found, place: { ...place, file: place.file, line: place.line } };
        seen.add(id);
      }
    }
    return undefined;
  }

  /** Headers of the system tell nothing of a program that has no source itself. */
  hasText(file: string): boolean {
    return (this.hasOwnText || !isOfSystem(file)) && (this.sources.get(file)?.chunks?.length ?? 0) > 0;
  }

  /** Code of a library, not of a program that was recorded. */
  isLibrary(at: Place | null | undefined): boolean {
    return !!this.why.program && !!at?.module && !this.own.has(at.module);
  }

  /** The nodes of a line of the answer that the page has. */
  nodesOf(line: Line | undefined): string[] {
    return [...new Set(list(line?.nodes))].filter((id) => this.byId.has(id));
  }

  /** A node at a line of the source, of the second run rather than the first. */
  nodeAt(file: string | undefined, line: number | undefined): string | undefined {
    if (!file || !line) return undefined;
    for (const run of ['b', 'a'] as const) {
      const found = this.nodes.find((node) =>
        [run === 'a' ? node.a : node.b, run === 'a' ? node.caller_a : node.caller_b]
          .some((place) => place?.file === file && place.line === line));
      if (found) return found.id;
    }
    return undefined;
  }

  /** Number of the line of the answer that has this finding. */
  finding(id: string): number {
    return this.answer.findIndex((line) => line.id === id);
  }
}

function isOfSystem(file: string): boolean {
  return file.startsWith('/usr/');
}

export function list<T>(value: T[] | null | undefined): T[] {
  return Array.isArray(value) ? value : [];
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const found = map.get(key);
  if (found) found.push(value);
  else map.set(key, [value]);
}
