// SPDX-License-Identifier: MIT
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Chain, CHAIN_STEP, quietFrom } from './chain';
import { list, type Model, type Told } from './data';
import { Detail } from './detail';
import { GraphView } from './graph';
import { useMore } from './more';
import { fragmentOf, parseFragment, selectHeadline, selectLine, selectNode, selectTold, targetOf, type Selection } from './select';
import { SourcePane } from './source';
import { Splitter } from './splitter';
import { Functions, Runs } from './tabs';
import { brief, count, linkTo, Text } from './text';
import { Timeline } from './timeline';

const SENTENCES = 8;

type Tab = 'why' | 'functions' | 'runs';
const TABS: Tab[] = ['why', 'functions', 'runs'];

const KEYS: [string, string][] = [
  ['j  k', 'next, previous line of the chain'],
  ['n', 'next finding (D1, D2, ...)'],
  ['g', 'graph or chain'],
  ['↑ ↓ ← →', 'in the graph: the next box; on the timeline: the next stretch'],
  ['Enter', 'opens what has a ▸: the instructions of a line, a library, lines between'],
  ['x', 'opens or folds all that libraries do'],
  ['w', 'wrap long lines of the source, or not'],
  ['1  2  3', 'the answer, functions, runs'],
  ['?', 'this help; Esc closes it'],
];
const MARKS: [string, string][] = [
  ['−', 'only A executed it'],
  ['+', 'only B executed it'],
  ['~', 'both did, not equally often'],
  ['▨', 'on the timeline: only this run executed it; the square root of a length is its width'],
  ['9×', 'how often this run executed the line'],
  ['●', 'the line is in the graph; a finding shows its number'],
  ['○', 'what differs was computed with the help of this line'],
  ['▬', 'how suspicious the line is, the longest the most'],
  ['◎', 'what is explained'],
  ['◇', 'a branch that decides which way the runs go'],
  ['≠', 'the runs, or the values, differ'],
  ['▸ 9', 'so many instructions, functions or lines, which a click or Enter shows'],
];

function Help({ onClose }: { onClose: () => void }) {
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => close.current?.focus(), []);
  const rows = (of: [string, string][]) => of.map(([key, text]) => <tr><th><kbd>{key}</kbd></th><td>{text}</td></tr>);
  return (
    <div class="veil" onClick={onClose}>
      <div class="help" role="dialog" aria-label="help" onClick={(event) => event.stopPropagation()}>
        <h2>Keys</h2>
        <table>{rows(KEYS)}</table>
        <h2>Marks</h2>
        <table>{rows(MARKS)}</table>
        <p class="note">The address keeps what is selected: #D2 is a finding, #N12 an instruction.</p>
        <button ref={close} onClick={onClose}>close</button>
      </div>
    </div>
  );
}

function Header({ model, tab, onTab, onHelp }: { model: Model; tab: Tab; onTab: (tab: Tab) => void; onHelp: () => void }) {
  const why = model.why;
  const all = list(why.sentences).length > 0 ? list(why.sentences) : [why.verdict ?? ''];
  const [sentences, more] = useMore(all, SENTENCES, 'sentence');
  const mark = why.result === 'same' ? '=' : why.result === 'noise' ? '≈' : '≠';
  return (
    <header>
      <div class="top">
        <span class="brand">twinrun</span> <span class="program"><Text of={why.program ?? ''} max={60} /></span>
        <nav>
          {TABS.map((name) => (
            <button class={tab === name ? 'chosen' : ''} aria-pressed={tab === name} onClick={() => onTab(name)}>
              {name === 'why' ? 'Why' : name === 'functions' ? 'Functions' : 'Runs'}
            </button>
          ))}
          <button onClick={onHelp} aria-label="help">?</button>
        </nav>
      </div>
      <div class="verdict">
        {sentences.map((sentence, i) => (
          <p>
            <span class="mark" title={i === 0 ? brief(why.result ?? '', 20) : undefined}>{i === 0 ? mark : ''}</span> <Text of={sentence} max={400} />
          </p>
        ))}
        {more}
      </div>
      <div class="sides">
        {(['a', 'b'] as const).map((run) => (
          <p>
            <b class={`letter ${run}`}>{run.toUpperCase()}</b>
            <code><Text of={why[run]?.command ?? ''} max={120} /></code>
            <span class="end">{brief(why[run]?.end ?? '', 60)}</span>
            <span class="note">{count(why[run]?.instructions)} instructions{why[run]?.prefix ? ', incomplete' : ''}</span>
          </p>
        ))}
      </div>
    </header>
  );
}

