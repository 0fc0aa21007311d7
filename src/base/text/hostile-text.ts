// Text from a transcript → text that is safe to print. A transcript is hostile input: unchanged, it could recolour,
// overwrite or reorder what the user sees. Separate from text widths, which take long to load.

/**
 * Removes terminal sequences (colours, titles, links, charset switches) and makes every other control character and
 * every bidi control visible, so that only `\n` and `\t` still move the cursor.
 */
export function neutralise(text: string): string {
  const whole = text.toWellFormed();
  if (!suspicious.test(whole)) return whole;
  const parts: string[] = [];
  let copied = 0;
  for (const { start, end, shown } of findHostile(whole)) {
    parts.push(whole.slice(copied, start), shown);
    copied = end;
  }
  parts.push(whole.slice(copied));
  return parts.join('');
}

export interface Hostile {
  readonly start: number;
  readonly end: number;
  readonly shown: string;
}

/** The part of a string that `findHostile` reads; a test passes one that counts the reads. */
export interface CharSource {
  readonly length: number;
  charCodeAt(index: number): number;
}

/** Every range of the text that must not reach a terminal, with its replacement. */
export function* findHostile(source: CharSource): Generator<Hostile> {
  let at = 0;
  while (at < source.length) {
    const code = source.charCodeAt(at);
    const end = isIntroducer(code) ? sequenceEnd(source, at, code) : at;
    if (end > at) {
      yield { start: at, end, shown: '' };
      at = end;
    } else if (code === 0x0d) {
      // A lone carriage return would let later text overwrite earlier text, so it becomes a newline.
      const next = skip(source, at, (c) => c === 0x0d);
      const newline = next < source.length && source.charCodeAt(next) === 0x0a;
      yield { start: at, end: newline ? next + 1 : next, shown: '\n' };
      at = newline ? next + 1 : next;
    } else {
      const shown = visible(code);
      if (shown !== undefined) yield { start: at, end: at + 1, shown };
      at += 1;
    }
  }
}

const suspicious = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

function visible(code: number): string | undefined {
  if (code === 0x09 || code === 0x0a) return undefined;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code < 0x7f) return undefined;
  if (code === 0x7f) return '␡';
  if (code < 0xa0) return `\\x${code.toString(16)}`;
  return isBidi(code) ? `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›` : undefined;
}

function isBidi(code: number): boolean {
  if (code < 0x200e) return code === 0x061c;
  if (code <= 0x200f) return true;
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

function isIntroducer(code: number): boolean {
  return code === 0x1b || (code >= 0x90 && code <= 0x9f);
}

/** The end of the complete terminal sequence that starts at `at`, or `at` if there is none. */
function sequenceEnd(source: CharSource, at: number, code: number): number {
  const short = code === 0x1b;
  const second = short && at + 1 < source.length ? source.charCodeAt(at + 1) : -1;
  // ESC and a letter is the seven-bit form of a C1 control: ESC [ is 0x9b.
  const control = short ? second + 0x40 : code;
  const body = short ? at + 2 : at + 1;
  if (control === 0x9b) return controlSequenceEnd(source, at, body);
  if (isStringIntroducer(control)) return stringEnd(source, at, body);
  if (!short || !isIntermediate(second)) return at;
  const final = skip(source, body, isIntermediate);
  return isWithin(source, final, 0x30, 0x7e) ? final + 1 : at;
}

function controlSequenceEnd(source: CharSource, at: number, body: number): number {
  const parameters = skip(source, body, (code) => code >= 0x30 && code <= 0x3f);
  const final = skip(source, parameters, isIntermediate);
  return isWithin(source, final, 0x40, 0x7e) ? final + 1 : at;
}

/**
 * OSC, DCS, SOS, PM and APC carry a string up to BEL or ST. The string stops at any control character, so an unclosed
 * sequence hides no text and the scan stays linear.
 */
function stringEnd(source: CharSource, at: number, body: number): number {
  const end = skip(source, body, (code) => code >= 0x20 && (code < 0x7f || code > 0x9f));
  if (isWithin(source, end, 0x07, 0x07) || isWithin(source, end, 0x9c, 0x9c)) return end + 1;
  return isWithin(source, end, 0x1b, 0x1b) && isWithin(source, end + 1, 0x5c, 0x5c) ? end + 2 : at;
}

function isStringIntroducer(control: number): boolean {
  return control === 0x90 || control === 0x98 || (control >= 0x9d && control <= 0x9f);
}

function isIntermediate(code: number): boolean {
  return code >= 0x20 && code <= 0x2f;
}

function isWithin(source: CharSource, at: number, low: number, high: number): boolean {
  if (at >= source.length) return false;
  const code = source.charCodeAt(at);
  return code >= low && code <= high;
}

function skip(source: CharSource, from: number, wanted: (code: number) => boolean): number {
  let at = from;
  while (at < source.length && wanted(source.charCodeAt(at))) at += 1;
  return at;
}

/** Controls, formats (bidi, zero width), characters that fonts leave blank, and unusual spaces. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|[^\S \n\t]/gu;

/** Newlines and tabs stay; other invisible characters become `‹U+001B›`. */
export function reveal(text: string): string {
  return text.replace(unseen, (char) => {
    if (char === '\n' || char === '\t') return char;
    const code = char.codePointAt(0) ?? 0;
    return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
  });
}
