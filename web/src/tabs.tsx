// SPDX-License-Identifier: MIT
// The tabs beside the answer: functions that differ, and the runs themselves.
import { useMemo, useState } from 'preact/hooks';
import { list, type FunctionRow, type Model, type Side } from './data';
import { useMore } from './more';
import { baseName, brief, count, Text } from './text';

const STEP = 200;

type Key = 'name' | 'calls' | 'instructions' | 'divergences' | 'only' | 'values';
const pair = (values: [number, number] | undefined): [number, number] => [values?.[0] ?? 0, values?.[1] ?? 0];
const change = (values: [number, number] | undefined) => Math.abs(pair(values)[0] - pair(values)[1]);
const weight: Record<Exclude<Key, 'name'>, (row: FunctionRow) => number> = {
  calls: (row) => change(row.calls),
  instructions: (row) => change(row.instructions),
  divergences: (row) => row.divergences ?? 0,
  only: (row) => (row.only_a ?? 0) + (row.only_b ?? 0),
  values: (row) => row.different ?? 0,
};

function sign(values: [number, number] | undefined): [string, string] {
  const [a, b] = pair(values);
  if (a === b) return ['', 'the same'];
  if (a === 0) return ['+', 'only in B'];
  if (b === 0) return ['−', 'only in A'];
  return ['~', 'different'];
}

function Pair({ of }: { of: [number, number] | undefined }) {
  const [a, b] = pair(of);
  const [mark, words] = sign(of);
  return (
    <>
      <td class="number">{count(a)}</td>
      <td class="number">{count(b)}</td>
      <td class="sign" title={words}>{mark}</td>
    </>
  );
}

function FunctionCells({ row }: { row: FunctionRow }) {
  return (
    <tr>
      <td>
        <code><Text of={row.function || row.address || '?'} max={60} /></code>
        {row.library && <span class="note"> <Text of={baseName(row.module) || 'no file'} max={40} /></span>}
      </td>
      <Pair of={row.calls} />
      <Pair of={row.instructions} />
      <td class="number">{count(row.divergences)}</td>
      <td class="number">{count(row.only_a)}</td>
      <td class="number">{count(row.only_b)}</td>
      <td class="number">{row.accesses === undefined ? '-' : `${count(row.different)} of ${count(row.accesses)}`}</td>
      <td class="first">
        {row.first && (
          <>
            {row.first.file && <span class="at">{brief(baseName(row.first.file), 40)}:{row.first.line} </span>}
            <code><Text of={row.first.name ?? ''} max={60} /></code>{' '}
            <span class="value a"><b>A</b> <Text of={row.first.value_a ?? ''} max={40} /></span>{' '}
            <span class="value b"><b>B</b> <Text of={row.first.value_b ?? ''} max={40} /></span>
          </>
        )}
      </td>
    </tr>
  );
}

const COLUMNS = 12;

/** Rows that come when they are asked for. */
function MoreRows({ rows }: { rows: FunctionRow[] }) {
  const [shown, more] = useMore(rows, STEP, 'function', 1000);
  return (
    <>
      {shown.map((row) => <FunctionCells row={row} />)}
      {more && <tr class="rest"><td colSpan={COLUMNS}>{more}</td></tr>}
    </>
  );
}

/** The functions of one library: one row, until it is opened. */
function Library({ name, rows, isOpen, onToggle }: { name: string; rows: FunctionRow[]; isOpen: boolean; onToggle: () => void }) {
  return (
    <>
      <tr class="library">
        <td colSpan={COLUMNS}>
          <button class="fold" aria-expanded={isOpen} onClick={onToggle}>
            {isOpen ? '▾' : '▸'} <code>{brief(baseName(name) || 'no file', 60)}</code>{' '}
            {count(rows.length)} function{rows.length === 1 ? '' : 's'}
          </button>
        </td>
      </tr>
      {isOpen && <MoreRows rows={rows} />}
    </>
  );
}

