// Long pastes: the editor, the history and the transcript show a placeholder such as `[Pasted 500 lines]`, which moves and
// disappears as one character; the model gets the whole text.
import type { TextBuffer } from './text-buffer.ts';

/** The pasted texts by their placeholders. */
export type Pastes = ReadonlyMap<string, string>;

export const noPastes: Pastes = new Map();

const longPasteLines = 10;
const longPasteChars = 1000;

export function isLongPaste(text: string): boolean {
  return text.length > longPasteChars || countLines(text) > longPasteLines;
}

/** `[Pasted 500 lines]`, and `[Pasted 500 lines #2]` if the text already has a placeholder. */
export function placeholderFor(pasted: string, text: string, pastes: Pastes): string {
  const lines = countLines(pasted);
  const size = lines === 1 ? `${pasted.length} characters` : `${lines} lines`;
  for (let number = pastes.size + 1; ; number++) {
    const placeholder = number === 1 ? `[Pasted ${size}]` : `[Pasted ${size} #${number}]`;
    if (!pastes.has(placeholder) && !text.includes(placeholder)) return placeholder;
  }
}

function countLines(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

export function expandPastes(text: string, pastes: Pastes): string {
  let expanded = '';
  let copied = 0;
  for (const { start, end, placeholder } of placesOf(text, pastes)) {
    expanded += text.slice(copied, start) + (pastes.get(placeholder) ?? '');
    copied = end;
  }
  return expanded + text.slice(copied);
}

/** The text with its pastes folded again, where they are unchanged. */
export function foldPastes(text: string, pastes: Pastes): { readonly shown: string; readonly pastes: Pastes } {
  let shown = text;
  for (const [placeholder, pasted] of pastes) shown = shown.replace(pasted, () => placeholder);
  return { shown, pastes: pastesIn(shown, pastes) };
}

/** The pastes that the text still names. */
export function pastesIn(text: string, pastes: Pastes): Pastes {
  return new Map([...pastes].filter(([placeholder]) => text.includes(placeholder)));
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly placeholder: string;
}

/** In order. Each placeholder counts once: the same words typed by hand are only words. */
function placesOf(text: string, pastes: Pastes): readonly Place[] {
  return [...pastes.keys()]
    .map((placeholder) => ({ start: text.indexOf(placeholder), placeholder }))
    .filter(({ start }) => start >= 0)
    .map(({ start, placeholder }) => ({ start, end: start + placeholder.length, placeholder }))
    .sort((a, b) => a.start - b.start);
}

/** The result of an edit, changed so that no placeholder is cut in two and the cursor is never inside one. */
export function keepPlaceholders(before: TextBuffer, after: TextBuffer, pastes: Pastes): TextBuffer {
  if (pastes.size === 0) return after;
  return withCursorOutside(before, withoutCutPlaceholders(before, after, pastes), pastes);
}

/** An edit that removes a part of a placeholder removes all of it. */
function withoutCutPlaceholders(before: TextBuffer, after: TextBuffer, pastes: Pastes): TextBuffer {
  const removed = removedRange(before.text, after.text);
  if (removed === undefined) return after;
  let [start, end] = removed;
  for (const place of placesOf(before.text, pastes)) {
    if (place.end <= start || place.start >= end) continue;
    start = Math.min(start, place.start);
    end = Math.max(end, place.end);
  }
  return { text: before.text.slice(0, start) + before.text.slice(end), cursor: start };
}

/** `undefined` if the edit is not a removal. */
function removedRange(before: string, after: string): [number, number] | undefined {
  if (after.length >= before.length) return undefined;
  let start = 0;
  while (start < after.length && before[start] === after[start]) start++;
  const end = before.length - (after.length - start);
  return before.slice(end) === after.slice(start) ? [start, end] : undefined;
}

function withCursorOutside(before: TextBuffer, after: TextBuffer, pastes: Pastes): TextBuffer {
  const place = placesOf(after.text, pastes).find(({ start, end }) => after.cursor > start && after.cursor < end);
  if (place === undefined) return after;
  return { ...after, cursor: before.cursor <= place.start ? place.end : place.start };
}
