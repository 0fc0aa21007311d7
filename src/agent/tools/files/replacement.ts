// Replaces strings regardless of line endings: the model sees `\n`, the file may contain `\r\n`, or both. Everything
// outside of the matches stays unchanged.
import { lineEndOf, withLineEnd } from './file-text.ts';

export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The matches of `wanted`, as offsets into `text`. */
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

/** Maps offsets without the `\r` of line endings to offsets with them. Calls must be in ascending order. */
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
