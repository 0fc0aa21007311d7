// Removes one layer of escaping (JSON, \xNN, %XX, HTML entities, continued shell lines, terminal colors) and maps positions
// back to the original. A tool's input is often JSON within JSON, so secrets are searched in each layer and replaced in the
// outermost.
import {
  type KeywordTable,
  makeKeywordTable,
  scanText,
  type TableKeyword,
  type TableRule,
  type TextHit,
} from './scan/index.ts';

export interface View {
  readonly text: string;
  /** The start of the character at `at` in the original text. */
  sourceStart(at: number): number;
  /** The end of the character before `at` in the original text, without colors after it. */
  sourceEnd(at: number): number;
}

/** Deeper nesting was never seen; each layer costs a pass. */
const deepest = 4;
const encoded =
  /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r?\n[ \t]{0,40})|%(?:[2-7][0-9a-fA-F]|0[9aAdD])|\x1b\[[0-9;]{0,20}[A-Za-z]|&(?:quot|apos|amp|lt|gt|#\d{2,3}|#x[0-9a-fA-F]{2});/g;
const marks: readonly string[] = ['\\', '%', '\x1b', '&quot;', '&#', '&amp;', '&apos;', '&lt;'];
const entities: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>' };
const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The text, then each layer inside it. */
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

/** The text without any layer, to compare copies of a secret. */
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
  // Shells and other languages remove the line end.
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

/** The number of units that end at or before the position. */
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

export interface Keyword<T> {
  /** At least three characters. */
  readonly text: string;
  /** Case-sensitive. */
  readonly exact: boolean;
  readonly owner: T;
}

interface Entry<T> extends Keyword<T> {
  readonly codes: Uint16Array;
}

export const shortestKeyword = 3;
const hashBits = 15;
const hashMask = (1 << hashBits) - 1;

/** Shorter texts are scanned faster here than in the module. */
const shortestScan = 200;

export class KeywordScanner<T> {
  private readonly entries: Entry<T>[] = [];
  private table: KeywordTable | null | undefined;
  private readonly buckets: (readonly Entry<T>[])[] = [[]];
  private readonly bucketOf = new Uint16Array(1 << hashBits);

  /** With `placesOf`, long texts are scanned by the WebAssembly module, and only the places that it gives are visited. */
  constructor(
    keywords: Iterable<Keyword<T>>,
    private readonly placesOf?: (owner: T) => TableRule | undefined,
  ) {
    const grouped = new Map<number, Entry<T>[]>();
    for (const keyword of keywords) {
      if (keyword.text.length < shortestKeyword) throw new RangeError(`keyword "${keyword.text}" is too short`);
      const text = keyword.exact ? keyword.text : foldText(keyword.text);
      const entry = { ...keyword, codes: Uint16Array.from(text, (_, i) => text.charCodeAt(i)) };
      this.entries.push(entry);
      const hash = hashOf(entry.codes);
      const group = grouped.get(hash);
      if (group === undefined) grouped.set(hash, [entry]);
      else group.push(entry);
    }
    for (const [hash, group] of grouped) this.bucketOf[hash] = this.buckets.push(group) - 1;
  }

  get keywords(): readonly Keyword<T>[] {
    return this.entries;
  }

  /** The keywords for a table of the module, in the same order. */
  tableKeywords(): TableKeyword[] {
    return this.entries.map(({ text, exact, owner }) => {
      const rule = this.placesOf?.(owner);
      return { text, exact, ...(rule === undefined ? {} : { rule }) };
    });
  }

  /** Calls `visit` for each match, from left to right. */
  scan(text: string, visit: (owner: T, at: number, length: number) => void): void {
    const hits = text.length >= shortestScan ? this.scanFast(text) : undefined;
    if (hits === undefined) this.scanHere(text, visit);
    else
      for (const { keyword, at } of hits) {
        const { owner, codes } = this.entries[keyword] as Entry<T>; // the table has these entries
        visit(owner, at, codes.length);
      }
  }

  private scanFast(text: string): TextHit[] | undefined {
    if (this.placesOf === undefined) return undefined;
    const isPossible = (): boolean => this.entries.every((entry) => isAscii(entry.text));
    if (this.table === undefined) this.table = isPossible() ? makeKeywordTable(this.tableKeywords()) : null;
    return this.table === null ? undefined : scanText(this.table, text);
  }

  private scanHere(text: string, visit: (owner: T, at: number, length: number) => void): void {
    const { bucketOf, buckets } = this;
    const length = text.length;
    let hash = 0;
    for (let i = 0; i < length; i++) {
      hash = ((hash << 5) ^ (text.charCodeAt(i) & 0x1f)) & hashMask;
      const bucket = bucketOf[hash] as number; // the hash is masked to the size of the table
      if (bucket === 0) continue;
      const at = i - 2;
      if (at < 0) continue;
      for (const entry of buckets[bucket] as readonly Entry<T>[]) {
        if (standsAt(text, at, entry)) visit(entry.owner, at, entry.codes.length);
      }
    }
  }
}

/** Five bits per letter, the same for both cases: three letters fill the table exactly. */
function hashOf(codes: Uint16Array): number {
  let hash = 0;
  for (let i = 0; i < 3; i++) hash = ((hash << 5) ^ ((codes[i] as number) & 0x1f)) & hashMask;
  return hash;
}

function standsAt(text: string, at: number, keyword: Entry<unknown>): boolean {
  const { codes, exact } = keyword;
  for (let i = 0; i < codes.length; i++) {
    const code = text.charCodeAt(at + i);
    if (code === codes[i]) continue;
    if (exact || fold(code) !== codes[i]) return false;
  }
  return true;
}

/** ASCII only: keywords have no other letters, and other foldings change the length of a text. */
function fold(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

function foldText(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}
