// A text as it is written → the same text one layer of writing further in: JSON escapes, \xNN, %XX, entities of HTML,
// continued lines of a shell and terminal colours taken off, with the way back to the places in the original. A tool's input is often JSON within JSON, so a secret has to be
// looked for in each layer, and cut out of the outermost.

export interface View {
  readonly text: string;
  /** Where in the original text the character at a place of this one begins. */
  sourceStart(at: number): number;
  /** Where in the original text the character before a place of this one ends; colours behind it stay outside. */
  sourceEnd(at: number): number;
}

/** Deeper nesting than this was never seen; each layer costs another pass. */
const deepest = 4;
const encoded =
  /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r?\n[ \t]{0,40})|%(?:[2-7][0-9a-fA-F]|0[9aAdD])|\x1b\[[0-9;]{0,20}[A-Za-z]|&(?:quot|apos|amp|lt|gt|#\d{2,3}|#x[0-9a-fA-F]{2});/g;
const marks: readonly string[] = ['\\', '%', '\x1b', '&quot;', '&#', '&amp;', '&apos;', '&lt;'];
const entities: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>' };
const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The text itself, then each layer inside it; one view for a text without escapes. */
export function viewsOf(text: string): View[] {
  const views: View[] = [{ text, sourceStart: (at) => at, sourceEnd: (at) => at }];
  for (let outer = views[0]; outer !== undefined && views.length <= deepest; ) {
    const inner = decodeOnce(outer);
    if (inner === undefined) break;
    views.push(inner);
    outer = inner;
  }
  return views;
}

/** The text with all layers taken off: what two copies of a secret have in common. */
export function innermostText(text: string): string {
  return viewsOf(text).at(-1)?.text ?? text;
}

function decodeOnce(outer: View): View | undefined {
  const { text } = outer;
  if (!marks.some((mark) => text.includes(mark))) return undefined;
  const parts: string[] = [];
  const units: Units = { innerStarts: [], innerEnds: [], outerEnds: [] };
  let done = 0;
  let length = 0;
  for (const match of text.matchAll(encoded)) {
    const plain = decodeUnit(match[0]);
    parts.push(text.slice(done, match.index), plain);
    length += match.index - done;
    units.innerStarts.push(length);
    length += plain.length;
    done = match.index + match[0].length;
    units.innerEnds.push(length);
    units.outerEnds.push(done);
  }
  if (parts.length === 0) return undefined;
  parts.push(text.slice(done));
  return {
    text: parts.join(''),
    sourceStart: (at) => outer.sourceStart(countOn(at, unitsBefore(units, at), units)),
    sourceEnd: (at) => outer.sourceEnd(endOf(at, units)),
  };
}

interface Units {
  readonly innerStarts: number[];
  readonly innerEnds: number[];
  readonly outerEnds: number[];
}

function decodeUnit(unit: string): string {
  if (unit.startsWith('\x1b')) return '';
  if (unit.startsWith('%')) return String.fromCharCode(Number.parseInt(unit.slice(1), 16));
  if (unit.startsWith('&')) return decodeEntity(unit.slice(1, -1));
  const letter = unit.charAt(1);
  // The shell and the languages that know it take the end of the line out.
  if (letter === '\n' || letter === '\r') return '';
  if (letter === 'u' || letter === 'x') return String.fromCharCode(Number.parseInt(unit.slice(2), 16));
  return controls[letter] ?? letter;
}

function decodeEntity(name: string): string {
  if (!name.startsWith('#')) return entities[name] ?? '';
  return String.fromCharCode(Number.parseInt(name.replace(/^#x?/, ''), name.startsWith('#x') ? 16 : 10));
}

function endOf(at: number, units: Units): number {
  const before = unitsBefore(units, at - 1);
  const start = units.innerStarts[before];
  return start === at - 1 && units.innerEnds[before] === at
    ? (units.outerEnds[before] as number)
    : countOn(at, before, units);
}

/** How many units end at or before the place. */
function unitsBefore({ innerEnds }: Units, at: number): number {
  let low = 0;
  let high = innerEnds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((innerEnds[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function countOn(at: number, before: number, { innerEnds, outerEnds }: Units): number {
  if (before === 0) return at;
  return (outerEnds[before - 1] as number) + at - (innerEnds[before - 1] as number);
}
