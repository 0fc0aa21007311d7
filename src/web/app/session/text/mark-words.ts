// Which parts of a line of a diff changed, as word-diff.ts finds them, and its coloured words cut at them.
import type { CodeWord } from './highlight.ts';

/** A part of a line, without its mark: from this character to before that one. */
export type CharRange = readonly [from: number, to: number];

/** Coloured words cut at the changed parts, so that each piece is inside or outside of one. */
export function markWords(
  words: readonly CodeWord[],
  changed: readonly CharRange[],
): readonly (CodeWord & { readonly isChanged: boolean })[] {
  const pieces: (CodeWord & { readonly isChanged: boolean })[] = [];
  let at = 0;
  for (const { text, className } of words) {
    const end = at + text.length;
    for (let from = at; from < end; ) {
      const inside = changed.find(([start, stop]) => start <= from && from < stop);
      const next = inside?.[1] ?? Math.min(...changed.map(([start]) => (start > from ? start : end)), end);
      const to = Math.min(end, next);
      pieces.push({ text: text.slice(from - at, to - at), className, isChanged: inside !== undefined });
      from = to;
    }
    at = end;
  }
  return pieces;
}
