// Words with their positions → the text that PostgreSQL reads as a `tsvector`. What does not fit into one is cut here, where
// PostgreSQL would refuse the row: the end of a word of more than 2 KB; positions after 16,383, of which PostgreSQL keeps
// that they are somewhere there; all but the first 255 positions of a word; and of a text with a megabyte of different
// words the positions, then the words that come last.
import { Buffer } from 'node:buffer';

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

export class VectorBuilder {
  readonly #positions = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  #bytes = 0;

  /** `position`: from 1. */
  add(word: string, position: number): void {
    const lexeme = lexemeOf(word);
    const known = this.#positions.get(lexeme);
    if (known === undefined) {
      this.#bytes += wordBytes(lexeme);
      this.#positions.set(lexeme, String(Math.min(position, lastPosition)));
      return;
    }
    if (position > lastPosition) return;
    const count = (this.#counts.get(lexeme) ?? 1) + 1;
    if (count > mostPositions) return;
    this.#counts.set(lexeme, count);
    this.#positions.set(lexeme, `${known},${position}`);
    this.#bytes += 2;
  }

  toString(): string {
    if (this.#bytes <= mostBytes) return Array.from(this.#positions, ([word, at]) => `'${word}':${at}`).join(' ');
    return this.#cutText();
  }

  /** Words without positions, as many as there is room for, in the order of the text. */
  #cutText(): string {
    const words: string[] = [];
    let bytes = 0;
    for (const word of this.#positions.keys()) {
      bytes += Buffer.byteLength(word) + 1;
      if (bytes > mostBytes) break;
      words.push(`'${word}'`);
    }
    return words.join(' ');
  }
}

/** With its first position, padded. */
function wordBytes(word: string): number {
  return (word.length < 40 && /^[\0-\x7f]*$/.test(word) ? word.length : Buffer.byteLength(word)) + 6;
}
