// old_string → new_string in a text, compared without regard to how lines end: the model sees `\n`, the file may have
// `\r\n`, or both. Only the matched stretches are replaced; every other character stays as it is.
import { lineEndOf, withLineEnd } from './file-text.ts';

export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Where `wanted` stands in `text`, as offsets into `text`. */
export function findStretches(text: string, wanted: string): readonly Stretch[] {
  const plain = text.replaceAll('\r\n', '\n');
  const part = wanted.replaceAll('\r\n', '\n');
  if (part === '') return [];
  const stretches: Stretch[] = [];
  const toText = plain.length === text.length ? (at: number) => at : makeMap(text);
  for (let at = plain.indexOf(part); at >= 0; at = plain.indexOf(part, at + part.length))
    stretches.push({ start: toText(at), end: toText(at + part.length) });
  return stretches;
}

export function replaceStretches(text: string, stretches: readonly Stretch[], replacement: string): string {
  const usual = lineEndOf(text);
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of stretches) {
    const replaced = text.slice(start, end);
    pieces.push(
      text.slice(from, start),
      withLineEnd(replacement, replaced.includes('\n') ? lineEndOf(replaced) : usual),
    );
    from = end;
  }
  return [...pieces, text.slice(from)].join('');
}

/** Offsets without the `\r` of line ends → offsets with them; asked in rising order. */
function makeMap(text: string): (plainAt: number) => number {
  let removed = 0;
  let next = text.indexOf('\r\n');
  return (plainAt) => {
    while (next >= 0 && next - removed < plainAt) {
      removed++;
      next = text.indexOf('\r\n', next + 2);
    }
    return plainAt + removed;
  };
}
