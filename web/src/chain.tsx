// SPDX-License-Identifier: MIT
// The answer, line by line, from what differs at the end back to what began it.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { list, type AnswerLine, type GraphNode, type Line, type Model, type Run, type Told } from './data';
import { sideOf, stretches, stretchText } from './folds';
import { useMore } from './more';
import type { Selection } from './select';
import { SuspicionBar } from './suspicion';
import { brief, count, linkTo, placeText, Text } from './text';

const STEP = 200;
const NODES = 60;

/** What a line without a source text does: its first instruction, or which library function it calls. */
function doing(model: Model, line: Line): string {
  const node = model.byId.get(model.nodesOf(line)[0] ?? '');
  const at = node && sideOf(node, runOf(line));
  if (!model.isLibrary(at)) return at?.instruction ?? '';
  return at?.function || at?.module ? `calls ${at.function || at.module}` : '';
}

/** Code without debug information: the instructions are all there is to see of it, and more than the line says. */
function isBare(model: Model, line: Line): boolean {
  return !!line.place && list(line.places).length === 0 && model.nodesOf(line).length > 1;
}

function runOf(line: Line): Run {
  return line.run === 'A' ? 'a' : 'b';
}

function Value({ run, of }: { run: Run; of: string | undefined }) {
  return <span class={`value ${run}`}><b>{run.toUpperCase()}</b> <Text of={of || 'nothing'} max={120} /></span>;
}

/** A line's parts: whose, where, code or a sentence, what differs, what there is to say. */
function LineText({ model, line }: { model: Model; line: AnswerLine }) {
  if (line.source === undefined && line.place === undefined) return <span class="words"><Text of={line.text} max={200} /></span>;
  const source = line.source ?? doing(model, line);
  return (
    <>
      {line.run && <b class={`letter ${line.run.toLowerCase()}`}>{brief(line.run, 2)}</b>}
      {line.place && <span class="at"><Text of={line.place} max={60} /></span>}
      {source && <span class={line.place ? 'mono' : 'words'}><Text of={source} max={200} /></span>}
      {(line.value_a || line.value_b) && (
        <span class="values">
          {line.name && <code><Text of={line.name} max={60} /></code>}
          <Value run="a" of={line.value_a} /> <Value run="b" of={line.value_b} />
        </span>
      )}
      {line.remark && <span class="remark"><Text of={line.remark} max={120} /></span>}
      {line.first_wrong && <strong class="tag">◀ first wrong state</strong>}
    </>
  );
}

function NodeRow({ model, node, run, chosen, onNode }: {
  model: Model; node: GraphNode; run: Run; chosen: boolean; onNode: (id: string) => void;
}) {
  const at = sideOf(node, run);
  const differs = list(model.reads.get(node.id)).find((edge) => edge.value_a && edge.value_b && edge.value_a !== edge.value_b);
  return (
    <li>
      <button class={chosen ? 'chosen' : ''} onClick={() => onNode(node.id)}>
        <span class="id">{brief(node.id, 12)}</span>
        <span class="at">{brief(placeText(at), 50)}</span>
        <span class="mono">{brief(at?.instruction ?? at?.function ?? '', 80)}</span>
        {differs && (
          <span class="values">
            <span class="value a"><b>A</b> {brief(differs.value_a, 24)}</span> <span class="value b"><b>B</b> {brief(differs.value_b, 24)}</span>
          </span>
        )}
      </button>
    </li>
  );
}

/** The instructions of a line; those of a library are one row until that is opened. */
function NodeRows({ model, line, selection, expanded, onNode }: {
  model: Model; line: Line; selection: Selection; expanded: boolean; onNode: (id: string) => void;
}) {
  const [opened, setOpened] = useState<number[]>([]);
  const run = runOf(line);
  const [ids, more] = useMore(model.nodesOf(line), NODES, 'instruction');
  return (
    <ul class="inner">
      {stretches(model, ids.map((id) => model.byId.get(id)!), (node) => sideOf(node, run)).map((stretch, i) => {
        const isFold = stretch.library !== '' && stretch.items.length > 1;
        const isOpen = expanded || !isFold || opened.includes(i);
        return (
          <>
            {isFold && (
              <li>
                <button class="fold" aria-expanded={isOpen} onClick={() => setOpened(isOpen ? opened.filter((one) => one !== i) : [...opened, i])}>
                  {isOpen ? '▾' : '▸'} {brief(stretchText(stretch), 90)}
                </button>
              </li>
            )}
            {isOpen && stretch.items.map((node) => <NodeRow model={model} node={node} run={run} chosen={selection.node === node.id} onNode={onNode} />)}
          </>
        );
      })}
      {more && <li>{more}</li>}
    </ul>
  );
}

/** Lines that are told beside the way: how a misuse of memory came about, what is most suspicious. */
function ToldRows({ model, title, rows, onTold }: { model: Model; title: string; rows: Told[]; onTold: (told: Told) => void }) {
  const [shown, more] = useMore(rows, STEP, 'line');
  if (rows.length === 0) return null;
  return (
    <section class="beside" aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {shown.map((row) => (
          <li>
            <button onClick={() => onTold(row)} disabled={!row.file}>
              {!row.what && row.file && row.line && <SuspicionBar of={model.suspicion(row.file, row.line)} />}
              {row.what && <span class="what">{brief(row.what, 20)}</span>}
              <span class="at">{brief(row.place, 60)}</span>
              <span class="mono">{brief(row.text, 120)}</span>
              {row.remark && <span class="remark">{brief(row.remark, 120)}</span>}
            </button>
          </li>
        ))}
      </ul>
      {more}
    </section>
  );
}

