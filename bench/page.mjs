// SPDX-License-Identifier: MIT
// page.mjs ROUNDS FILE...: opens each page in turn, ROUNDS times, and prints JSON by file: the least
// milliseconds from the start of the navigation until the headline, and until the graph, were painted.
import { createRequire } from 'node:module';

const { BROWSER, MODULES } = process.env;
const { chromium } = createRequire(`${MODULES}/`)('playwright-core');
const [rounds, ...files] = process.argv.slice(2);

const browser = await chromium.launch({
  executablePath: BROWSER, headless: true,
  args: ['--disable-gpu', '--no-first-run', ...(process.getuid() === 0 ? ['--no-sandbox'] : [])],
});

// Two frames later it has been painted; the page's clock begins with the navigation.
const painted = (page) => page.evaluate(() => new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
}));

async function open(file) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  await page.goto(`file://${file}`, { waitUntil: 'commit' });
  await page.waitForSelector('.verdict p');
  const headline = await painted(page);
  await page.keyboard.press('g');
  await page.waitForSelector('.graph .box');
  const graph = await painted(page);
  const boxes = await page.$$eval('.graph .box', (all) => all.length);
  await context.close();
  return { headline, graph, boxes };
}

const out = {};
for (let round = 0; round < Number(rounds); ++round)
  for (const file of files) {
    const now = await open(file);
    const best = out[file] ?? now;
    out[file] = { headline: Math.min(best.headline, now.headline), graph: Math.min(best.graph, now.graph), boxes: now.boxes };
  }
console.log(JSON.stringify(out));
await browser.close();
