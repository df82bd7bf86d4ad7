// SPDX-License-Identifier: MIT
// Opens report pages from files: the example's, a hostile program's, and made-up ones that a program
// could hardly give.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { at, browser, current, currentId, data, ids, make, MB, visit, WORK } from './lib.mjs';

test('the example: small, with its findings', async () => {
  assert.ok(statSync(`${WORK}/example.html`).size < MB);
  await visit('example.html', '', async (page) => {
    const found = (await ids(page)).filter((id) => id);
    assert.ok(found.length >= 2, `${found}`);
    found.forEach((id, i) => assert.equal(id, `D${i + 1}`));
    assert.match(await page.textContent('header'), /csvsum good\.csv.*exit 0.*csvsum bad\.csv.*exit 1/s);
    assert.ok((await page.$$('.timeline .cell')).length > 3);
  });
});

test('lines have bars, the most suspicious the longest', async () => {
  await visit('example.html', '', async (page) => {
    const bars = await page.$$eval('.source.run-b .suspicion[data-rank]', (found) =>
      found.map((bar) => ({ rank: Number(bar.dataset.rank), width: bar.firstChild.getBoundingClientRect().width, title: bar.title })));
    assert.ok(bars.length >= 2, `${bars.length} bars`);
    bars.sort((x, y) => x.rank - y.rank);
    for (let i = 1; i < bars.length; ++i) assert.ok(bars[i].width <= bars[i - 1].width && bars[i].width > 0, JSON.stringify(bars));
    assert.match(bars[0].title, /suspicion: number 1 of \d+ lines/);
  });
});

test('j and k move by lines, n by findings; both panes follow', async () => {
  await visit('example.html', '#D1', async (page) => {
    assert.equal(await current(page), 0);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    assert.equal(await current(page), 2);
    await page.keyboard.press('k');
    assert.equal(await current(page), 1);
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    assert.equal(await current(page), 0, 'k stops at the first line');
    await page.keyboard.press('n');
    assert.equal(await currentId(page), 'D2');
    assert.equal(new URL(page.url()).hash, '#D2');
    for (const run of ['a', 'b']) {
      const where = await at(page, run);
      assert.equal(where.file, 'csvsum.c');
      assert.equal(where.current, where.line);
      assert.ok(where.shown, `${run}: ${JSON.stringify(where)}`);
    }
  });
});

test('it opens at the headline, whose sentences stand one below the other', async () => {
  await visit('example.html', '', async (page) => {
    const why = await page.evaluate(() => JSON.parse(document.getElementById('data').textContent).why);
    assert.ok(why.sentences.length >= 2);
    const shown = await page.$$eval('.verdict p', (rows) => rows.map((row) => row.textContent));
    why.sentences.forEach((sentence, i) => assert.ok(shown[i].includes(sentence.slice(0, 60)), `${shown[i]}: ${sentence}`));
    const headline = why.answer.findIndex((line) => line.first_wrong);
    assert.equal(await current(page), Math.max(0, headline));
    assert.equal(new URL(page.url()).hash, '', 'nobody has chosen anything yet');
  });
});

test('where no state is wrong it opens at the line that the headline names', async () => {
  await visit('order.html', '', async (page) => {
    const { headline, why } = await data(page);
    assert.ok(why.sentences[0].includes(`order.cc:${headline.line}`), why.sentences[0]);
    for (const run of ['a', 'b']) assert.equal((await at(page, run)).current, headline.line);
    assert.equal(await page.getAttribute('.line.current', 'aria-current'), 'true');
    // Functions have the names that people know.
    assert.match(await page.textContent('.detail'), /discount\+0x/);
    await page.keyboard.press('x');
    await page.keyboard.press('g');
    await page.waitForSelector('.graph .box.library');
    assert.ok(!/\b_Z/.test(await page.textContent('main')), 'no name of a symbol');
  });
});

test('without scripts the whole answer stands there as text', async () => {
  const html = readFileSync(`${WORK}/example.html`, 'utf8');
  const text = /<noscript>(.*?)<\/noscript>/s.exec(html)[1];
  assert.match(text, /csvsum\.c:\d+/);
  assert.match(text, /Aligned /);
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`file://${WORK}/example.html`);
  assert.match(await page.textContent('noscript pre'), /D1 .*\n.*csvsum\.c:\d+/);
  await context.close();
});