/** Where the quiet lines stand that belong together, by their first one: how many there are. */
export function quietFrom(answer: AnswerLine[], i: number): [number, number] {
  let from = i;
  while (from > 0 && answer[from - 1]!.isQuiet) --from;
  let end = i;
  while (end < answer.length && answer[end]!.isQuiet) ++end;
  return [from, end];
}

export interface ChainProps {
  model: Model;
  selection: Selection;
  expanded: boolean;
  limit: number;
  quiet: number[]; // first lines of the stretches of quiet lines that are shown
  onQuiet: (first: number) => void;
  onLine: (line: number) => void;
  onNode: (id: string) => void;
  onTold: (told: Told) => void;
  onMore: () => void;
  onGraph: () => void;
}

function Row(props: ChainProps & { i: number; line: AnswerLine; open: boolean; onOpen: () => void }) {
  const { model, selection, line, i, open } = props;
  const isCurrent = selection.line === i;
  const current = useRef<HTMLLIElement>(null);
  // At first what stands in front of the way is to be seen, unless the address asks for a line.
  const isReady = useRef(location.hash !== '');
  useLayoutEffect(() => {
    if (isCurrent && isReady.current) current.current?.scrollIntoView({ block: 'nearest' });
    isReady.current = true;
  }, [isCurrent, props.expanded]);
  const id = line.id ?? undefined;
  const nodes = model.nodesOf(line).length;
  // The next line tells the same instructions, and has the button.
  const next = model.answer[i + 1];
  const repeats = !!id && !!next && list(next.nodes).length === list(line.nodes).length && list(line.nodes).every((one, n) => one === next.nodes?.[n]);
  return (
    <li class={`line ${id ? 'finding' : ''} ${line.aside ? 'aside' : ''} ${line.isQuiet ? 'quiet' : ''} ${isCurrent ? 'current' : ''}`}
      data-line={i} ref={current} aria-current={isCurrent ? 'true' : undefined}>
      {line.aside && !model.answer[i - 1]?.aside && <h3>Also suspicious</h3>}
      <div class="told">
        <a href={linkTo(id ?? `L${i + 1}`)} onClick={(event) => { event.preventDefault(); props.onLine(i); }}>
          <span class="id">{id ? brief(id, 8) : ''}</span>
          <span class="text"><LineText model={model} line={line} /></span>
        </a>
        {nodes > 0 && !repeats && (
          <button class="opens" aria-expanded={open} aria-label={`${nodes} instructions`} title={`${count(nodes)} instruction${nodes === 1 ? '' : 's'}`}
            onClick={props.onOpen}>{open ? '▾' : '▸'} {count(nodes)}</button>
        )}
      </div>
      {open && nodes > 0 && !repeats && (
        <NodeRows model={model} line={line} selection={selection} expanded={props.expanded} onNode={props.onNode} />
      )}
    </li>
  );
}

function Extent({ model, onGraph }: { model: Model; onGraph: () => void }) {
  const lines = model.why.basic_statements ?? model.lines.length;
  if (lines === 0) return null;
  return (
    <p class="note extent">
      <button class="more" onClick={onGraph}>
        The graph has {model.why.graph?.cut && 'more than '}{count(lines)} line{lines === 1 ? '' : 's'}
      </button>
      {model.helping > 0 && <span title="they are marked ○ in the source">{count(model.helping)} more helped to compute what differs</span>}
    </p>
  );
}

export function Chain(props: ChainProps) {
  const { model, selection, expanded, limit } = props;
  const [toggled, setToggled] = useState<number[]>([]);
  const shown = model.answer.slice(0, limit);
  const left = model.answer.length - shown.length;
  const toggle = (i: number) => setToggled(toggled.includes(i) ? toggled.filter((one) => one !== i) : [...toggled, i]);
  const out = [];
  for (let i = 0; i < shown.length; ++i) {
    const line = shown[i]!;
    const [from, end] = line.isQuiet ? quietFrom(model.answer, i) : [i, i];
    const isOpen = props.quiet.includes(from) || (selection.line !== undefined && selection.line >= from && selection.line < end);
    if (line.isQuiet && i === from)
      out.push(
        <li class="quiet-fold" key={`quiet${i}`}>
          <button class="fold" aria-expanded={isOpen} onClick={() => props.onQuiet(from)}>
            {isOpen ? '▾' : '▸'} {count(end - from)} line{end - from === 1 ? '' : 's'} between
          </button>
        </li>,
      );
    if (line.isQuiet && !isOpen) continue;
    out.push(<Row {...props} key={i} i={i} line={line} open={expanded || isBare(model, line) !== toggled.includes(i)} onOpen={() => toggle(i)} />);
  }
  return (
    <div class="chain">
      <ToldRows model={model} title="How it came about" rows={list(model.why.details)} onTold={props.onTold} />
      <ToldRows model={model} title="Look first at" rows={list(model.why.look_first)} onTold={props.onTold} />
      <ol>{out}</ol>
      {left > 0 && <button class="more" onClick={props.onMore}>{count(left)} more lines</button>}
      <Extent model={model} onGraph={props.onGraph} />
      {model.answer.length === 0 && <p class="empty">There is nothing to tell: see the verdict.</p>}
    </div>
  );
}

export const CHAIN_STEP = STEP;
