// SPDX-License-Identifier: MIT
// The graph of lines, what is folded until somebody opens it, and the numbers of the page: of real
// pairs, with source, without, in C++ and of several processes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { current, data, make, numbers, visit, WORK } from './lib.mjs';

const PAGES = ['example', 'bare', 'order', 'shell', 'long', 'hostile'];
const extent = (page, of) => page.textContent(`${of} .extent`).then((text) => text.replaceAll('\u00a0', ' '));

async function openGraph(page) {
  await page.keyboard.press('g');
  await page.waitForSelector('.graph .box');
}

for (const name of PAGES)
  test(`${name}: a box for each line, and every number is that of what is shown`, async () => {
    await visit(`${name}.html`, '', async (page) => {
      const { why, lines, functions } = await data(page);
      assert.equal(lines.length, why.basic_statements, 'lines of the data');
      const helped = why.statements.length + why.statements_left_out - why.basic_statements;
      // The chain tells what the text tells.
      const text = /<pre>(.*?)<\/pre>/s.exec(readFileSync(`${WORK}/${name}.html`, 'utf8'))[1];
      const [told] = numbers(/The graph has (?:more than )?(\d+ lines?)/.exec(text)[1]);
      assert.deepEqual(numbers(await extent(page, '.chain')), helped > 0 ? [told, helped] : [told]);
      const more = /; (\d+) more helped/.exec(text);
      if (more) assert.equal(Number(more[1]), helped);
      for (const opens of await page.$$('.chain .line')) {
        const button = await opens.$('.opens');
        if (!button) continue;
        const [count] = numbers(await button.textContent());
        if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
        for (let left; (left = await opens.$('.inner .more'));) await left.click();
        for (const fold of await opens.$$('.inner .fold')) await fold.click();
        assert.equal((await opens.$$('.inner .id')).length, count, 'instructions of a line');
      }
      await openGraph(page);
      // A letter for what only one run executed.
      const alone = lines.map(({ run }, i) => [`l${i}`, run === 'both' ? undefined : run.toUpperCase()]);
      for (const [id, letter] of alone)
        if (letter) assert.equal(await page.textContent(`.graph [data-box=${id}] text.side`), letter);
      const boxes = await page.$$eval('.graph .box', (all) => all.map((box) => ({
        isLine: box.classList.contains('line'), isInput: box.classList.contains('input'), members: Number(box.dataset.nodes),
        shown: box.querySelector('.members').textContent, texts: [...box.querySelectorAll('.title, .sub')].map((one) => one.textContent),
      })));
      assert.equal(boxes.filter((box) => box.isLine).length, told, 'lines of the graph');
      for (const box of boxes) {
        assert.deepEqual(numbers(box.shown), [box.members]);
        for (const one of box.texts) assert.ok(one.trim().length > 1 && !one.includes('?'), `an empty box: ${box.texts}`);
      }
      const sum = (of) => of.reduce((all, box) => all + box.members, 0);
      const inputs = boxes.filter((box) => box.isInput).length;
      const said = (await extent(page, '.graph')).replace(/^.*: /, '');
      assert.deepEqual(numbers(said), [told, ...(inputs ? [inputs] : []), sum(boxes.filter((box) => !box.isInput)), ...(helped ? [helped] : [])]);
      // What libraries did in boxes of their own takes no line away.
      await page.keyboard.press('x');
      await page.waitForSelector('.page[data-expanded=yes]');
      for (let left; (left = await page.$('.graph .extent .more')); ) await left.click();
      const apart = await page.$$eval('.graph .box.library', (all) => all.length);
      const expanded = numbers((await extent(page, '.graph')).replace(/^.*: /, ''));
      assert.deepEqual(expanded.slice(0, apart ? 2 : 1), apart ? [told, apart] : [told]);
      await page.keyboard.press('x');
      // Functions: the rows and what is folded add up.
      await page.keyboard.press('2');
      const [total, ...parts] = numbers(await extent(page, '.functions'));
      const folded = await page.$$eval('.functions .library', (rows) => rows.map((row) => row.textContent.match(/ (\d+(?: \d{3})*) functions?$/)[1]));
      const own = await page.$$eval('.functions tbody tr:not(.library, .rest)', (rows) => rows.length);
      const libraries = folded.reduce((all, one) => all + numbers(one)[0], 0);
      assert.equal(total, functions.different);
      assert.equal(own + libraries, total);
      if (libraries) assert.deepEqual(parts.slice(0, 2), [own, libraries]);
      assert.equal(parts.at(-1), functions.same);
    });
  });