test('what is told beside the way leads to its line', async () => {
  const place = (line) => ({ module: 'p', function: 'f', file: '/p.c', line, step: `1.1.${line}`, instruction: 'nop' });
  make('told.html', {
    why: { result: 'different', program: 'p', sentences: ['B writes beyond the end', 'They differ.'], a: {}, b: {},
      misuse: [{ node: 'N1' }],
      details: [{ what: 'bound by', place: 'p.c:7', text: 'n = i + 2;', file: '/p.c', line: 7 }],
      look_first: [{ place: 'p.c:3', text: 'x = 3;', remark: 'only B executes it', file: '/p.c', line: 3 }],
      answer: [{ id: 'D1', text: 'p.c:1  x += 1;', nodes: ['N0'] }, { text: 'p.c:2  x += 2;', nodes: ['N1'] },
        { text: 'p.c:3  x = 3;', nodes: ['N2'], aside: true }, { text: 'p.c:4  x = 4;', nodes: [], aside: true }],
      graph: { nodes: [1, 2, 3].map((line, i) => ({ id: `N${i}`, kind: 'aligned', target: i === 0, a: place(line), b: place(line) })), edges: [] } },
    sources: [{ file: '/p.c', lines: 9, chunks: [{ first: 1, text: Array.from({ length: 9 }, (_, i) => `x += ${i}; ${'y'.repeat(300)}`) }], a: [], b: [] }],
  });
  await visit('told.html', '', async (page) => {
    assert.equal(await current(page), 1, 'at the misuse');
    assert.deepEqual(await page.$$eval('.chain h3', (all) => all.map((one) => one.textContent)),
      ['How it came about', 'Look first at', 'Also suspicious']);
    await page.click('.beside button >> text=p.c:7');
    for (const run of ['a', 'b']) assert.equal((await at(page, run)).current, 7, 'a line without a node');
    await page.click('.beside button >> text=p.c:3');
    assert.equal(await page.getAttribute('.detail', 'data-node'), 'N2');
    // Long lines are wrapped when that is wanted.
    const scrolls = () => page.$eval('.source.run-a .code', (pane) => pane.scrollWidth > pane.clientWidth + 1);
    assert.ok(await scrolls());
    await page.keyboard.press('w');
    await page.waitForSelector('.sources.wrap');
    assert.ok(!(await scrolls()));
  });
});

test('panes are resized by the pointer and by keys', async () => {
  await visit('example.html', '', async (page) => {
    const size = (pane, side) => page.$eval(pane, (one, of) => one.getBoundingClientRect()[of], side);
    // What the pointer does comes with the next frame.
    const until = (pane, side, least, most) => page.waitForFunction(([of, name, from, to]) => {
      const now = document.querySelector(of).getBoundingClientRect()[name];
      return now >= from && now <= to;
    }, [pane, side, least, most]);
    const before = await size('.answer', 'width');
    await page.focus('.splitter.x');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await until('.answer', 'width', 0, before - 20);
    const edge = await page.$eval('.splitter.x', (one) => { const box = one.getBoundingClientRect(); return { x: box.left + 2, y: box.top + 200 }; });
    await page.mouse.move(edge.x, edge.y);
    await page.mouse.down();
    await page.mouse.move(edge.x + 300, edge.y, { steps: 5 });
    await until('.answer', 'width', before + 100, 9999);
    await page.mouse.up();
    const tall = await size('.sources', 'height');
    await page.focus('.splitter.y');
    await page.keyboard.press('ArrowDown');
    await until('.sources', 'height', tall + 1, 9999);
    await page.dblclick('.splitter.x');
    await until('.answer', 'width', before - 2, before + 2);
  });
});

test('narrow windows and dark colours have no overflow', async () => {
  for (const width of [1400, 800, 390])
    for (const colorScheme of ['light', 'dark'])
      await visit('example.html', '', async (page) => {
        const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(wide <= window, `${wide} in a window of ${width}`);
        assert.ok(await page.isVisible('.chain'));
      }, { viewport: { width, height: 900 }, colorScheme });
});

