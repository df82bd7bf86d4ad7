// SPDX-License-Identifier: MIT
import { render } from 'preact';
import { App } from './app';
import { Model, type PageData } from './data';
import { brief } from './text';

function start(root: HTMLElement): void {
  let data: PageData;
  try {
    data = JSON.parse(document.getElementById('data')?.textContent ?? '') as PageData;
  } catch {
    root.textContent = 'This page holds no report: its data is missing or damaged.';
    return;
  }
  if (data === null || typeof data !== 'object' || !/^twinrun\.report\.v1$/.test(String(data.schema))) {
    root.textContent = `This page cannot show data of the form ${brief(data?.schema, 60)}.`;
    return;
  }
  const model = new Model(data);
  document.title = `twinrun: ${brief(model.why.program || 'report', 60)}, A and B`;
  render(<App model={model} />, root);
}

const root = document.getElementById('app');
if (root) start(root);
