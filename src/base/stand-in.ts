// A long text → a short one that stands for it: its beginning, its end, and between them the hash and the sizes of the
// rest. Equal texts have equal stand-ins and different texts different ones, so that all that was said in a session of
// any length can be compared and judged in little memory.
import { createHash, randomBytes } from 'node:crypto';

/** Shorter texts stand for themselves. */
const longChars = 320;
const endChars = 64;

/** Of this process alone: no text of a transcript can pass for a stand-in. */
const mark = `\u0002${randomBytes(9).toString('hex')}`;
const hiddenPart = new RegExp(`${mark}:[\\w-]+:(\\d+):(\\d+):(\\d+):${mark}`, 'gu');

const units = ['chars', 'utf8', 'json'] as const;
/** `json`: the bytes of the JSON string, with its quotes. */
export type TextUnit = (typeof units)[number];

/**
 * The first `startChars` stay, and so does white space at the end, where a client adds or trims some. Malformed and nearly
 * blank texts stand for themselves: what is in them decides their fate.
 */
export function standInFor(text: string, startChars: number = endChars): string {
  if (text.length < startChars + longChars) return text;
  const start = wholeCut(text, startChars);
  const end = wholeCut(text, text.trimEnd().length - endChars);
  if (end - start < longChars - endChars || text.trimStart().length < text.length - start || !text.isWellFormed())
    return text;
  const hidden = text.slice(start, end);
  const hash = createHash('sha256').update(hidden).digest('base64url');
  const sizes = units.map((unit) => measures[unit](hidden) - (unit === 'json' ? quotes : 0)).join(':');
  // Copied, because a slice keeps the whole text alive.
  return Buffer.from(`${text.slice(0, start)}${mark}:${hash}:${sizes}:${mark}${text.slice(end)}`).toString();
}

/** How long a text is; of a stand-in, how long is what it stands for. */
export function measureText(text: string, unit: TextUnit): number {
  const measure = measures[unit];
  if (!text.includes(mark)) return measure(text);
  const hidden = [...text.matchAll(hiddenPart)].map((match) => Number(match[1 + units.indexOf(unit)]));
  return hidden.reduce((sum, size) => sum + size, measure(text.replace(hiddenPart, '')));
}

const quotes = 2;
/** Longer strings are measured roughly: they are over every limit, and escaping one could exceed what a string may hold. */
const roughChars = 64 * 1024 * 1024;

const measures: Readonly<Record<TextUnit, (text: string) => number>> = {
  chars: (text) => text.length,
  utf8: (text) => Buffer.byteLength(text),
  json: (text) => (text.length > roughChars ? text.length + quotes : Buffer.byteLength(JSON.stringify(text))),
};

/** Not between the halves of a surrogate pair. */
function wholeCut(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