test('a click and Enter open a box; what a library did in it is folded', async () => {
  await visit('example.html', '#D2', async (page) => {
    await openGraph(page);
    const box = '.graph .box.chosen[data-box]';
    const rows = () => page.$$eval('.graph .box.open .inner', (all) => all.map((row) => row.textContent));
    assert.deepEqual(await rows(), []);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.graph .box.open');
    const folded = (await rows()).find((row) => row.startsWith('▸'));
    const [count] = numbers(/^▸ (\d+) in libc/.exec(folded)[1]);
    const before = (await rows()).length;
    await page.click('.graph .box.open .inner >> text=/^▸/');
    await page.waitForFunction((n) => document.querySelectorAll('.graph .box.open .inner').length === n, before + count);
    const last = await page.$$eval('.graph .box.open .inner[data-node]', (all) => all.at(-1).dataset.node);
    await page.click(`.graph .inner[data-node=${last}]`);
    await page.waitForSelector(`.detail[data-node=${last}]`);
    await page.click(`${box} > .head .title`);
    await page.waitForFunction(() => !document.querySelector('.graph .box.open'));
    await page.click(`${box} > .head .title`);
    await page.waitForSelector('.graph .box.open');
  });
});

test('a link to what one run did has the value of that run', async () => {
  await visit('example.html', '#D2', async (page) => {
    await openGraph(page);
    const texts = await page.$$eval('.graph .link', (all) => all.map((link) => [...link.querySelectorAll('text')].map((one) => one.textContent).join(' ')));
    const columns = texts.filter((text) => text.startsWith('h->ncols'));
    assert.deepEqual(columns.sort(), ['h->ncols A 4', 'h->ncols B 67']);
  });
});

test('a box that opens stays where it was', async () => {
  await visit('example.html', '#D1', async (page) => {
    await openGraph(page);
    const id = 'l5';
    const where = () => page.$eval(`.graph [data-box=${id}]`, (box) => box.getBoundingClientRect().top);
    await page.$eval(`.graph [data-box=${id}]`, (box) => box.scrollIntoView({ block: 'center' }));
    const before = await where();
    await page.click(`.graph [data-box=${id}] .head`);
    await page.waitForSelector(`.graph [data-box=${id}].open`);
    assert.ok(Math.abs((await where()) - before) < 3, `${before} and ${await where()}`);
  });
});

test('the graph is walked through with the arrow keys', async () => {
  await visit('example.html', '#D1', async (page) => {
    await openGraph(page);
    const focus = () => page.evaluate(() => document.activeElement.closest('.box')?.dataset.box);
    const y = (id) => page.$eval(`.graph [data-box=${id}]`, (box) => new DOMMatrix(getComputedStyle(box).transform).f || box.transform.baseVal[0].matrix.f);
    const first = await focus();
    const seen = new Set([first]);
    let at = first;
    for (let i = 0; i < 4; ++i) {
      await page.keyboard.press('ArrowDown');
      await page.waitForFunction((old) => document.activeElement.closest('.box')?.dataset.box !== old, at);
      const next = await focus();
      assert.ok((await y(next)) > (await y(at)), 'down');
      at = next;
      seen.add(at);
      assert.ok(await page.$(`.graph .box.chosen[data-box=${at}]`), 'it is selected');
    }
    assert.equal(seen.size, 5);
    await page.keyboard.press('ArrowUp');
    await page.waitForFunction((old) => document.activeElement.closest('.box')?.dataset.box !== old, at);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.graph .box.open .inner');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.ok(await page.evaluate(() => document.activeElement.classList.contains('inner')));
  });
});

test('lines are as suspicious in the graph as beside the source', async () => {
  await visit('example.html', '', async (page) => {
    const { lines, why } = await data(page);
    await openGraph(page);
    const bars = await page.$$eval('.graph .suspect', (all) => all.map((bar) => {
      const box = bar.closest('.box');
      return { box: box.dataset.box, rank: Number(bar.dataset.rank), words: box.querySelector('title').textContent,
        share: bar.getBoundingClientRect().width / box.querySelector('.head > rect').getBoundingClientRect().width };
    }));
    assert.equal(bars.length, lines.filter((line) => line.statement !== undefined).length);
    const all = why.statements.length + why.statements_left_out;
    bars.sort((x, y) => x.rank - y.rank);
    assert.ok(bars.at(-1).share < bars[0].share - 0.2, 'they differ');
    for (const [i, bar] of bars.entries()) {
      if (i) assert.ok(bar.share <= bars[i - 1].share + 0.02, JSON.stringify(bars));
      assert.match(bar.words, new RegExp(`suspicion: number ${bar.rank} of ${all} lines`));
      const line = lines[Number(bar.box.slice(1))];
      const beside = await page.$(`.source.run-b [data-line="${line.at.line ?? 0}"] .suspicion[data-rank]`);
      if (beside) assert.equal(await beside.getAttribute('data-rank'), String(bar.rank));
    }
  });
});

