// A reader at the end of a session stays at the end, whatever makes it longer: new lines, a call that is answered, images
// that load. A reader elsewhere keeps the place and gets a notice until the end is read.
import { useEffect, useLayoutEffect, useRef, useState } from 'react';

export interface Growth {
  /** Counts what the view shows; it grows with the first new line. */
  readonly shown: number;
  /** `false`: more will be loaded that is not new. */
  readonly isWhole: boolean;
  /** What is counted: another filter shows other numbers, and nothing new. */
  readonly filter: unknown;
}

/** This near to the end is at the end. */
const nearPx = 80;

/** What the user opens at the end may be longer than the screen, and is read from its beginning. */
const openers = '[aria-expanded], .more, summary';

export function useFollowing(
  scrollRef: React.RefObject<HTMLElement | null>,
  { shown, isWhole, filter }: Growth,
): { readonly isBehind: boolean; forget(): void } {
  const [isBehind, setBehind] = useState(false);
  const stays = useRef(false);
  const distance = useRef(Number.POSITIVE_INFINITY);
  const seen = useRef({ shown, isWhole, filter });
  useEffect(() => {
    const element = scrollRef.current;
    if (element === null) return;
    let top = element.scrollTop;
    const measure = (): void => {
      distance.current = element.scrollHeight - element.scrollTop - element.clientHeight;
      if (distance.current < nearPx && !isLoading(element)) setBehind(false);
    };
    const onScroll = (): void => {
      measure();
      // New lines make the distance larger too: only a reader who goes up leaves the end.
      if (distance.current < nearPx) stays.current = true;
      else if (element.scrollTop < top - 1) stays.current = false;
      top = element.scrollTop;
    };
    const onResize = (): void => {
      if (stays.current) element.scrollTop = element.scrollHeight;
      measure();
      top = element.scrollTop;
    };
    const onClick = ({ target }: MouseEvent): void => {
      if (target instanceof Element && target.closest(openers) !== null) stays.current = false;
    };
    const sizes = new ResizeObserver(onResize);
    for (const each of [element, ...element.querySelectorAll('.conversation-rows, .rows-in-view')]) sizes.observe(each);
    element.addEventListener('scroll', onScroll, { passive: true });
    element.addEventListener('click', onClick, { capture: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('click', onClick, { capture: true });
    };
  }, [scrollRef]);
  // Runs before the new lines are measured: the distance is that of the reader who has not seen them.
  useLayoutEffect(() => {
    const before = seen.current;
    seen.current = { shown, isWhole, filter };
    const element = scrollRef.current;
    if (!before.isWhole || before.filter !== filter || shown <= before.shown || element === null) return;
    if (distance.current < nearPx && !isLoading(element)) stays.current = true;
    else if (!stays.current) setBehind(true);
  }, [scrollRef, shown, isWhole, filter]);
  return { isBehind, forget: () => setBehind(false) };
}

/** A session that is still loading fits the screen only for now. */
function isLoading(element: HTMLElement): boolean {
  return element.querySelector('.turn:not([data-loaded])') !== null;
}
