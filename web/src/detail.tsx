// SPDX-License-Identifier: MIT
// Everything about the selected node: both instructions, their values, who wrote those, and why the
// instructions correspond or not.
import { list, type Cell, type GraphEdge, type GraphNode, type Input, type Model, type Place } from './data';
import { useMore } from './more';
import type { Selection } from './select';
import { SuspicionBar } from './suspicion';
import { brief, count, linkTo, placeText, Text } from './text';

const ROWS = 40;

function instructions(n: number | undefined): string {
  return n === 1 ? '1 instruction' : `${count(n)} instructions`;
}

function relation(node: GraphNode): string {
  const only = `A executed ${instructions(node.only_a)} by itself there, B ${instructions(node.only_b)}.`;
  switch (node.kind) {
    case 'input':
      return 'Bytes that came from outside the program: the chain of writers ends here.';
    case 'aligned':
      return 'The instructions correspond: both runs executed them at the same structural index (same calls, branches and times round).';
    case 'single':
      return `Only ${node.a ? 'A' : 'B'} executed this, in a stretch that the other run does not have.`;
    case 'unaligned':
      break;
    default:
      return '';
  }
  switch (node.divergence) {
    case 'extra execution':
      return `They do not correspond. B executed something that A did not (extra execution). ${only}`;
    case 'execution omission':
      return `They do not correspond. B left out something that A executed (execution omission). ${only}`;
    case 'execution difference':
      return `They do not correspond: the runs went different ways (execution difference). ${only}`;
    case 'wild write':
      return 'They do not correspond although both runs executed both instructions: one wrote to another place (wild write).';
    default:
      return `They do not correspond. ${only}`;
  }
}

function InputText({ of }: { of: Input | undefined }) {
  if (!of) return null;
  return (
    <>
      <code>{brief(of.call ?? '', 40)}</code> <Text of={of.input ?? ''} max={120} />
      {of.offset !== undefined && `, byte ${count(of.offset)}`}
    </>
  );
}

function PlaceCell({ at }: { at: Place | null | undefined }) {
  if (!at) return <td class="none">not executed</td>;
  return (
    <td>
      <div class="at"><Text of={placeText(at)} max={80} /></div>
      <div class="note">
        <Text of={at.function || '?'} max={80} />
        {at.offset !== undefined && `+0x${at.offset.toString(16)}`} in <Text of={at.module ?? '?'} max={60} />
      </div>
    </td>
  );
}

function edgeKind(edge: GraphEdge): string {
  if (edge.kind === 'control') return 'decides whether it runs';
  return edge.address ? 'address' : 'value';
}

function Edges({ title, edges, other, onNode }: {
  title: string; edges: GraphEdge[]; other: (edge: GraphEdge) => GraphNode | undefined; onNode: (id: string) => void;
}) {
  const [shown, more] = useMore(edges, ROWS, 'value');
  if (edges.length === 0) return null;
  return (
    <table class="edges">
      <thead>
        <tr><th>{title}</th><th>what</th><th>as</th><th><b class="letter a">A</b></th><th><b class="letter b">B</b></th></tr>
      </thead>
      <tbody>
        {shown.map((edge) => {
          const node = other(edge);
          return (
            <tr>
              <td>
                <button class="jump" onClick={() => node && onNode(node.id)}>{brief(node?.id ?? '', 12)}</button>{' '}
                <span class="at">{brief(placeText(node?.b ?? node?.a), 40)}</span>
              </td>
              <td class="mono">
                <Text of={edge.name ?? edge.place ?? ''} max={60} />
                {edge.name && edge.place && edge.name !== edge.place && <div class="note">{brief(edge.place, 40)}</div>}
              </td>
              <td class="note">{edgeKind(edge)}</td>
              <td class="mono"><Text of={edge.value_a ?? ''} max={80} /></td>
              <td class="mono">
                <Text of={edge.value_b ?? ''} max={80} />
                {edge.value_a !== undefined && edge.value_b !== undefined && edge.value_a !== edge.value_b && <b class="differs" title="differs"> ≠</b>}
              </td>
            </tr>
          );
        })}
        {more && <tr><td colSpan={5}>{more}</td></tr>}
      </tbody>
    </table>
  );
}

function CellDetail({ cell }: { cell: Cell }) {
  const range = ([from, to]: [number, number]) => (from === to ? `none (at ${count(from)})` : `${count(from)} to ${count(to - 1)}`);
  return (
    <section class="detail">
      <h3>{cell.divergences ? 'Stretch where the runs part' : 'Stretch that both runs executed'}</h3>
      <p>
        {count(cell.aligned)} instructions correspond, {count(cell.only_a)} are only A's, {count(cell.only_b)} only B's
        {(cell.divergences ?? 0) > 1 && `, in ${count(cell.divergences)} places`}.
      </p>
      <table>
        <tr><th><b class="letter a">A</b> steps</th><td>{range(cell.a)}</td></tr>
        <tr><th><b class="letter b">B</b> steps</th><td>{range(cell.b)}</td></tr>
        {cell.at && <tr><th>they part at</th><PlaceCell at={cell.at} /></tr>}
      </table>
    </section>
  );
}

