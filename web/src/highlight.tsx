// SPDX-License-Identifier: MIT
// Colours for C-like source, line by line: comments, strings, numbers, keywords. Anything else is
// plain, so that other languages are readable too.
import type { ComponentChild } from 'preact';
import { Text, visible } from './text';

const LONG = 2000; // characters of a line: beyond, it is no source that people wrote

const KEYWORDS = new Set(
  ('alignas alignof asm auto bool break case catch char class const constexpr const_cast continue decltype default ' +
    'delete do double dynamic_cast else enum explicit extern false final float for friend goto if inline int long ' +
    'mutable namespace new noexcept nullptr operator override private protected public register reinterpret_cast ' +
    'restrict return short signed sizeof static static_assert static_cast struct switch template this throw true ' +
    'try typedef typeid typename union unsigned using virtual void volatile wchar_t while fn let mut pub impl use ' +
    'match mod trait func var type package import def elif pass lambda').split(' '),
);
const TOKEN =
  /(\/\*.*?(?:\*\/|$)|\/\/.*$)|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|(\b\d[\w.']*)|([A-Za-z_]\w*)|(^\s*#\s*\w+)/g;

export function highlight(lines: string[]): ComponentChild[][] {
  let inComment = false;
  return lines.map((raw) => {
    const out: ComponentChild[] = [];
    let line = raw.replace(/\r$/, '').replace(/\t/g, '    ');
    if (line.length > LONG) return [<Text of={line} max={LONG} />];
    if (inComment) {
      const end = line.indexOf('*/');
      const part = end < 0 ? line : line.slice(0, end + 2);
      out.push(<i class="c">{visible(part)}</i>);
      if (end < 0) return out;
      inComment = false;
      line = line.slice(end + 2);
    }
    let from = 0;
    for (const found of line.matchAll(TOKEN)) {
      const [text, comment, string, number, word, directive] = found;
      const kind = comment ? 'c' : string ? 's' : number ? 'n' : directive ? 'p' : KEYWORDS.has(word ?? '') ? 'k' : '';
      if (!kind) continue;
      if (found.index > from) out.push(visible(line.slice(from, found.index)));
      out.push(<i class={kind}>{visible(text)}</i>);
      from = found.index + text.length;
      if (comment?.startsWith('/*') && !comment.endsWith('*/')) inComment = true;
    }
    if (from < line.length) out.push(visible(line.slice(from)));
    return out;
  });
}