export function Functions({ model, expanded }: { model: Model; expanded: boolean }) {
  const [key, setKey] = useState<Key | undefined>();
  const [filter, setFilter] = useState('');
  const [open, setOpen] = useState<string[]>([]);
  const all = list(model.data.functions?.rows);
  const [own, libraries] = useMemo(() => {
    const wanted = filter.toLowerCase();
    const rows = all.filter((row) => !wanted || `${row.function ?? ''} ${row.module ?? ''}`.toLowerCase().includes(wanted));
    if (key === 'name') rows.sort((x, y) => ((x.function ?? '') < (y.function ?? '') ? -1 : 1));
    else if (key) rows.sort((x, y) => weight[key](y) - weight[key](x));
    const byModule = new Map<string, FunctionRow[]>();
    for (const row of rows) {
      if (!row.library) continue;
      const found = byModule.get(row.module ?? '');
      if (found) found.push(row);
      else byModule.set(row.module ?? '', [row]);
    }
    return [rows.filter((row) => !row.library), byModule] as const;
  }, [all, key, filter]);
  const total = model.data.functions?.different ?? all.length;
  const ofProgram = all.filter((row) => !row.library).length;
  const head = (name: Key, text: string, columns: number) => (
    <th colSpan={columns} aria-sort={key === name ? 'descending' : undefined}>
      <button onClick={() => setKey(key === name ? undefined : name)}>{text}{key === name ? ' ▾' : ''}</button>
    </th>
  );
  const isOpen = (name: string) => expanded || filter !== '' || open.includes(name);
  const rows = own.length + [...libraries.values()].reduce((sum, one) => sum + one.length, 0);
  return (
    <div class="functions">
      <h2>Functions</h2>
      <p class="tools">
        <span class="extent">
          {count(total)} function{total === 1 ? ' differs' : 's differ'}
          {total === all.length && all.length > ofProgram && ` (${count(ofProgram)} of the program, ${count(all.length - ofProgram)} of libraries)`}
          , {count(model.data.functions?.same)} do not.
        </span>
        <input type="search" placeholder="filter by name" aria-label="filter by name" value={filter} maxLength={200}
          onInput={(event) => setFilter(event.currentTarget.value)} />
      </p>
      <div class="wide">
      <table>
        <thead>
          <tr>
            {head('name', 'function', 1)}{head('calls', 'calls', 3)}{head('instructions', 'own instructions', 3)}
            {head('divergences', 'diverges', 1)}{head('only', 'only', 2)}{head('values', 'values differ', 1)}
            <th>first different value</th>
          </tr>
          <tr class="letters">
            <th /><th><b class="letter a">A</b></th><th><b class="letter b">B</b></th><th />
            <th><b class="letter a">A</b></th><th><b class="letter b">B</b></th><th /><th />
            <th><b class="letter a">A</b></th><th><b class="letter b">B</b></th><th /><th />
          </tr>
        </thead>
        <tbody>
          <MoreRows rows={own} />
          {[...libraries].map(([name, found]) => (
            <Library key={name} name={name} rows={found} isOpen={isOpen(name)}
              onToggle={() => setOpen(open.includes(name) ? open.filter((one) => one !== name) : [...open, name])} />
          ))}
        </tbody>
      </table>
      </div>
      {rows > 30 && <p class="note printed">at most 30 rows are printed, of {count(rows)} functions that are on the page</p>}
      {total > all.length && <p class="note">{count(total - all.length)} more are not in this page: twinrun diff --stat --limit 0 A B</p>}
      {all.length === 0 && <p class="empty">No function differs.</p>}
    </div>
  );
}

function RunTable({ letter, side }: { letter: 'A' | 'B'; side: Side | undefined }) {
  return (
    <section>
      <h3><b class={`letter ${letter.toLowerCase()}`}>{letter}</b> <code><Text of={side?.command ?? ''} max={400} /></code></h3>
      <table>
        <tr><th>ended</th><td>{brief(side?.end ?? 'not known', 120)}</td></tr>
        <tr><th>instructions</th><td>{count(side?.instructions)}</td></tr>
        <tr><th>recording</th><td><code><Text of={side?.recording ?? ''} max={200} /></code></td></tr>
        {side?.prefix && <tr><th>incomplete</th><td><Text of={side.prefix} max={200} /></td></tr>}
      </table>
    </section>
  );
}

export function Runs({ model }: { model: Model }) {
  const sum = model.why.alignment;
  const share = (part: number | undefined, only: number | undefined) => {
    const all = (part ?? 0) + (only ?? 0);
    return all === 0 ? '-' : `${((100 * (part ?? 0)) / all).toFixed(1)} %`;
  };
  const target = model.why.target;
  const all = useMemo(() => [...list(model.why.notes), ...list(model.data.notes)], [model]);
  const [notes, more] = useMore(all, 100, 'note');
  return (
    <div class="runs">
      <h2>Runs</h2>
      <RunTable letter="A" side={model.why.a} />
      <RunTable letter="B" side={model.why.b} />
      <section>
        <h3>Alignment</h3>
        <table>
          <tr><th>in both runs</th><td>{count(sum?.aligned)} instructions: {share(sum?.aligned, sum?.only_a)} of A, {share(sum?.aligned, sum?.only_b)} of B</td></tr>
          <tr><th>only A (−)</th><td>{count(sum?.only_a)}</td></tr>
          <tr><th>only B (+)</th><td>{count(sum?.only_b)}</td></tr>
          <tr><th>divergences</th><td>{count(sum?.divergences)}</td></tr>
          {target && (
            <tr><th>explained</th><td><Text of={target.text ?? ''} max={120} />{' '}
              <span class="value a"><b>A</b> <Text of={target.a ?? ''} max={80} /></span>{' '}
              <span class="value b"><b>B</b> <Text of={target.b ?? ''} max={80} /></span></td></tr>
          )}
        </table>
      </section>
      {notes.map((note) => <p class="note">note: <Text of={note} max={400} /></p>)}
      {more}
      <p class="note">made by twinrun {brief(model.data.version ?? '', 20)}</p>
    </div>
  );
}