test('g shows the graph and x expands libraries', async () => {
  await visit('example.html', '', async (page) => {
    await page.keyboard.press('g');
    await page.waitForSelector('.graph svg');
    const few = (await page.$$('.graph .box')).length;
    await page.keyboard.press('x');
    await page.waitForFunction((n) => document.querySelectorAll('.graph .box').length > n, few);
    const many = (await page.$$('.graph .box')).length;
    assert.ok(many > few && many <= 150, `${few} then ${many}`);
    await page.keyboard.press('x');
    await page.waitForFunction((n) => document.querySelectorAll('.graph .box').length === n, few);
    await page.keyboard.press('g');
    await page.waitForSelector('.chain');
    await page.keyboard.press('x');
    await page.waitForSelector('.chain .inner');
  });
});

test('a box of the graph moves both panes', async () => {
  await visit('example.html', '#D1', async (page) => {
    await page.keyboard.press('g');
    await page.waitForSelector('.graph .box');
    const { why, lines } = await data(page);
    for (const [i, line] of lines.entries()) {
      if (!line.at.line) continue;
      await page.$eval(`.graph [data-box=l${i}] .head`, (head) => head.dispatchEvent(new MouseEvent('click', { bubbles: true })));
      await page.waitForSelector(`.graph [data-box=l${i}].chosen.open`);
      const id = await page.getAttribute('.detail', 'data-node');
      assert.ok(line.nodes.includes(id), `${id} in ${line.nodes}`);
      const node = why.graph.nodes.find((one) => one.id === id);
      for (const run of ['a', 'b']) {
        const where = await at(page, run);
        assert.equal(where.current, where.line, `${id} ${run}`);
        const place = [node[run], node[`caller_${run}`]].find((one) => one?.file?.endsWith('/csvsum.c'));
        if (place) assert.equal(where.line, place.line, `${id} ${run}`);
      }
    }
    assert.ok(lines.length > 5);
  });
});

test('permalinks select, at the start and later', async () => {
  await visit('example.html', '#D2', async (page) => {
    assert.equal(await currentId(page), 'D2');
    await page.evaluate(() => { location.hash = '#N3'; });
    await page.waitForFunction(() => document.querySelector('.detail').dataset.node === 'N3');
    await page.evaluate(() => { location.hash = '#D1'; });
    await page.waitForFunction(() => document.querySelector('.line.current .id').textContent === 'D1');
    await page.evaluate(() => { location.hash = '#%ff<script>'; });
    assert.equal(await currentId(page), 'D1', 'nonsense changes nothing');
  });
});

test('the timeline jumps, tabs and help open and close', async () => {
  await visit('example.html', '#D1', async (page) => {
    const cells = await page.$$('.timeline .cell');
    await cells[0].evaluate((cell) => cell.dispatchEvent(new MouseEvent('click', { bubbles: true })));
    await page.waitForFunction(() => document.querySelector('.detail h3').textContent.startsWith('Stretch'));
    await page.click('.pin >> text=D2');
    assert.equal(await currentId(page), 'D2');
    await page.keyboard.press('2');
    assert.ok(await page.isVisible('.functions'));
    assert.match(await page.textContent('.functions'), /sum_row/);
    await page.fill('.functions input[type=search]', 'sum_row');
    assert.equal((await page.$$('.functions tbody tr')).length, 1);
    await page.keyboard.press('j');
    assert.equal(await page.inputValue('.functions input[type=search]'), 'sum_rowj', 'keys are text in a field');
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('3');
    assert.ok(await page.isVisible('.runs'));
    await page.keyboard.press('?');
    assert.ok(await page.isVisible('.help'));
    await page.keyboard.press('Escape');
    assert.equal(await page.$('.help'), null);
  });
});

test('lines that one run executed are marked by a sign', async () => {
  await visit('example.html', '#D2', async (page) => {
    const signs = await page.$$eval('.source.run-a .row', (rows) =>
      rows.map((row) => [row.querySelector('code').textContent.trim(), row.querySelector('.sign').textContent]));
    const sign = (text) => signs.find(([code]) => code.startsWith(text))?.[1];
    assert.equal(sign('printf("%s: %ld'), '−');
    assert.equal(sign('*sum += strtol'), '~');
    assert.equal(sign('set_title(h, line)'), '');
  });
});

test('it prints, and has dark colours', async () => {
  const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await visit('example.html', '', async (page) => {
    const dark = await ground(page);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    assert.notEqual(await ground(page), dark);
    assert.ok(await page.isVisible('.functions table'), 'print has all tabs');
    assert.ok(!(await page.isVisible('nav')));
  }, { colorScheme: 'dark' });
});

