// SPDX-License-Identifier: MIT
// What the tests of the report page share: a browser, and pages opened from files.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';

export const { BROWSER, WORK, TEMPLATE, MODULES } = process.env;
const { chromium } = createRequire(`${MODULES}/`)('playwright-core');
const FLAGS = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', ...(process.getuid() === 0 ? ['--no-sandbox'] : [])];
export const MB = 1000 * 1000;

export let browser;
before(async () => { browser = await chromium.launch({ executablePath: BROWSER, headless: true, args: FLAGS }); });
after(async () => { await browser?.close(); });

/** Opens a page and, when `use` is done, holds it to what every page promises. */
export async function visit(file, fragment, use, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(60000);
    const requests = [];
    const trouble = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => trouble.push(message.text()));
    page.on('pageerror', (error) => trouble.push(error.message));
    page.on('dialog', (dialog) => { trouble.push('a dialog'); void dialog.dismiss(); });
    await page.goto(`file://${WORK}/${file}${fragment}`);
    await page.waitForSelector('.page').catch((error) => { throw new Error(`${error.message}\n${trouble.join('\n')}`); });
    await use(page);
    assert.deepEqual(trouble, [], 'the console is empty');
    assert.deepEqual(requests.map((url) => url.split('#')[0]), [`file://${WORK}/${file}`], 'no request but the page');
    assert.equal(await page.evaluate(() => typeof window.pwned), 'undefined', 'nothing of the data was executed');
    assert.equal(await page.evaluate(() => document.querySelectorAll('script').length), 2);
    assert.equal(await page.evaluate(() => document.querySelectorAll('img, iframe, object, embed, base, form').length), 0);
  } finally {
    await context.close();
  }
}

export function make(file, data) {
  const json = JSON.stringify({ schema: 'twinrun.report.v1', ...data }).replaceAll('<', '\\u003c');
  writeFileSync(`${WORK}/${file}`, readFileSync(TEMPLATE, 'utf8').replace('@TWINRUN_DATA@', () => json));
}

export const at = (page, run) =>
  page.$eval(`.source.run-${run} .code`, (pane) => {
    const row = pane.querySelector('.row.current');
    const box = row?.getBoundingClientRect();
    const frame = pane.getBoundingClientRect();
    return {
      file: pane.dataset.file.split('/').pop(),
      line: Number(pane.dataset.at),
      shown: !!row && box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1,
      current: row ? Number(row.dataset.line) : 0,
    };
  });
export const current = (page) => page.$eval('.line.current', (line) => Number(line.dataset.line));
/** The finding that the selected line begins; empty for none. */
export const currentId = (page) => page.$eval('.line.current', (line) => line.querySelector('.id').textContent);
export const ids = (page) => page.$$eval('.chain .line', (lines) => lines.map((line) => line.querySelector('.id').textContent));
/** What the page was made from. */
export const data = (page) => page.evaluate(() => JSON.parse(document.getElementById('data').textContent));
export const numbers = (text) => [...text.matchAll(/\d+(?: \d{3})*/g)].map(([found]) => Number(found.replaceAll(' ', '')));
