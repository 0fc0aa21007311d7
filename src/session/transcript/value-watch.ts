// The lines of a transcript → the lines that the client reads as a part of a value that begins on an earlier line. Where
// a line begins an array or object and does not end it, the client reads on: the lines up to the end of the value, or up
// to the end of the file, are not records for it (RESUME R14). A value that is broken, as by two records without a comma
// between them, costs only its first line.
import { parseJson } from '../../base/json/index.ts';
import { skipScalar, skipString, skipWhitespace } from '../../format/bytes/index.ts';

/** The bytes of a file that the client reads as one value, from its first byte to the end of its last line. */
export interface ValueSpan {
  readonly start: number;
  readonly end: number;
}

export class ValueWatch {
  /** Those that are not broken, in the order of the file. The first is what the client reads unless it breaks. */
  #values: OpenValue[] = [];

  /** Whether a later line can change what the client reads of the lines so far. */
  get isOpen(): boolean {
    return this.#values.length > 0;
  }

  /** `isWhole`: the line is one whole object. Returns the spans that are complete now. */
  take(bytes: Buffer, offset: number, isWhole: boolean): readonly ValueSpan[] {
    if (isWhole && !this.isOpen) return [];
    const end = offset + bytes.length;
    for (const value of this.#values) if (value.state === 'open') value.take(bytes, 0, end);
    const start = skipWhitespace(bytes, 0);
    const begins = !isWhole && (bytes[start] === openBracket || bytes[start] === openBrace);
    if (begins && this.#values.length < maxValues) {
      const value = new OpenValue(offset + start);
      value.take(bytes, start, end);
      if (value.state !== 'ended') this.#values.push(value);
    }
    return this.#settle();
  }

  /** At the end of the file: what is still open is never ended. */
  finish(size: number): readonly ValueSpan[] {
    const [first] = this.#values;
    this.#values = [];
    return first === undefined ? [] : [{ start: first.start, end: size }];
  }

  #settle(): readonly ValueSpan[] {
    const ended: ValueSpan[] = [];
    this.#values = this.#values.filter(({ state }) => state !== 'broken');
    for (let first = this.#values[0]; first?.state === 'ended'; first = this.#values[0]) {
      const { start, end } = first;
      ended.push({ start, end });
      this.#values = this.#values.filter((value) => value.start >= end);
    }
    return ended;
  }
}

/** More than one is open only in files that are not transcripts. */
const maxValues = 32;

/** One value, read line by line. Strict, as the client is: a wrong number or a control character in a string breaks it. */
class OpenValue {
  readonly start: number;
  state: 'open' | 'ended' | 'broken' = 'open';
  /** After the end of the line with its last byte. */
  end = 0;
  readonly #closers: number[] = [];
  #expects: 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' = 'value';

  constructor(start: number) {
    this.start = start;
  }

  take(bytes: Buffer, from: number, end: number): void {
    let at = skipWhitespace(bytes, from);
    while (this.state === 'open' && at < bytes.length) {
      const next = this.#step(bytes, at);
      if (next < 0) this.state = 'broken';
      else at = skipWhitespace(bytes, next);
    }
    if (this.state === 'ended') this.end = end;
  }

  /** The position after one token; negative if it does not belong there. */
  #step(bytes: Buffer, at: number): number {
    const byte = bytes[at] as number; // the caller has checked the length
    const expects = this.#expects;
    if (byte === this.#closers.at(-1) && expects.endsWith('end')) return this.#close(at);
    if (expects === 'colon' || expects === 'comma or end') {
      if (byte !== (expects === 'colon' ? colon : comma)) return -1;
      this.#expects = expects === 'comma or end' && this.#closers.at(-1) === closeBrace ? 'key' : 'value';
      return at + 1;
    }
    const isKey = expects.startsWith('key');
    if (!isKey && (byte === openBracket || byte === openBrace)) {
      this.#closers.push(byte + toClosing);
      this.#expects = byte === openBrace ? 'key or end' : 'value or end';
      return at + 1;
    }
    if (isKey && byte !== quote) return -1;
    this.#expects = isKey ? 'colon' : 'comma or end';
    return skipToken(bytes, at);
  }

  #close(at: number): number {
    this.#closers.pop();
    this.#expects = 'comma or end';
    if (this.#closers.length === 0) this.state = 'ended';
    return at + 1;
  }
}

/** The position after a string, number or word; negative if it is not one in JSON. */
function skipToken(bytes: Buffer, at: number): number {
  const end = bytes[at] === quote ? skipString(bytes, at) : skipScalar(bytes, at);
  return end < 0 || parseJson(bytes.toString('utf8', at, end)) === undefined ? -1 : end;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const openBrace = 0x7b;
const closeBrace = 0x7d;
/** In ASCII both closing brackets are two after their opening ones. */
const toClosing = 2;