test('a program with hostile names', async () => {
  const html = readFileSync(`${WORK}/hostile.html`, 'utf8');
  assert.ok(html.length < 4 * MB);
  const block = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)[1];
  assert.ok(!/[<>&]/.test(block));
  const names = readFileSync(`${WORK}/names`, 'utf8').trimEnd().split('\n');
  const rows = JSON.parse(block).functions.rows.map((row) => row.function);
  const met = names.filter((name) => rows.includes(name));
  assert.ok(met.length >= 50, `${met.length} of ${names.length} names are in the page`);
  await visit('hostile.html', '#N3', async (page) => {
    // Without source the panes list instructions.
    for (const run of ['a', 'b']) {
      assert.equal(await page.getAttribute(`.source.run-${run} .listing .current`, 'data-node'), 'N3');
      await page.click(`.source.run-${run} .listing [data-node=N2]`);
      await page.waitForSelector(`.source.run-${run} .listing .current[data-node=N2]`);
      await page.click(`.source.run-${run} .listing [data-node=N3]`);
    }
    await page.keyboard.press('g');
    await page.keyboard.press('x');
    await page.keyboard.press('2');
    const shown = await page.textContent('.functions');
    assert.ok(shown.includes('<script>window.pwned=1</script>'), 'as text');
    assert.ok(!/[\u202a-\u202e\u2066-\u2069\u200b\ufeff\u0007\u001b]/.test(shown), 'bidi and controls are written out');
    assert.ok(shown.includes('\\u{202e}gpj.exe'));
    assert.ok(shown.includes('more characters'));
    assert.ok(shown.length < 300000);
    await page.click('.functions .more');
    await page.waitForSelector('.functions .long.all');
  });
});

const EVIL = ['<script>window.pwned=1</script>', '</script><script>window.pwned=1</script>', '<!--<script>',
  '<img src=x onerror=window.pwned=1>', '<svg onload=window.pwned=1>', 'a\u0000b', '\ud800\udc00\ud800', '\u202etxt.exe',
  '\u2028\u2029', 'y'.repeat(65536), '__proto__', '"><b onclick="x">', '\u{e0041}\u{e007f}', 'javascript:window.pwned=1', ''];

