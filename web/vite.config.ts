// SPDX-License-Identifier: MIT
// Builds dist/report.html: one file, with a policy that allows exactly its own script and style.
import { createHash } from 'node:crypto';
import { defineConfig, type Plugin } from 'vite';

const DATA = '@TWINRUN_DATA@';
const TEXT = '@TWINRUN_TEXT@';

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

// Replaces the one tag that matches; `$` has no meaning in what is put in.
function replaceTag(html: string, tag: RegExp, by: string): string {
  if ((html.match(new RegExp(tag, 'g')) ?? []).length !== 1) throw new Error(`not exactly one ${tag}`);
  return html.replace(tag, () => by);
}

function oneFile(): Plugin {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      let script = '';
      let style = '';
      for (const [name, item] of Object.entries(bundle)) {
        if (item.type === 'chunk') script += item.code;
        else if (name.endsWith('.css')) style += item.source;
      }
      script = script.trim();
      style = style.trim();
      for (const part of [script, style]) {
        if (part === '' || /<\/(script|style)|<!--/i.test(part) || part.includes(DATA) || part.includes(TEXT))
          throw new Error('a part is missing, or cannot stand in the page');
      }
      const page = bundle['index.html'];
      if (page?.type !== 'asset') throw new Error('no index.html');
      const policy =
        `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; ` +
        `base-uri 'none'; form-action 'none'`;
      let html = String(page.source).replace(/\s*<(script type="module"|link rel="stylesheet")[^>]*>(<\/script>)?/g, '');
      html = replaceTag(
        html,
        /<meta charset="utf-8">/,
        `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${policy}">`,
      );
      html = replaceTag(html, /<\/head>/, `<style>${style}</style>\n</head>`);
      html = replaceTag(html, /<\/body>/, `<script type="module">${script}</script>\n</body>`);
      for (const mark of [DATA, TEXT])
        if (html.split(mark).length !== 2) throw new Error(`not exactly one ${mark}`);
      for (const name of Object.keys(bundle)) delete bundle[name];
      this.emitFile({ type: 'asset', fileName: 'report.html', source: html });
    },
  };
}

export default defineConfig({
  base: './',
  publicDir: false,
  build: {
    target: 'es2022',
    outDir: process.env.REPORT_OUT ?? 'dist',
    emptyOutDir: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [oneFile()],
});