export function App({ model }: { model: Model }) {
  const initial = useMemo(
    () => parseFragment(model, decode(location.hash)) ?? selectHeadline(model),
    [model],
  );
  const [selection, setSelection] = useState<Selection>(initial);
  const [tab, setTab] = useState<Tab>('why');
  const [isGraph, setGraph] = useState(false);
  const [expanded, setExpanded] = useState(false);
  const [help, setHelp] = useState(false);
  const [limit, setLimit] = useState(CHAIN_STEP);
  const [wrap, setWrap] = useState(false);
  const [quiet, setQuiet] = useState<number[]>([]);

  const now = useRef(selection);
  now.current = selection;
  const select = useCallback(
    (next: Selection) => {
      setSelection(next);
      setTab('why');
      if (next.line !== undefined) setLimit((old) => Math.max(old, Math.ceil((next.line! + 1) / CHAIN_STEP) * CHAIN_STEP));
      const fragment = fragmentOf(model, next);
      if (!fragment) return;
      try {
        history.replaceState(null, '', linkTo(fragment));
      } catch {
        // Some browsers allow no such change to a page from a file: then there is no permalink.
      }
    },
    [model],
  );
  const onLine = useCallback((line: number) => select(selectLine(model, line)), [select, model]);
  const onNode = useCallback(
    (id: string) => model.byId.has(id) && select(selectNode(model, id, now.current)),
    [select, model],
  );
  const onTold = useCallback((told: Told) => select(selectTold(model, told, now.current)), [select, model]);
  const onCell = useCallback((thread: number, cell: number) => select({ cell: [thread, cell] }), [select]);

  useLayoutEffect(() => {
    const onHash = () => {
      const found = parseFragment(model, decode(location.hash));
      if (found) select(found);
    };
    addEventListener('hashchange', onHash);
    return () => removeEventListener('hashchange', onHash);
  }, [model, select]);

  // Before the first paint: keys may come at once.
  useLayoutEffect(() => {
    const move = (by: number) => {
      const last = model.answer.length - 1;
      const isShown = (i: number) => !model.answer[i]!.isQuiet || quiet.includes(quietFrom(model.answer, i)[0]);
      let line = now.current.line === undefined ? (by > 0 ? 0 : last) : now.current.line + by;
      while (line >= 0 && line <= last && !isShown(line)) line += by;
      if (line >= 0 && line <= last) onLine(line);
    };
    const nextFinding = () => {
      const from = now.current.line ?? -1;
      const at = model.answer.findIndex((line, i) => i > from && line.id);
      const found = at >= 0 ? at : model.answer.findIndex((line) => line.id);
      if (found >= 0) onLine(found);
    };
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement | null;
      if (event.ctrlKey || event.metaKey || event.altKey || (target?.tagName === 'INPUT' && event.key !== 'Escape')) return;
      const actions: Record<string, () => void> = {
        j: () => move(1),
        k: () => move(-1),
        n: nextFinding,
        g: () => { setGraph((old) => !old); setTab('why'); },
        x: () => setExpanded((old) => !old),
        w: () => setWrap((old) => !old),
        '?': () => setHelp((old) => !old),
        Escape: () => setHelp(false),
        1: () => setTab('why'),
        2: () => setTab('functions'),
        3: () => setTab('runs'),
      };
      const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
      if (!action) return;
      action();
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [model, onLine, quiet]);

  const a = targetOf(model, selection, 'a');
  const b = targetOf(model, selection, 'b');
  return (
    <div class={`page ${isGraph ? 'with-graph' : 'with-chain'}`} data-expanded={expanded ? 'yes' : 'no'}>
      <Header model={model} tab={tab} onTab={setTab} onHelp={() => setHelp(true)} />
      <main class={tab === 'why' ? 'tab shown why' : 'tab why'}>
        <Timeline model={model} selection={selection} onCell={onCell} onNode={onNode} onLine={onLine} />
        <section class="answer">
          <p class="tools">
            <button aria-pressed={!isGraph} class={isGraph ? '' : 'chosen'} onClick={() => setGraph(false)}>chain</button>
            <button aria-pressed={isGraph} class={isGraph ? 'chosen' : ''} onClick={() => setGraph(true)}>graph</button>
            <label><input type="checkbox" checked={expanded} onChange={() => setExpanded(!expanded)} /> inside of libraries</label>
            <span class="note keys"><kbd>j</kbd> <kbd>k</kbd> <kbd>n</kbd> <kbd>g</kbd> <kbd>x</kbd> <kbd>w</kbd> <kbd>?</kbd></span>
          </p>
          {isGraph ? (
            <GraphView model={model} selection={selection} expanded={expanded} onNode={onNode} />
          ) : (
            <Chain model={model} selection={selection} expanded={expanded} limit={limit} onLine={onLine} onNode={onNode}
              onTold={onTold} onMore={() => setLimit(limit + CHAIN_STEP)} onGraph={() => setGraph(true)} quiet={quiet}
              onQuiet={(first) => setQuiet(quiet.includes(first) ? quiet.filter((one) => one !== first) : [...quiet, first])} />
          )}
        </section>
        <Splitter axis="x" label="width of the answer" />
        <div class={wrap ? 'sources wrap' : 'sources'}>
          <SourcePane model={model} run="a" target={a} node={selection.node} expanded={expanded} onNode={onNode} />
          <SourcePane model={model} run="b" target={b} node={selection.node} expanded={expanded} onNode={onNode} />
        </div>
        <Splitter axis="y" label="height of the sources" />
        <Detail model={model} selection={selection} onNode={onNode} />
      </main>
      <section class={tab === 'functions' ? 'tab shown' : 'tab'}><Functions model={model} expanded={expanded} /></section>
      <section class={tab === 'runs' ? 'tab shown' : 'tab'}><Runs model={model} /></section>
      {list(model.why.notes).length > 0 && tab === 'why' && (
        <footer class="note">
          note: <Text of={model.why.notes![0]} max={200} />
          {model.why.notes!.length > 1 && <button class="more" onClick={() => setTab('runs')}>{count(model.why.notes!.length - 1)} more</button>}
        </footer>
      )}
      {help && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}

function decode(hash: string): string {
  try {
    return decodeURIComponent(hash.replace(/^#/, ''));
  } catch {
    return '';
  }
}