test('without debug information the chain and the panes have the instructions', async () => {
  await visit('bare.html', '', async (page) => {
    const rows = await page.$$eval('.chain .inner li', (all) => all.map((row) => row.textContent));
    assert.ok(rows.some((row) => /^N\d+bare\+0x[0-9a-f]+(cmp|j|mov)/.test(row)), rows.join('\n'));
    assert.ok(rows.some((row) => /^▸ \d+ in libc\.so\.6: /.test(row)), 'libraries are folded');
    for (const line of await page.$$eval('.chain .line', (all) => all.map((one) => one.textContent)))
      assert.ok(!/^bare\+0x[0-9a-f]+$/.test(line), `nothing but an address: ${line}`);
    for (const run of ['a', 'b']) {
      assert.match(await page.textContent(`.source.run-${run} h3`), /bare\+0x/);
      const listed = await page.$$eval(`.source.run-${run} .listing .row`, (all) => all.length);
      const fold = `.source.run-${run} .listing .fold[aria-expanded=false]`;
      const [count] = numbers(await page.textContent(fold));
      await page.click(fold);
      assert.equal((await page.$$(`.source.run-${run} .listing .row`)).length, listed + count);
    }
    await openGraph(page);
    const texts = await page.$$eval('.graph .box.line', (all) => all.map((box) => [box.querySelector('.title').textContent, box.querySelector('.sub').textContent]));
    for (const [title, text] of texts) {
      assert.match(title, /bare\+0x[0-9a-f]+/);
      assert.match(text, /^(calls \w+|[a-z]\w* )/);
    }
  });
});

test('lines that the answer leaves out come when they are asked for', async () => {
  await visit('long.html', '', async (page) => {
    const { why } = await data(page);
    const left = why.answer.flatMap((line) => line.left_out ?? []);
    const quiet = why.answer.filter((line) => line.telling === false && !line.id);
    assert.ok(left.length > 5, `${left.length}`);
    const shown = (await page.$$('.chain .line')).length;
    assert.equal(shown, why.answer.length - quiet.length);
    const folds = await page.$$eval('.quiet-fold', (all) => all.map((fold) => fold.textContent));
    assert.equal(folds.reduce((sum, text) => sum + numbers(text)[0], 0), left.length + quiet.length);
    assert.ok(!(await page.textContent('.chain')).includes('--all'), 'that is for the terminal');
    // By a key: j goes over them while they are folded, and through them then.
    const fold = await page.$('.quiet-fold button');
    await fold.focus();
    await page.keyboard.press('Enter');
    const [first] = numbers(folds[0]);
    assert.equal((await page.$$('.chain .line')).length, shown + first);
    const quietLine = await page.$eval('.chain .line.quiet', (line) => Number(line.dataset.line));
    await page.click(`.chain [data-line="${quietLine - 1}"] a`);
    await page.keyboard.press('j');
    assert.equal(await current(page), quietLine);
    await page.keyboard.press('k');
    await page.click('.quiet-fold button');
    assert.equal((await page.$$('.chain .line')).length, shown);
    await page.keyboard.press('j');
    assert.equal(await current(page), quietLine + first);
  });
});

test('long lists say how many rows are left, and show them', async () => {
  const place = (i) => ({ module: 'p', function: 'f', file: '/p.c', line: 1 + i, step: `1.1.${i}`, instruction: 'nop' });
  const nodes = Array.from({ length: 300 }, (_, i) => ({ id: `N${i}`, kind: 'aligned', target: i === 0, a: place(i), b: place(i),
    more: i === 0 ? Array.from({ length: 25 }, (_, n) => ({ ...place(n), run: 'b' })) : undefined }));
  make('lists.html', {
    why: { result: 'different', program: 'p', a: {}, b: {}, notes: ['one', 'two', 'three'],
      sentences: Array.from({ length: 11 }, (_, i) => `They differ, ${i}.`),
      look_first: Array.from({ length: 230 }, (_, i) => ({ place: `p.c:${i}`, text: 'x', file: '/p.c', line: i + 1 })),
      answer: [{ id: 'D1', text: 'p.c:1  x', place: 'p.c:1', source: 'x', nodes: nodes.map((node) => node.id) }],
      graph: { nodes, edges: nodes.slice(1).map((node) => ({ from: 'N0', to: node.id, kind: 'data', name: 'x', value_a: '1', value_b: '2' })) } },
    sources: [{ file: '/p.c', lines: 3, chunks: [{ first: 1, text: [`x += ${'1'.repeat(5000)};`, 'y', 'z'] }], a: [], b: [] }],
    timeline: { threads: Array.from({ length: 9 }, (_, i) => ({ a: `${i}.1`, b: `${i}.1`, cells: [{ a: [0, 5], b: [0, 5], aligned: 5 }] })) },
  });
  await visit('lists.html', '#N0', async (page) => {
    const grows = async (rows, button, text, by) => {
      const before = (await page.$$(rows)).length;
      assert.match(await page.textContent(button), text);
      await page.focus(button);
      await page.keyboard.press('Enter');
      await page.waitForFunction(([of, n]) => document.querySelectorAll(of).length === n, [rows, before + by]);
    };
    await grows('.beside li', '.beside button.more', /^30 more lines$/, 30);
    await grows('.timeline .thread', '.timeline > button.more', /^3 more threads$/, 3);
    await grows('.siblings button:not(.more)', '.siblings button.more', /^260 more instructions$/, 200);
    await grows('.detail .edges tbody tr .jump', '.detail .edges button.more', /^259 more values$/, 200);
    await grows('.detail .sides tbody tr:has(td .note)', '.detail .sides button.more', /^15 more places$/, 15);
    await grows('.verdict p', '.verdict button.more', /^3 more sentences$/, 3);
    const line = '.source.run-a [data-line="1"] code';
    assert.match(await page.textContent(line), /… 3 006 more characters$/);
    await page.click(`${line} .more`);
    assert.ok((await page.textContent(line)).length > 5000, 'a long line of the source');
    await page.click('footer button.more');
    assert.ok(await page.isVisible('.runs'), 'the other notes');
    await page.keyboard.press('g');
    await page.waitForSelector('.graph .box');
    await grows('.graph .box', '.graph .extent button.more', /^150 more$/, 150);
  });
});