test('made-up data with hostile texts in every field', async () => {
  const evil = (i) => EVIL[i % EVIL.length];
  const place = (i) => ({ module: evil(i), function: evil(i + 1), file: evil(i + 2), line: 3, offset: 7, step: evil(i + 3), instruction: evil(i + 4) });
  const nodes = Array.from({ length: 60 }, (_, i) => ({
    id: i < 40 ? `N${i}` : `${evil(i)}${i}`, kind: ['aligned', 'unaligned', 'input', evil(i)][i % 4], divergence: evil(i), target: i === 0, decides: true,
    no_cause: true, a: place(i), b: i % 3 ? place(i + 5) : null, caller_a: place(i + 2), input_a: { call: evil(i), input: evil(i + 1), offset: 9 },
    only_a: 5, only_b: 6, more: [{ ...place(i), run: 'a' }, { ...place(i), run: 'b' }],
  }));
  const edges = nodes.slice(1).map((node, i) => ({ from: nodes[i].id, to: node.id, kind: evil(i), name: evil(i), place: evil(i + 1), value_a: evil(i + 2), value_b: evil(i + 3) }));
  const side = { recording: EVIL[1], command: EVIL[3], end: EVIL[4], instructions: 5, prefix: EVIL[0] };
  make('evil.html', {
    version: EVIL[0], notes: EVIL,
    why: {
      result: EVIL[0], a: side, b: side, program: EVIL[9], verdict: EVIL.join(' '), target: { text: EVIL[0], a: EVIL[1], b: EVIL[2] },
      answer: nodes.map((node, i) => ({ id: i % 5 ? null : evil(i + 1) || 'D1', text: `A  x:1  ${evil(i)}  A: ${evil(i + 1)}  B: ${evil(i + 2)}  <-- ${evil(i)}`, nodes: [node.id, 'nowhere', '__proto__'], places: [{ run: 'a', file: evil(i), line: 2 }] })),
      graph: { nodes, edges: [...edges, { from: 'nowhere', to: 'N1' }] }, notes: EVIL,
    },
    functions: { rows: EVIL.map((name, i) => ({ module: evil(i + 1), function: name, library: true, calls: [1, 0], instructions: [0, 1], first: { name: evil(i), value_a: evil(i), value_b: evil(i + 1), file: evil(i), line: 1 } })) },
    timeline: { threads: [{ a: '1.1', b: EVIL[0], cells: [{ a: [0, 5], b: [0, 5], aligned: 5 }, { a: [5, 9], b: [5, 5], only_a: 4, divergences: 1, at: place(0) }] }, { note: EVIL[3] }] },
    sources: EVIL.filter((file) => file).map((file) => ({ file, lines: 9, chunks: [{ first: 1, text: EVIL }], a: [[1, 5]], b: [[2, 1]] })),
  });
  await visit('evil.html', '#<img src=x onerror=window.pwned=1>', async (page) => {
    for (const key of ['n', 'x', 'g', 'j', 'x', 'j', 'n', 'g', '2', '3', '1', '?', 'Escape']) await page.keyboard.press(key);
    for (let i = 0; i < 60; ++i) await page.keyboard.press('j');
    for (const more of (await page.$$('.more')).slice(0, 20)) await more.evaluate((element) => element.click());
    const text = await page.textContent('#app');
    assert.ok(!/[\u0000-\u0008\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u.test(text));
    assert.ok(text.includes('\\x00') && text.includes('\\u{202e}'));
  });
});

test('a hundred thousand differences', async () => {
  const count = 100000;
  const nodes = Array.from({ length: count }, (_, i) => ({ id: `N${i}`, kind: 'aligned', target: i === 0,
    a: { module: 'p', function: 'f', file: '/p.c', line: 1 + (i % 50), step: `1.1.${i}`, instruction: 'nop' }, b: { module: 'p', function: 'f', file: '/p.c', line: 1 + (i % 50), step: `1.1.${i}` } }));
  make('large.html', {
    why: { result: 'different', program: 'p', verdict: 'They differ.', a: {}, b: {},
      answer: nodes.map((node, i) => ({ id: i % 100 ? null : `D${i / 100 + 1}`, text: `p.c:${1 + (i % 50)}  x += ${i};  A: ${i}  B: ${i + 1}`, nodes: [node.id] })),
      graph: { nodes, edges: nodes.slice(1).map((node, i) => ({ from: `N${i >> 1}`, to: node.id, kind: 'data', name: 'x', value_a: '1', value_b: '2' })) } },
    functions: { rows: nodes.map((_, i) => ({ module: 'p', function: `f${i}`, calls: [i, 1], instructions: [i, i + 1] })), different: count },
    sources: [{ file: '/p.c', lines: 50, chunks: [{ first: 1, text: Array.from({ length: 50 }, (_, i) => `x += ${i};`) }], a: [], b: [] }],
    timeline: { threads: [{ a: '1.1', b: '1.1', cells: Array.from({ length: 600 }, (_, i) => ({ a: [i * 200, i * 200 + 200], b: [i * 200, i * 200 + 200], aligned: 100, only_a: 100, only_b: 100, divergences: 30 })) }] },
  });
  const start = Date.now();
  await visit('large.html', '', async (page) => {
    assert.ok(Date.now() - start < 30000, 'it opens in time');
    assert.ok((await page.$$('.chain .line')).length <= 200);
    assert.match(await page.textContent('.chain'), /99 800 more lines/);
    await page.keyboard.press('g');
    await page.waitForSelector('.graph .box');
    assert.equal((await page.$$('.graph .box')).length, 150);
    assert.match(await page.textContent('.graph'), /99 850 more/);
    await page.keyboard.press('g');
    await page.keyboard.press('2');
    assert.ok((await page.$$('.functions tbody tr:not(.rest)')).length <= 200);
    assert.match(await page.textContent('.functions'), /99 800 more functions/);
    await page.keyboard.press('1');
    for (let i = 0; i < 4; ++i) await page.keyboard.press('n');
    assert.equal(await currentId(page), 'D5');
  });
});

test('a report that lacks everything says so', async () => {
  make('empty.html', {});
  await visit('empty.html', '#D2', async (page) => {
    for (const key of 'jkngxg123?') await page.keyboard.press(key);
    assert.match(await page.textContent('#app'), /nothing to tell/);
    assert.match(await page.textContent('.source.run-a h3'), /no line of the source/);
  });
});
