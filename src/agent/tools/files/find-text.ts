// Finds the text to replace in a file, and replaces it: line ends count as equal, and straight quotation marks find curly
// ones, which models cannot tell apart. Everything else must be the same.
import { lineEndOf, withLineEnd } from './file-text.ts';

/** Offsets into the text of the file. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

export function findText(text: string, wanted: string): readonly Place[] {
  const plain = text.replaceAll('\r\n', '\n');
  const part = wanted.replaceAll('\r\n', '\n');
  if (part === '') return [];
  const exact = placesOf(plain, part);
  const found = exact.length > 0 ? exact : placesOf(straighten(plain), straighten(part));
  if (plain.length === text.length) return found;
  const toText = makeMap(text);
  return found.map(({ start, end }) => ({ start: toText(start), end: toText(end) }));
}

function placesOf(text: string, part: string): readonly Place[] {
  const places: Place[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length))
    places.push({ start: at, end: at + part.length });
  return places;
}

export function replaceFound(text: string, places: readonly Place[], wanted: string, replacement: string): string {
  const usual = lineEndOf(text);
  const pieces: string[] = [];
  let from = 0;
  for (const place of places) {
    const { start } = place;
    const end = replacement === '' ? endOfDeletion(text, place) : place.end;
    const replaced = text.slice(start, end);
    const curled = curlLike(replaced, wanted, replacement);
    pieces.push(text.slice(from, start), withLineEnd(curled, replaced.includes('\n') ? lineEndOf(replaced) : usual));
    from = end;
  }
  return [...pieces, text.slice(from)].join('');
}

/** Whole lines are deleted with the end of the last one, so that no empty line stays. */
function endOfDeletion(text: string, { start, end }: Place): number {
  const isWhole = (start === 0 || text[start - 1] === '\n') && text[end - 1] !== '\n';
  return isWhole ? end + (/^\r?\n/.exec(text.slice(end, end + 2))?.[0].length ?? 0) : end;
}

const curly: Readonly<Record<string, string>> = { '\u2018': "'", '\u2019': "'", '\u201c': '"', '\u201d': '"' };

function straighten(text: string): string {
  return text.replace(/[\u2018\u2019\u201c\u201d]/g, (mark) => curly[mark] ?? mark);
}

/** If straight marks were found as curly ones, the new text gets curly ones of the same kinds. */
function curlLike(found: string, wanted: string, replacement: string): string {
  if (found.replaceAll('\r\n', '\n') === wanted.replaceAll('\r\n', '\n')) return replacement;
  const double = /[\u201c\u201d]/.test(found) ? curl(replacement, '"', '\u201c', '\u201d') : replacement;
  return /[\u2018\u2019]/.test(found) ? curl(double, "'", '\u2018', '\u2019') : double;
}

/** A mark after a blank, a bracket or a dash opens; any other closes, or is an apostrophe. */
function curl(text: string, straight: string, open: string, close: string): string {
  return text.replaceAll(straight, (_, at: number) =>
    at === 0 || /[\s([{\u2013\u2014]/.test(text[at - 1] ?? '') ? open : close,
  );
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