test('functions of libraries are folded, with how many there are', async () => {
  await visit('example.html', '', async (page) => {
    const rows = () => page.$$eval('.functions tbody tr:not(.library, .rest)', (all) => all.length);
    await page.keyboard.press('2');
    const own = await rows();
    assert.ok(!(await page.textContent('.functions tbody')).includes('_dl_'), 'only names of libraries');
    const fold = await page.$('.functions .library button');
    const [count] = numbers((await fold.textContent()).replace(/^.*\.so\S*/, ''));
    await fold.focus();
    await page.keyboard.press('Enter');
    assert.equal(await rows(), own + count);
    await fold.click();
    assert.equal(await rows(), own);
    await page.keyboard.press('x');
    const all = (await data(page)).functions.rows.length;
    await page.waitForFunction((n) => document.querySelectorAll('.functions tbody tr:not(.library, .rest)').length === n, all);
  });
});

test('everything that can be clicked is reached by the keyboard', async () => {
  for (const name of ['example', 'bare'])
    await visit(`${name}.html`, '', async (page) => {
      for (const view of ['chain', 'graph', '2']) {
        await page.keyboard.press(view === 'graph' ? 'g' : view === '2' ? '2' : '1');
        // What has a pointer is a control of HTML, or has a place in the order of tabs or of arrows.
        const lost = await page.$$eval('#app *', (all) => all.filter((one) => {
          const style = getComputedStyle(one);
          if (style.cursor !== 'pointer' || !one.getClientRects().length) return false;
          if (one.parentElement && getComputedStyle(one.parentElement).cursor === 'pointer') return false;
          const control = '[role=button][tabindex]';
          return !one.closest(`button, a, label, input, ${control}, .timeline svg`) && !one.querySelector(control);
        }).map((one) => one.outerHTML.slice(0, 120)));
        assert.deepEqual(lost, [], view);
      }
      await page.keyboard.press('1');
      await page.focus('.timeline svg');
      await page.keyboard.press('ArrowLeft');
      await page.waitForFunction(() => document.querySelector('.detail h3').textContent.startsWith('Stretch'));
      const title = () => page.$eval('.cell.chosen title', (one) => one.textContent);
      const before = await title();
      await page.keyboard.press('ArrowLeft');
      await page.waitForFunction((old) => document.querySelector('.cell.chosen title').textContent !== old, before);
    });
});

test('no page overflows its window, whatever it shows', async () => {
  for (const name of ['example', 'bare', 'order', 'shell', 'long'])
    for (const width of [1400, 800, 390])
      for (const colorScheme of ['light', 'dark'])
        await visit(`${name}.html`, '', async (page) => {
          const pins = await page.$$eval('.pin', (all) => all.map((pin) => pin.getBoundingClientRect()).map(({ left, right, top }) => ({ left, right, top })));
          for (const one of pins)
            for (const other of pins)
              assert.ok(one === other || one.top !== other.top || one.right <= other.left + 1 || other.right <= one.left + 1, `${name}: marks lie on each other`);
          for (const key of ['', 'x', 'g', 'Enter', '2', '3']) {
            if (key) await page.keyboard.press(key);
            for (const of of ['html', '.tab.shown']) {
              const [wide, room] = await page.$eval(of, (one) => [one.scrollWidth, one.clientWidth]);
              assert.ok(wide <= room, `${name} ${key} ${of}: ${wide} in ${room}, in a window of ${width}`);
            }
          }
        }, { viewport: { width, height: 900 }, colorScheme });
});
