// SPDX-License-Identifier: MIT
// The answer, line by line, from what differs at the end back to what began it.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { list, type Line, type Model, type Told } from './data';
import type { Selection } from './select';
import { brief, count, linkTo, placeText, Text } from './text';

const STEP = 200;

const PLACE = /^\S+(:\d+|\+0x[0-9a-f]+)$/;

/** A line's columns are two or more blanks apart: places, code, and values of A and B. */
function LineText({ text }: { text: string }) {
  const parts = text.length > 4000 ? [text] : text.split(/ {2,}/).filter((part) => part !== '');
  return (
    <>
      {parts.map((part, i) => {
        const value = /^([AB]): (.*)$/s.exec(part);
        if (part === 'A' || part === 'B') return <b class={`letter ${part.toLowerCase()}`}>{part}</b>;
        if (value)
          return (
            <span class={`value ${value[1]?.toLowerCase()}`}>
              <b>{value[1]}</b> <Text of={value[2]} max={120} />
            </span>
          );
        if (part.length < 400 && PLACE.test(part)) return <span class="at"><Text of={part} max={60} /></span>;
        if (part.startsWith('<--')) return <strong class="tag">◀ {visibleTag(part)}</strong>;
        const isCode = i > 0 && PLACE.test((parts[i - 1] ?? '').slice(-400));
        return <span class={isCode ? 'mono' : 'words'}><Text of={part} max={200} /></span>;
      })}
    </>
  );
}

function visibleTag(part: string): string {
  return brief(part.replace(/^<--\s*/, ''), 80);
}

function NodeRows({ model, line, selection, onNode }: {
  model: Model; line: Line; selection: Selection; onNode: (id: string) => void;
}) {
  const ids = model.nodesOf(line);
  // Of a line that is about one run, that run's instructions.
  const run = /^A {2}/.test(line.text) ? 'a' : 'b';
  return (
    <ul class="inner">
      {ids.slice(0, STEP).map((id) => {
        const node = model.byId.get(id)!;
        const at = run === 'a' ? (node.a ?? node.b) : (node.b ?? node.a);
        return (
          <li>
            <button class={selection.node === id ? 'chosen' : ''} onClick={() => onNode(id)}>
              <span class="id">{brief(id, 12)}</span>
              <span class="at">{brief(placeText(at), 50)}</span>
              <span class="mono">{brief(at?.instruction ?? at?.function ?? '', 80)}</span>
            </button>
          </li>
        );
      })}
      {ids.length > STEP && <li class="note">{count(ids.length - STEP)} more</li>}
    </ul>
  );
}

/** The next line tells the same nodes, and will list them. */
function repeats(line: Line, next: Line | undefined): boolean {
  const one = list(line.nodes);
  return !!line.id && list(next?.nodes).length === one.length && one.every((id, i) => next?.nodes?.[i] === id);
}

/** Lines that are told beside the way: how a misuse of memory came about, what is most suspicious. */
function ToldRows({ title, rows, onTold }: { title: string; rows: Told[]; onTold: (told: Told) => void }) {
  if (rows.length === 0) return null;
  return (
    <section class="beside" aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {rows.slice(0, STEP).map((row) => (
          <li>
            <button onClick={() => onTold(row)} disabled={!row.file}>
              {row.what && <span class="what">{brief(row.what, 20)}</span>}
              <span class="at">{brief(row.place, 60)}</span>
              <span class="mono">{brief(row.text, 120)}</span>
              {row.remark && <span class="note">{brief(row.remark, 120)}</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Chain(props: {
  model: Model;
  selection: Selection;
  expanded: boolean;
  limit: number;
  onLine: (line: number) => void;
  onNode: (id: string) => void;
  onTold: (told: Told) => void;
  onMore: () => void;
}) {
  const { model, selection, expanded, limit } = props;
  const current = useRef<HTMLLIElement>(null);
  // At first what stands in front of the way is to be seen, unless the address asks for a line.
  const isOpen = useRef(location.hash !== '');
  useLayoutEffect(() => {
    if (isOpen.current) current.current?.scrollIntoView({ block: 'nearest' });
    isOpen.current = true;
  }, [selection.line, expanded]);
  const shown = model.answer.slice(0, limit);
  const left = model.answer.length - shown.length;
  return (
    <div class="chain">
      <ToldRows title="How it came about" rows={list(model.why.details)} onTold={props.onTold} />
      <ToldRows title="Look first at" rows={list(model.why.look_first)} onTold={props.onTold} />
      <ol>
        {shown.map((line, i) => {
          const isCurrent = selection.line === i;
          const id = line.id ?? undefined;
          return (
            <li class={`line ${id ? 'finding' : ''} ${line.aside ? 'aside' : ''} ${isCurrent ? 'current' : ''}`} key={i}
              ref={isCurrent ? current : undefined} aria-current={isCurrent ? 'true' : undefined}>
              {line.aside && !model.answer[i - 1]?.aside && <h3>Also suspicious</h3>}
              <a class="told" href={linkTo(id ?? `L${i + 1}`)}
                onClick={(event) => { event.preventDefault(); props.onLine(i); }}>
                <span class="id">{id ? brief(id, 8) : ''}</span>
                <span class="text"><LineText text={line.text} /></span>
              </a>
              {expanded && list(line.nodes).length > 0 && !repeats(line, model.answer[i + 1]) && (
                <NodeRows model={model} line={line} selection={selection} onNode={props.onNode} />
              )}
            </li>
          );
        })}
      </ol>
      {left > 0 && <button class="more" onClick={props.onMore}>{count(left)} more lines</button>}
      {!!model.why.hidden && <p class="note">{count(model.why.hidden)} lines more in the graph (g)</p>}
      {model.answer.length === 0 && <p class="empty">There is nothing to tell: see the verdict.</p>}
    </div>
  );
}

export const CHAIN_STEP = STEP;
