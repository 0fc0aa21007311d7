// The turn that the user went to, until they scroll: the end of a session fits on the screen together with earlier turns,
// so that the place on the screen alone would name another one.
import { useEffect, useState } from 'react';

const scrollKeys: ReadonlySet<string> = new Set([
  'PageUp',
  'PageDown',
  'ArrowUp',
  'ArrowDown',
  'Home',
  'End',
  ' ',
  'g',
  'G',
]);

export interface ChosenTurn {
  readonly chosen: number | null;
  choose(turn: number | null): void;
}

/** `first`: the turn of the address. */
export function useChosenTurn(first: number | null): ChosenTurn {
  const [chosen, choose] = useState(first);
  useEffect(() => {
    const forget = (event: Event): void => {
      if (event instanceof KeyboardEvent && !scrollKeys.has(event.key)) return;
      // What is next to the conversation does not scroll it.
      const isElsewhere = event.target instanceof Element && event.target.closest('.side, .outline') !== null;
      if (!isElsewhere) choose(null);
    };
    const events = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;
    for (const event of events) document.addEventListener(event, forget, { passive: true, capture: true });
    return () => {
      for (const event of events) document.removeEventListener(event, forget, { capture: true });
    };
  }, []);
  return { chosen, choose };
}
