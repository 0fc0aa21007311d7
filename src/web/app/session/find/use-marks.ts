// Marks what was found wherever it is on the screen, also in what comes into view later, and the current place more
// strongly. The marks are ranges of the browser, so that no text is changed for them.
import { useEffect } from 'react';
import type { Matcher } from '../../../../export/wire/index.ts';
import type { TargetLine } from '../source/index.ts';
import { hitRange } from './hit-range.ts';
import { rangesIn } from './text-runs.ts';

const maxMarks = 1000;

export function useMarks(matcher: Matcher | undefined, target: TargetLine | null): void {
  useEffect(() => {
    const root = document.querySelector('.session');
    if (root === null || !('highlights' in CSS)) return;
    let frame = 0;
    const paint = (): void => {
      frame = 0;
      const all = [...root.querySelectorAll('#conversation, .found-elsewhere')];
      const ranges = matcher === undefined ? [] : all.flatMap((each) => rangesIn(each, matcher, maxMarks));
      const current = target === null ? undefined : hitRange(root, target, matcher);
      setMark('found', ranges);
      setMark('found-current', current === undefined ? [] : [current], 1);
    };
    const observer = new MutationObserver(() => {
      frame ||= requestAnimationFrame(paint);
    });
    observer.observe(root, { childList: true, subtree: true, characterData: true });
    paint();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete('found');
      CSS.highlights.delete('found-current');
    };
  }, [matcher, target]);
}

function setMark(name: string, ranges: readonly Range[], priority = 0): void {
  const mark = new Highlight(...ranges);
  mark.priority = priority;
  CSS.highlights.set(name, mark);
}