/** The instructions that the selected line of the answer has. */
function Siblings({ ids, node, onNode }: { ids: string[]; node: string; onNode: (id: string) => void }) {
  const [shown, more] = useMore(ids, ROWS, 'instruction');
  if (ids.length < 2) return null;
  return (
    <p class="siblings">
      {shown.map((id) => (
        <button class={id === node ? 'chosen' : ''} onClick={() => onNode(id)}>{brief(id, 12)}</button>
      ))}
      {more}
    </p>
  );
}

function Also({ of }: { of: Place[] }) {
  const [shown, more] = useMore(of, 10, 'place');
  return (
    <>
      {shown.map((place) => (
        <tr>
          <th>also</th>
          {place.run === 'b' ? <td /> : <PlaceCell at={place} />}
          {place.run === 'b' ? <PlaceCell at={place} /> : <td />}
        </tr>
      ))}
      {more && <tr><th /><td colSpan={2}>{more}</td></tr>}
    </>
  );
}

function NodeDetail({ model, selection, node, onNode }: { model: Model; selection: Selection; node: GraphNode; onNode: (id: string) => void }) {
  const line = selection.line === undefined ? undefined : model.answer[selection.line];
  const reads = model.reads.get(node.id) ?? [];
  const readers = model.readers.get(node.id) ?? [];
  const suspicion = list(model.linesOf.get(node.id)).map((one) => model.suspicionOf(one)).find((one) => one);
  return (
    <section class="detail" data-node={brief(node.id, 12)}>
      <h3>
        <a href={linkTo(node.id)} onClick={(event) => { event.preventDefault(); onNode(node.id); }}>{brief(node.id, 12)}</a>
        {node.target && <span class="tag">◎ what is explained</span>}
        {node.decides && <span class="tag">◇ decides which way the runs go</span>}
        {node.no_cause && <span class="tag">no cause was found</span>}
        {node.divergence && <span class="tag">≠ {brief(node.divergence, 40)}</span>}
        {suspicion && (
          <span class="tag"><SuspicionBar of={suspicion} /> suspicion: number {count(suspicion.rank)} of {count(suspicion.of)} lines</span>
        )}
      </h3>
      <Siblings ids={model.nodesOf(line)} node={node.id} onNode={onNode} />
      <p>{relation(node)}</p>
      <table class="sides">
        <thead><tr><th></th><th><b class="letter a">A</b></th><th><b class="letter b">B</b></th></tr></thead>
        <tbody>
          {(node.a || node.b) && (
            <>
              <tr><th>place</th><PlaceCell at={node.a} /><PlaceCell at={node.b} /></tr>
              <tr>
                <th>instruction</th>
                <td class="mono"><Text of={node.a?.instruction ?? ''} max={120} /></td>
                <td class="mono"><Text of={node.b?.instruction ?? ''} max={120} /></td>
              </tr>
            </>
          )}
          {(node.input_a || node.input_b) && (
            <tr><th>input</th><td><InputText of={node.input_a} /></td><td><InputText of={node.input_b} /></td></tr>
          )}
          {(node.caller_a || node.caller_b) && (
            <tr>
              <th>called from</th>
              <td><Text of={placeText(node.caller_a)} max={80} /></td>
              <td><Text of={placeText(node.caller_b)} max={80} /></td>
            </tr>
          )}
          {(node.a?.step || node.b?.step) && (
            <tr>
              <th>step</th>
              <td class="mono">{brief(node.a?.step ?? '', 40)}</td>
              <td class="mono">{brief(node.b?.step ?? '', 40)}</td>
            </tr>
          )}
          <Also of={list(node.more)} />
        </tbody>
      </table>
      <Edges title="written by" edges={reads} other={(edge) => model.byId.get(edge.to)} onNode={onNode} />
      <Edges title="used by" edges={readers} other={(edge) => model.byId.get(edge.from)} onNode={onNode} />
    </section>
  );
}

export function Detail(props: { model: Model; selection: Selection; onNode: (id: string) => void }) {
  const { model, selection } = props;
  if (selection.cell) {
    const cell = list(list(model.data.timeline?.threads)[selection.cell[0]]?.cells)[selection.cell[1]];
    return cell ? <CellDetail cell={cell} /> : null;
  }
  const node = selection.node === undefined ? undefined : model.byId.get(selection.node);
  if (!node) return <section class="detail"><p class="empty">Select a line or a node.</p></section>;
  return <NodeDetail {...props} node={node} />;
}
