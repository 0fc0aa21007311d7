// Going to a place takes several steps: rows above it may still change their height while they load, blocks open, and a
// sub-agent is loaded. It continues until the page stops moving, or the user scrolls.
import type { Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useRef } from 'react';
import type { Matcher } from '../../../../export/wire/index.ts';
import type { TargetLine } from '../source/index.ts';
import { hitRange, targetBlocks } from './hit-range.ts';

export type Scroller = Virtualizer<HTMLElement, HTMLDivElement>;

export interface Goal {
  readonly part: number;
  readonly line?: TargetLine;
  readonly isEnd: boolean;
  readonly matcher?: Matcher | undefined;
  /** The row is there, but its block does not show the hit (`slice`), or there is no block (`block`). */
  onMissing?(what: 'slice' | 'block'): void;
}

const calmFrames = 12;
const maxFrames = 1800;
/** A block opens in the frame after it is drawn; colours and trees may take a few more. */
const sliceFrames = 8;
const blockFrames = 30;
/** A sub-agent is loaded first. */
const agentFrames = 900;

export function usePursuit(
  scrollRef: React.RefObject<HTMLElement | null>,
  virtualizer: Scroller,
  indexOf: (part: number) => number,
): (goal: Goal) => void {
  const running = useRef(0);
  useEffect(() => {
    const element = scrollRef.current;
    const stop = (): void => {
      running.current++;
    };
    const events = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;
    for (const event of events) element?.addEventListener(event, stop, { passive: true });
    return () => {
      for (const event of events) element?.removeEventListener(event, stop);
    };
  }, [scrollRef]);
  return useCallback(
    (goal) => {
      const run = ++running.current;
      const pursuit = new Pursuit(virtualizer, goal, indexOf);
      let calm = 0;
      let frames = 0;
      virtualizer.scrollToIndex(indexOf(goal.part), { align: goal.isEnd ? 'end' : 'start' });
      const step = (): void => {
        const element = scrollRef.current;
        if (element === null || running.current !== run || frames++ > maxFrames || calm >= calmFrames) return;
        calm = pursuit.approach(element) ? calm + 1 : 0;
        requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    },
    [scrollRef, virtualizer, indexOf],
  );
}

class Pursuit {
  readonly #virtualizer: Scroller;
  readonly #goal: Goal;
  readonly #indexOf: (part: number) => number;
  #missed = 0;
  #hasReported = false;

  constructor(virtualizer: Scroller, goal: Goal, indexOf: (part: number) => number) {
    this.#virtualizer = virtualizer;
    this.#goal = goal;
    this.#indexOf = indexOf;
  }

  /** One frame; whether nothing had to move. */
  approach(element: HTMLElement): boolean {
    const { part, isEnd, line } = this.#goal;
    const row = element.querySelector(`[data-part="${part}"]`);
    if (row === null) {
      this.#virtualizer.scrollToIndex(this.#indexOf(part), { align: isEnd ? 'end' : 'start' });
      return false;
    }
    const before = element.scrollTop;
    const isThere = this.#move(element, row);
    const isLoaded = row.hasAttribute('data-loaded');
    if (isLoaded && line !== undefined && !isThere) this.#miss(row, line);
    const isSettled = isThere || line === undefined || this.#hasReported;
    return Math.abs(element.scrollTop - before) < 2 && isLoaded && isSettled;
  }

  /** Whether the wanted place is on the page. */
  #move(element: HTMLElement, row: Element): boolean {
    const { isEnd, line, matcher } = this.#goal;
    if (isEnd) {
      element.scrollTop = element.scrollHeight;
      return true;
    }
    const block = line === undefined ? undefined : targetBlocks(row, line)[0];
    const range = line?.hit === undefined ? undefined : hitRange(row, line, matcher);
    if (range !== undefined) {
      centre(element, range);
      return true;
    }
    const place = block ?? row;
    const room = place === row ? 0 : 72;
    element.scrollTop += place.getBoundingClientRect().top - element.getBoundingClientRect().top - room;
    return block !== undefined && line?.hit === undefined;
  }

  #miss(row: Element, line: TargetLine): void {
    this.#missed++;
    if (this.#hasReported) return;
    const hasBlock = targetBlocks(row, line).length > 0;
    const patience = hasBlock ? sliceFrames : (line.trail ?? []).length > 0 ? agentFrames : blockFrames;
    if (this.#missed < patience) return;
    this.#hasReported = !hasBlock || line.hit === undefined;
    if (hasBlock) this.#missed = Number.NEGATIVE_INFINITY; // once: the slice comes, and is then found
    this.#goal.onMissing?.(hasBlock ? 'slice' : 'block');
  }
}

/** In the middle of what the find list leaves free, also inside scrolled outputs and long lines. */
function centre(element: HTMLElement, range: Range): void {
  for (let box = parentOf(range); box !== null && box !== element; box = box.parentElement) scrollInside(box, range);
  const rect = range.getBoundingClientRect();
  const frame = element.getBoundingClientRect();
  const list = document.querySelector('.find-hits')?.getBoundingClientRect();
  const top = list === undefined ? frame.top : Math.max(frame.top, list.bottom);
  const wanted = top + (frame.bottom - top) * (list === undefined ? 0.42 : 0.4);
  element.scrollTop += rect.top + rect.height / 2 - wanted;
}

function parentOf(range: Range): Element | null {
  const { startContainer } = range;
  return startContainer instanceof Element ? startContainer : startContainer.parentElement;
}

function scrollInside(box: Element, range: Range): void {
  const isTall = box.scrollHeight > box.clientHeight + 1;
  const isWide = box.scrollWidth > box.clientWidth + 1;
  if (!isTall && !isWide) return;
  const { overflowX, overflowY } = getComputedStyle(box);
  const frame = box.getBoundingClientRect();
  const rect = range.getBoundingClientRect();
  if (isTall && /auto|scroll/.test(overflowY) && (rect.top < frame.top || rect.bottom > frame.bottom))
    box.scrollTop += rect.top - frame.top - box.clientHeight / 2;
  if (isWide && /auto|scroll/.test(overflowX) && (rect.left < frame.left + 8 || rect.right > frame.right - 8))
    box.scrollLeft += rect.left - frame.left - box.clientWidth / 3;
}
