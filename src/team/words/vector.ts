// Words with their positions → the text that PostgreSQL reads as a `tsvector`. What does not fit into one is cut here, where
// PostgreSQL would refuse the row: the end of a word of more than 2 KB; positions after 16,383, of which PostgreSQL keeps
// that they are somewhere there; all but the first 255 positions of a word; and of a text with a megabyte of different
// words the positions, then the words that come last.
import { Buffer } from 'node:buffer';
import { doubled, type Vocabulary } from './vocabulary.ts';

const mostWordBytes = 2046;
export const lastPosition: number = 16_383;
export const mostPositions: number = 255;
/** Of 1,048,575 bytes, with room for what PostgreSQL adds. */
const mostBytes = 1_000_000;

/** The part of a word that the store keeps. */
export function lexemeOf(word: string): string {
  if (word.length * 3 <= mostWordBytes) return word;
  const bytes = Buffer.from(word);
  if (bytes.length <= mostWordBytes) return word;
  let end = mostWordBytes;
  // Not inside a character: its first byte is not 10xxxxxx.
  while (((bytes[end] as number) & 0xc0) === 0x80) end--; // more bytes than that
  return bytes.toString('utf8', 0, end);
}

/** Builds one vector after the other from the words of a vocabulary. */
export class VectorBuilder {
  readonly #vocabulary: Vocabulary;
  /** By the number of a word: its lexeme, if that is one of the field and of this word. */
  #lexemes = new Int32Array(1 << 8);
  #lexemeCount = 0;
  #field = 0;
  #letter = '';
  /** Of each lexeme, in the order of the text: its word, the letter before it, how many positions it has. */
  #words = new Int32Array(1 << 8);
  #letters: string[] = [];
  #counts = new Int32Array(1 << 8);
  /** In the order of the text: a position, and whose it is. */
  #positions = new Int32Array(1 << 10);
  #owners = new Int32Array(1 << 10);
  #positionCount = 0;
  #bytes = 0;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** Begins the next vector. */
  clear(): void {
    this.#lexemeCount = 0;
    this.#letters = [];
    this.#positionCount = 0;
    this.#bytes = 0;
    this.beginField('');
  }

  /** The next words have this letter before them, which no field before had. */
  beginField(letter: string): void {
    this.#field = this.#lexemeCount;
    this.#letter = letter;
  }

  /** `word`: its number; `position`: from 1. */
  add(word: number, position: number): void {
    let lexeme = this.#lexemeOf(word);
    if (lexeme < 0) {
      const cut = this.#cut(word);
      if (cut !== word) lexeme = this.#lexemeOf(cut);
      if (lexeme < 0) {
        this.#push(this.#addLexeme(cut), Math.min(position, lastPosition));
        return;
      }
    }
    if (position > lastPosition || this.#counts[lexeme] === mostPositions) return;
    this.#push(lexeme, position);
    this.#bytes += 2;
  }

  toString(): string {
    return this.#bytes <= mostBytes ? this.#text() : this.#cutText();
  }

  /** Of a word that this field has already; else -1. */
  #lexemeOf(word: number): number {
    const lexeme = word < this.#lexemes.length ? (this.#lexemes[word] as number) : -1;
    return lexeme >= this.#field && lexeme < this.#lexemeCount && this.#words[lexeme] === word ? lexeme : -1;
  }

  /** The word that PostgreSQL has room for. */
  #cut(word: number): number {
    const letter = this.#letter;
    if (this.#vocabulary.lengthOf(word) + letter.length <= mostWordBytes) return word;
    return this.#vocabulary.numberOf(lexemeOf(letter + this.#vocabulary.wordOf(word)).slice(letter.length));
  }

