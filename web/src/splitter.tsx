// SPDX-License-Identifier: MIT
// The edge between two panes: it is dragged, or moved with the arrow keys; a double click puts it back.
import { useRef } from 'preact/hooks';

const STEP = 3; // per cent, of a key
const LEAST = 15;
const MOST = 85;

type Axis = 'x' | 'y';
// The answer's share of the width, and the sources' of what is beside it.
const VARIABLE = { x: '--answer', y: '--sources' };

export function Splitter({ axis, label }: { axis: Axis; label: string }) {
  const edge = useRef<HTMLDivElement>(null);
  const panes = () => edge.current?.parentElement;
  const share = () => {
    const frame = panes()?.getBoundingClientRect();
    const own = edge.current?.getBoundingClientRect();
    const time = panes()?.querySelector('.timeline')?.getBoundingClientRect();
    if (!frame || !own) return 50;
    const top = time?.bottom ?? frame.top;
    return axis === 'x' ? (100 * (own.left - frame.left)) / frame.width : (100 * (own.top - top)) / (frame.bottom - top);
  };
  const put = (percent: number) => {
    const value = Math.min(MOST, Math.max(LEAST, percent));
    panes()?.style.setProperty(VARIABLE[axis], `${value.toFixed(1)}%`);
    edge.current?.setAttribute('aria-valuenow', value.toFixed(0));
  };
  const onDown = (event: PointerEvent) => {
    // Nothing is selected or dragged meanwhile.
    event.preventDefault();
    edge.current?.setPointerCapture(event.pointerId);
  };
  const onMove = (event: PointerEvent) => {
    const frame = panes()?.getBoundingClientRect();
    if (!frame || !edge.current?.hasPointerCapture(event.pointerId)) return;
    const top = panes()?.querySelector('.timeline')?.getBoundingClientRect().bottom ?? frame.top;
    put(axis === 'x' ? (100 * (event.clientX - frame.left)) / frame.width : (100 * (event.clientY - top)) / (frame.bottom - top));
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -STEP, ArrowUp: -STEP, ArrowRight: STEP, ArrowDown: STEP }[event.key];
    if (by === undefined) return;
    put(share() + by);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class={`splitter ${axis}`} ref={edge} role="separator" tabIndex={0} aria-label={label}
      aria-orientation={axis === 'x' ? 'vertical' : 'horizontal'} aria-valuemin={LEAST} aria-valuemax={MOST}
      onPointerDown={onDown} onPointerMove={onMove}
      onKeyDown={onKey} onDblClick={() => panes()?.style.removeProperty(VARIABLE[axis])} />
  );
}
