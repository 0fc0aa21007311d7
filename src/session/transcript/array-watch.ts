// The lines of a transcript → whether they are inside an array. If a line begins one, the client reads until it
// ends or is broken; lines inside a whole array, or inside one that the end of the file cuts, are not records for it
// (RESUME R14). An array that is broken, as by two records without a comma between them, costs only its first line.
import { skipValue, skipWhitespace } from '../../format/bytes/index.ts';

/** The state before the place to which an array was read. */
type ArrayState = 'start' | 'value' | 'comma';

export class ArrayWatch {
  #state: ArrayState | undefined;

  /** Whether the line begins, continues, ends or breaks an array, or is outside of one. */
  take(bytes: Buffer): 'begins' | 'continues' | 'ends' | 'breaks' | 'none' {
    const start = skipWhitespace(bytes, 0);
    const isOpen = this.#state !== undefined;
    if (!isOpen && bytes[start] !== openBracket) return 'none';
    const state = readArray(bytes, isOpen ? 0 : start + 1, this.#state ?? 'start');
    this.#state = state === 'end' || state === 'broken' ? undefined : state;
    if (state === 'broken') return isOpen ? 'breaks' : 'none';
    if (!isOpen) return state === 'end' ? 'none' : 'begins';
    return state === 'end' ? 'ends' : 'continues';
  }
}

const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Reads an array through one more line. A value that is itself broken over several lines counts as damage. */
function readArray(bytes: Buffer, from: number, before: ArrayState): ArrayState | 'end' | 'broken' {
  let state = before;
  for (let at = skipWhitespace(bytes, from); at < bytes.length; at = skipWhitespace(bytes, at)) {
    const byte = bytes[at];
    if (byte === closeBracket && state !== 'comma') return 'end';
    if (state === 'value') {
      if (byte !== comma) return 'broken';
      state = 'comma';
      at++;
    } else {
      at = skipValue(bytes, at);
      if (at < 0) return 'broken';
      state = 'value';
    }
  }
  return state;
}
