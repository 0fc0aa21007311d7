// The address follows the place on the screen, so that it is always a link to it; the history does not grow with it.
import { useCallback, useEffect, useRef } from 'react';
import type { Wanted } from '../../../export/wire/index.ts';
import type { SessionSource, ViewFilter } from './source/index.ts';

const settleMs = 400;

export interface AddressParts {
  readonly branch: number;
  readonly turn: number;
  readonly filter: ViewFilter;
  readonly wanted: Wanted | null;
}

/** Returns a function that keeps the address as it is until the user scrolls again. */
export function useAddress(source: SessionSource, shown: AddressParts): () => void {
  const { branch, turn, filter, wanted } = shown;
  const hasMoved = useRef(false);
  useEffect(() => {
    // The first address names its place more exactly, until the user scrolls; so does that of a hit.
    const note = ({ target }: Event): void => {
      if (!(target instanceof Element) || target.closest('.find') === null) hasMoved.current = true;
    };
    const events = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;
    for (const event of events) document.addEventListener(event, note, { passive: true, capture: true });
    return () => {
      for (const event of events) document.removeEventListener(event, note, { capture: true });
    };
  }, []);
  const text = wanted === null || wanted.text.trim() === '' ? null : wanted.text;
  const mode = wanted?.mode ?? 'text';
  useEffect(() => {
    if (turn === 0) return;
    const timer = setTimeout(() => {
      if (hasMoved.current) history.replaceState(null, '', source.addressOf({ branch, turn, filter, q: text, mode }));
    }, settleMs);
    return () => clearTimeout(timer);
  }, [source, branch, turn, filter, text, mode]);
  return useCallback(() => {
    hasMoved.current = false;
  }, []);
}
