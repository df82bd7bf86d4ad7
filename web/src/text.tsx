// SPDX-License-Identifier: MIT
// Text from recorded programs is shown as text nodes only, with what is invisible made visible.
import { useState } from 'preact/hooks';
import type { Place } from './data';

// Controls (C0, DEL, C1), bidirectional and line controls, zero width characters, tags, surrogates
// without their other half, and not-a-characters.
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\ufffe\uffff]|[\u{e0000}-\u{e0fff}]|\p{Cs}/gu;

export function visible(text: unknown): string {
  return String(text ?? '').replace(HIDDEN, (c) => {
    const code = c.codePointAt(0) ?? 0;
    if (c === '\n') return '\\n';
    if (c === '\t') return '\\t';
    return code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  });
}

/** At most `max` characters, for places that cannot grow. */
export function brief(text: unknown, max: number): string {
  const raw = String(text ?? '');
  const shown = visible(raw.slice(0, max + 1));
  return shown.length > max ? shown.slice(0, max - 1) + '…' : shown;
}

/** A text of any length: cut, with a button that shows the rest. */
export function Text({ of, max = 160 }: { of: unknown; max?: number }) {
  const [all, setAll] = useState(false);
  const raw = String(of ?? '');
  if (raw.length <= max) return <bdi>{visible(raw)}</bdi>;
  const toggle = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
    setAll(!all);
  };
  return (
    <bdi class={all ? 'long all' : 'long'}>
      {visible(all ? raw : raw.slice(0, max))}
      <span class="more" role="button" tabIndex={0} onClick={toggle}
        onKeyDown={(event) => event.key === 'Enter' && toggle(event)}>
        {all ? ' less' : `… ${count(raw.length - max)} more characters`}
      </span>
    </bdi>
  );
}

/** An address within the page; half a character has none. */
export function linkTo(fragment: string): string {
  try {
    return `#${encodeURIComponent(fragment)}`;
  } catch {
    return '#';
  }
}

export function count(n: number | undefined): string {
  return (n ?? 0).toString().replace(/\B(?=(\d{3})+$)/g, ' ');
}

export function baseName(path: string | undefined): string {
  return (path ?? '').replace(/\/+$/, '').split('/').pop() ?? '';
}

export function placeText(place: Place | null | undefined): string {
  if (!place) return '';
  if (place.file && place.line) return `${baseName(place.file)}:${place.line}`;
  const offset = place.offset ? `+0x${place.offset.toString(16)}` : '';
  return (place.function || place.module || '?') + offset;
}