  #addLexeme(word: number): number {
    while (word >= this.#lexemes.length) this.#lexemes = doubled(this.#lexemes);
    const lexeme = this.#lexemeCount++;
    if (this.#lexemeCount > this.#words.length) {
      this.#words = doubled(this.#words);
      this.#counts = doubled(this.#counts);
    }
    this.#lexemes[word] = lexeme;
    this.#words[lexeme] = word;
    this.#counts[lexeme] = 0;
    this.#letters.push(this.#letter);
    // With its first position, padded.
    this.#bytes += this.#vocabulary.lengthOf(word) + this.#letter.length + 6;
    return lexeme;
  }

  #push(lexeme: number, position: number): void {
    if (this.#positionCount === this.#positions.length) {
      this.#positions = doubled(this.#positions);
      this.#owners = doubled(this.#owners);
    }
    this.#positions[this.#positionCount] = position;
    this.#owners[this.#positionCount++] = lexeme;
    (this.#counts[lexeme] as number)++;
  }

  #text(): string {
    const vocabulary = this.#vocabulary;
    const positions = this.#byLexeme();
    let room = 6 * this.#positionCount;
    for (let i = 0; i < this.#lexemeCount; i++) room += vocabulary.lengthOf(this.#words[i] as number) + 5;
    const out = outOf(room);
    const from = vocabulary.bytes;
    let to = 0;
    let next = 0;
    let every = 0;
    for (let lexeme = 0; lexeme < this.#lexemeCount; lexeme++) {
      const word = this.#words[lexeme] as number;
      if (lexeme > 0) out[to++] = space;
      out[to++] = quote;
      const letter = this.#letters[lexeme] as string;
      if (letter !== '') out[to++] = letter.charCodeAt(0);
      const start = vocabulary.startOf(word);
      const end = start + vocabulary.lengthOf(word);
      for (let at = start; at < end; at++) {
        const byte = from[at] as number;
        every |= byte;
        out[to++] = byte;
      }
      out[to++] = quote;
      const last = next + (this.#counts[lexeme] as number);
      for (let separator = colon; next < last; separator = comma) {
        out[to++] = separator;
        to = writeNumber(out, to, positions[next++] as number);
      }
    }
    return every < 128 ? out.toString('latin1', 0, to) : out.toString('utf8', 0, to);
  }

  /** The positions of each lexeme, one after the other. */
  #byLexeme(): Int32Array {
    const ends = new Int32Array(this.#lexemeCount + 1);
    for (let i = 0; i < this.#lexemeCount; i++) ends[i + 1] = (ends[i] as number) + (this.#counts[i] as number);
    const sorted = new Int32Array(this.#positionCount);
    for (let i = 0; i < this.#positionCount; i++) {
      const owner = this.#owners[i] as number;
      const at = ends[owner] as number;
      sorted[at] = this.#positions[i] as number;
      ends[owner] = at + 1;
    }
    return sorted;
  }

  /** Words without positions, as many as there is room for, in the order of the text. */
  #cutText(): string {
    const words: string[] = [];
    let bytes = 0;
    for (let lexeme = 0; lexeme < this.#lexemeCount; lexeme++) {
      const word = this.#words[lexeme] as number;
      const letter = this.#letters[lexeme] as string;
      bytes += this.#vocabulary.lengthOf(word) + letter.length + 1;
      if (bytes > mostBytes) break;
      words.push(`'${letter}${this.#vocabulary.wordOf(word)}'`);
    }
    return words.join(' ');
  }
}

const [space, quote, comma, colon, zero] = [0x20, 0x27, 0x2c, 0x3a, 0x30];

function writeNumber(out: Buffer, start: number, number: number): number {
  let end = start + 1;
  for (let rest = number; rest >= 10; rest = Math.trunc(rest / 10)) end++;
  let rest = number;
  for (let at = end - 1; at >= start; at--) {
    out[at] = zero + (rest % 10);
    rest = Math.trunc(rest / 10);
  }
  return end;
}

/** The longest vector is 2 MB of text. */
let out = Buffer.allocUnsafeSlow(1 << 16);

function outOf(sizeBytes: number): Buffer {
  if (sizeBytes > out.length) out = Buffer.allocUnsafeSlow(2 * sizeBytes);
  return out;
}
