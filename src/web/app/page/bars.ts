// On a phone the bars at the top leave the screen while the user reads down, and return when the user goes up. The text
// stays where it is on the screen.
import { useEffect } from 'react';

/** A finger that rests moves a little. */
const stepPx = 24;

export function useCollapsingBars(path: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: every page starts with its bars
  useEffect(() => {
    const root = document.documentElement;
    const narrow = matchMedia('(max-width: 899px)');
    let region: HTMLElement | null = null;
    let turnedAt = 0;
    let last = 0;
    const set = (isAway: boolean): void => {
      if ((root.dataset.bars === 'away') === isAway) return;
      const before = region?.getBoundingClientRect().top ?? 0;
      if (isAway) root.dataset.bars = 'away';
      else delete root.dataset.bars;
      if (region === null) return;
      region.scrollTop += region.getBoundingClientRect().top - before;
      last = region.scrollTop;
      turnedAt = last;
    };
    const onScroll = ({ target }: Event): void => {
      if (!narrow.matches || !(target instanceof HTMLElement) || target.tagName !== 'MAIN') return;
      if (region !== target) {
        region = target;
        last = 0;
        turnedAt = 0;
      }
      const top = target.scrollTop;
      const wasDown = last > turnedAt;
      if (top > last !== wasDown) turnedAt = last;
      last = top;
      if (top > turnedAt + stepPx && top > 3 * stepPx) set(true);
      else if (top < turnedAt - stepPx || top <= 0) set(false);
    };
    const onFocus = ({ target }: FocusEvent): void => {
      if (target instanceof Element && target.closest('header, .session-header') !== null) set(false);
    };
    const onWidth = (): void => {
      if (!narrow.matches) set(false);
    };
    document.addEventListener('scroll', onScroll, { passive: true, capture: true });
    document.addEventListener('focusin', onFocus);
    narrow.addEventListener('change', onWidth);
    return () => {
      document.removeEventListener('scroll', onScroll, { capture: true });
      document.removeEventListener('focusin', onFocus);
      narrow.removeEventListener('change', onWidth);
      delete root.dataset.bars;
    };
  }, [path]);
}
