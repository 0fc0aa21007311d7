// Finds all keywords in a text in one pass. Almost no text has a secret, so this takes most of the time: three letters are
// hashed at each position, and only a position with the hash of a keyword is compared.

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

export class KeywordScanner<T> {
  private readonly buckets: (readonly Entry<T>[])[] = [[]];
  private readonly bucketOf = new Uint16Array(1 << hashBits);

  constructor(keywords: Iterable<Keyword<T>>) {
    const grouped = new Map<number, Entry<T>[]>();
    for (const keyword of keywords) {
      if (keyword.text.length < shortestKeyword) throw new RangeError(`keyword "${keyword.text}" is too short`);
      const text = keyword.exact ? keyword.text : foldText(keyword.text);
      const entry = { ...keyword, codes: Uint16Array.from(text, (_, i) => text.charCodeAt(i)) };
      const hash = hashOf(entry.codes);
      const group = grouped.get(hash);
      if (group === undefined) grouped.set(hash, [entry]);
      else group.push(entry);
    }
    for (const [hash, group] of grouped) this.bucketOf[hash] = this.buckets.push(group) - 1;
  }

  /** Calls `visit` for each match, from left to right. */
  scan(text: string, visit: (owner: T, at: number, length: number) => void): void {
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
