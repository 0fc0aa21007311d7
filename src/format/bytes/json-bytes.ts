// Finds positions in JSON bytes without decoding them: the end of a value, the place of a member. It only checks the
// shape (brackets, commas, colons, quotes), not the content of strings and numbers.

/** A member of an object: from the opening quote of its key to the byte after its value. */
export interface MemberSpan {
  readonly keyStart: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

export interface ValueSpan {
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** What `skipValue` saw, for callers that need to know why a value is incomplete. */
export interface ValueTrace {
  /** The first unexpected byte, or the length of the buffer if it ends too early. */
  stoppedAt: number;
  /** The object that was closed last; -1 if there was none. */
  objectStart: number;
  objectEnd: number;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const openArray = 0x5b;
const openObject = 0x7b;
const closeObject = 0x7d;
/** In ASCII both closing brackets are two after their opening ones. */
const toClosing = 2;

/** The position after the value at `at` (white space before it is skipped), or -1 if it is incomplete. */
export function skipValue(bytes: Buffer, at: number, trace?: ValueTrace): number {
  let open: Float64Array = shallow;
  let depth = 0;
  let closing = 0;
  let objectStart = -1;
  let objectEnd = -1;
  let position = skipWhitespace(bytes, at);
  value: for (;;) {
    const byte = bytes[position];
    if (byte === quote) {
      position = skipString(bytes, position);
      if (position === -1) position = failed(bytes.length);
    } else if (byte === openObject || byte === openArray) {
      if (depth === open.length) open = deeper(open);
      open[depth++] = position;
      closing = byte + toClosing;
      position = skipWhitespace(bytes, position + 1);
      if (bytes[position] !== closing) {
        if (byte === openObject) position = skipKey(bytes, position);
        if (position >= 0) continue;
      }
    } else {
      position = skipScalar(bytes, position);
    }
    while (position >= 0) {
      if (depth === 0) break value;
      position = skipWhitespace(bytes, position);
      const next = bytes[position];
      if (next === comma) {
        position = skipWhitespace(bytes, position + 1);
        if (closing === closeObject) position = skipKey(bytes, position);
        if (position >= 0) continue value;
      } else if (next === closing) {
        position++;
        depth--;
        if (closing === closeObject) {
          objectStart = open[depth] as number;
          objectEnd = position;
        }
        if (depth > 0) closing = (bytes[open[depth - 1] as number] as number) + toClosing;
      } else {
        position = failed(position);
      }
    }
    break;
  }
  if (trace !== undefined) {
    trace.stoppedAt = position < 0 ? failed(position) : position;
    trace.objectStart = objectStart;
    trace.objectEnd = objectEnd;
  }
  return position < 0 ? -1 : position;
}

export function skipWhitespace(bytes: Buffer, at: number): number {
  // Nearly no line has white space: one comparison instead of four (12 % of `skipValue`).
  if ((bytes[at] as number) > 0x20) return at;
  let position = at;
  while (position < bytes.length && isWhitespace(bytes[position] as number)) position++;
  return position;
}

export function isWhitespace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** From the opening quote at `at` to the position after the closing one, or -1 if there is none. */
export function skipString(bytes: Buffer, at: number): number {
  let position = at + 1;
  const near = Math.min(position + nearBytes, bytes.length);
  while (position < near) {
    const byte = bytes[position];
    if (byte === quote) return position + 1;
    position += byte === backslash ? 2 : 1;
  }
  for (;;) {
    const end = bytes.indexOf(quote, position);
    if (end === -1) return -1;
    let slash = end;
    while (slash > position && bytes[slash - 1] === backslash) slash--;
    if (((end - slash) & 1) === 0) return end + 1;
    position = end + 1;
  }
}

/** The member `key` of the object at `objectAt`; the last one of duplicates, as in JSON.parse. */
export function findMember(bytes: Buffer, objectAt: number, key: string): MemberSpan | undefined {
  const start = skipWhitespace(bytes, objectAt);
  if (bytes[start] !== openObject) return undefined;
  let keyStart = skipWhitespace(bytes, start + 1);
  if (bytes[keyStart] === closeObject) return undefined;
  let found: MemberSpan | undefined;
  for (;;) {
    const valueStart = skipKey(bytes, keyStart);
    if (valueStart < 0) return undefined;
    const valueEnd = skipValue(bytes, valueStart);
    if (valueEnd === -1) return undefined;
    if (keyEquals(bytes, keyStart, key)) found = { keyStart, valueStart, valueEnd };
    const next = skipWhitespace(bytes, valueEnd);
    if (bytes[next] === closeObject) return found;
    if (bytes[next] !== comma) return undefined;
    keyStart = skipWhitespace(bytes, next + 1);
  }
}

/** The string whose opening quote is at `at`; `undefined` if its escapes are invalid. */
export function decodeString(bytes: Buffer, at: number): string | undefined {
  try {
    return JSON.parse(bytes.toString('utf8', at, skipString(bytes, at))) as string;
  } catch {
    return undefined;
  }
}

/** From the opening quote of a key to the first byte of its value; `failed(position)` if it is not a key with a colon. */
export function skipKey(bytes: Buffer, at: number): number {
  if (bytes[at] !== quote) return failed(at);
  const end = skipString(bytes, at);
  if (end === -1) return failed(bytes.length);
  const afterKey = skipWhitespace(bytes, end);
  return bytes[afterKey] === colon ? skipWhitespace(bytes, afterKey + 1) : failed(afterKey);
}

/** Up to this length a byte loop is faster than `indexOf` (measured: most strings are short). */
const nearBytes = 48;

/** A stack of open brackets; a deeper line gets a larger one, which is not kept. */
const shallow = new Float64Array(256);

function deeper(open: Float64Array): Float64Array {
  const grown = new Float64Array(open.length * 2);
  grown.set(open);
  return grown;
}

/** Encodes "stopped at this position" as a negative number, and back. */
function failed(position: number): number {
  return -1 - position;
}

const isScalarByte: Uint8Array = new Uint8Array(256);
for (const char of '+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz') {
  isScalarByte[char.charCodeAt(0)] = 1;
}

/** The position after a number or a word; negative if there is none. */
export function skipScalar(bytes: Buffer, at: number): number {
  let position = at;
  while (position < bytes.length && isScalarByte[bytes[position] as number] === 1) position++;
  return position === at ? failed(at) : position;
}

/** Compares without decoding if the key is plain ASCII, which it nearly always is. */
function keyEquals(bytes: Buffer, keyStart: number, key: string): boolean {
  for (let index = 0; index < key.length; index++) {
    const byte = bytes[keyStart + 1 + index] as number;
    if (byte === backslash || byte >= 0x80) return decodeString(bytes, keyStart) === key;
    if (byte === quote || byte !== key.charCodeAt(index)) return false;
  }
  return bytes[keyStart + 1 + key.length] === quote;
}
