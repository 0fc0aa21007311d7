// Finds the lines of a transcript that cannot hold a secret, without parsing them. The WebAssembly module finds the keywords of
// the rules in every text of the line and in every layer of escaping, and here the rules judge these places. A line that is
// let through has no place where any rule accepts a value; every other line is read and judged as a whole.
import { isUtf8 } from 'node:buffer';
import { encodedParts } from './encoded-text.ts';
import type { RuleSet } from './find.ts';
import { decodeString, keptNames, quotedSecrets } from './json-view.ts';
import { type KeywordTable, type LineScan, makeKeywordTable, scanRecord } from './scan/index.ts';
import { type PreparedRule, reachOf, Trials } from './trials.ts';
import { viewsOf } from './view.ts';

/** A line without secrets. */
export interface CleanLine {
  /** The names of tools in it. */
  readonly toolNames: readonly string[];
  /** Whether `JSON.stringify` writes the same line for the same value. */
  readonly isCanonical: boolean;
  /** Whether a value that `isPlainValue` accepts can be in a text of the line only if it is in the bytes of the line. */
  readonly isPlain: boolean;
}

/** JSON and the layers of escaping write such a value as it is, unless they use the code of a character. */
export function isPlainValue(value: string): boolean {
  return /^[^"\\\x00-\x1f]*$/.test(value) && value.trim() !== '' && value.isWellFormed();
}

/** A keyword of a rule, of `hexDumps`, or a known value. */
type Owner = PreparedRule | 'dump' | 'known';

export class LineFilter {
  readonly #rules: RuleSet | undefined;
  readonly #known: readonly string[];
  readonly #owners: readonly Owner[];
  readonly #table: KeywordTable | undefined;

  /** `known`: values that are searched everywhere. Without rules, only these are searched. */
  constructor(rules: RuleSet | undefined, known: readonly string[] = []) {
    this.#rules = rules;
    this.#known = known;
    const keywords = [
      ...(rules?.scanner.tableKeywords() ?? []),
      { text: dumpStart, exact: true },
      ...known.map((text) => ({ text, exact: true })),
    ];
    const ruled = rules?.scanner.keywords.map(({ owner }) => owner) ?? [];
    this.#owners = [...ruled, 'dump', ...known.map(() => 'known' as const)];
    // A rule without keywords may match anywhere.
    const isPossible =
      (rules === undefined || rules.everywhere.length === 0) &&
      keywords.every(({ text }) => text.isWellFormed() && text.length <= longestKeyword);
    this.#table = isPossible ? makeKeywordTable(keywords, keptNames) : undefined;
  }

  /** `undefined` if the line may hold a secret. */
  judge(line: Buffer): CleanLine | undefined {
    if (this.#table === undefined || !isUtf8(line)) return undefined;
    const scan = scanRecord(this.#table, line);
    if (scan === undefined || this.#mayHoldSecret(scan, line)) return undefined;
    const isPlain = scan.isPlain && !this.#isDumped(scan);
    return { toolNames: namesIn(scan, line), isCanonical: scan.isCanonical, isPlain };
  }

  #isDumped({ hits }: LineScan): boolean {
    for (let i = 0; i < hits.length; i += 3) if (this.#owners[hits[i] as number] === 'dump') return true;
    return false;
  }

  #mayHoldSecret(scan: LineScan, line: Buffer): boolean {
    // The last two scan other texts, which ends the validity of this scan.
    return this.#isAtHit(scan) || this.#isEncoded(scan) || this.#isQuotedSecret(scan, line);
  }

  #isAtHit(scan: LineScan): boolean {
    const { hits } = scan;
    for (let i = 0; i < hits.length; i += 3) if (this.#owners[hits[i] as number] === 'known') return true;
    for (let i = 0; i < hits.length; i += 3) {
      const owner = this.#owners[hits[i] as number] as Owner; // the keyword of the hit
      if (typeof owner === 'string') continue;
      if (this.#isClaim(scan, owner, hits[i + 1] as number, hits[i + 2] as number)) return true;
    }
    return false;
  }

  /** Tries the rule in the part of the text that decides its match. */
  #isClaim({ memory, texts }: LineScan, owner: PreparedRule, index: number, place: number): boolean {
    const rules = this.#rules;
    if (rules === undefined) return false;
    const [start, end] = [texts[4 * index] as number, texts[4 * index + 1] as number];
    const { before, after } = reachOf(owner.rule);
    const at = start + place;
    let from = Math.max(start, at - bytesOfUnit * before);
    while (from > start && isContinuation(memory[from] as number)) from--;
    let to = Math.min(end, at + bytesOfUnit * after);
    while (to < end && isContinuation(memory[to] as number)) to++;
    const left = memory.toString('utf8', from, at);
    let isClaimed = false;
    const trials = new Trials(left + memory.toString('utf8', at, to), rules, () => {
      isClaimed = true;
    });
    trials.tryAt(owner, left.length);
    return isClaimed;
  }

  /** Text in base64, hex digits, or a dump of bytes. */
  #isEncoded(scan: LineScan): boolean {
    const { texts, hits } = scan;
    const suspects = new Set<number>();
    for (let i = 0; i < texts.length; i += 4) if (texts[i + 3] === 1) suspects.add(i / 4);
    for (let i = 0; i < hits.length; i += 3)
      if (this.#owners[hits[i] as number] === 'dump') suspects.add(hits[i + 1] as number);
    const decoded = [...suspects].map((index) => textOf(scan, index));
    return decoded.some((text) =>
      encodedParts(text).some((part) => viewsOf(part.text).some((view) => this.#holds(view.text))),
    );
  }

  #holds(text: string): boolean {
    if (this.#known.some((value) => text.includes(value))) return true;
    const rules = this.#rules;
    if (rules === undefined) return false;
    let isHeld = false;
    const trials = new Trials(text, rules, () => {
      isHeld = true;
    });
    rules.scanner.scan(text, (owner, at) => trials.tryAt(owner, at));
    return isHeld;
  }

  #isQuotedSecret({ quoted }: LineScan, line: Buffer): boolean {
    const rules = this.#rules;
    if (rules === undefined) return false;
    for (let i = 0; i < quoted.length; i += 4) {
      const [keyStart, keyEnd, start, end] = quoted.subarray(i, i + 4) as unknown as [number, number, number, number];
      const name = decodeString(line.toString('utf8', keyStart, keyEnd));
      if (name === undefined || quotedSecrets(name, line.toString('utf8', start, end), rules).length > 0) return true;
    }
    return false;
  }
}

/** How a dump of bytes begins, see `encodedParts`. */
const dumpStart = '00000000';
/** In bytes, the table has 65,535. */
const longestKeyword = 20_000;

function namesIn({ names }: LineScan, line: Buffer): string[] {
  return Array.from({ length: names.length / 2 }, (_, i) => line.toString('utf8', names[2 * i], names[2 * i + 1]));
}

function textOf({ memory, texts }: LineScan, index: number): string {
  return memory.toString('utf8', texts[4 * index], texts[4 * index + 1]);
}

/** The most bytes of UTF-8 for one unit of UTF-16. */
const bytesOfUnit = 3;

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
