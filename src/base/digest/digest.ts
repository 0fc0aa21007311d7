// A long text → a short digest: its start, its end, and the hash and the sizes of the text between. Equal texts have
// equal digests and different texts different ones, so sessions of any length can be compared in little memory.
import { createHash, randomBytes } from 'node:crypto';

/** Shorter texts are not changed. */
const longChars = 320;
const endChars = 64;

/** Random for each process, so that no text of a transcript can look like a digest. */
const mark = `\u0002${randomBytes(9).toString('hex')}`;
const hiddenPart = new RegExp(`${mark}:[\\w-]+:(\\d+):(\\d+):(\\d+):${mark}`, 'gu');

const units = ['chars', 'utf8', 'json'] as const;
/** `json`: the bytes of the JSON string, including its quotes. */
export type TextUnit = (typeof units)[number];

/**
 * Keeps the first `startChars` and white space at the end, which a client may add or trim. Malformed and nearly blank
 * texts are not changed, because rules depend on their content.
 */
export function digestText(text: string, startChars: number = endChars, onHidden?: OnHidden): string {
  if (text.length < startChars + longChars) return text;
  const start = wholeCut(text, startChars);
  const end = wholeCut(text, text.trimEnd().length - endChars);
  if (end - start < longChars - endChars || text.trimStart().length < text.length - start || !text.isWellFormed())
    return text;
  const part = text.slice(start, end);
  const hidden = Buffer.from(part);
  const hash = createHash('sha256').update(hidden).digest('base64url');
  const chars = end - start;
  const json = chars > roughChars ? chars : hidden.length + countEscapes(hidden);
  const sizes = [chars, hidden.length, json].join(':');
  const digest = `${mark}:${hash}:${sizes}:${mark}`;
  onHidden?.(digest, part);
  // Copied, because a slice keeps the whole text alive.
  return Buffer.from(`${text.slice(0, start)}${digest}${text.slice(end)}`).toString();
}

/** Receives what a digest contains instead of a part of the text, and that part. */
export type OnHidden = (digest: string, part: string) => void;

/** The text that was digested, wherever the digests are in it. */
export function restoreText(text: string, partOf: (digest: string) => string): string {
  return text.includes(mark) ? text.replace(hiddenPart, partOf) : text;
}

/** The length of a text; of a digest, the length of the original. */
export function measureText(text: string, unit: TextUnit): number {
  const measure = measures[unit];
  if (!text.includes(mark)) return measure(text);
  const hidden = [...text.matchAll(hiddenPart)].map((match) => Number(match[1 + units.indexOf(unit)]));
  return hidden.reduce((sum, size) => sum + size, measure(text.replace(hiddenPart, '')));
}

const quotes = 2;
/** Longer strings are measured roughly: they exceed every limit, and escaping them could exceed the size of a string. */
const roughChars = 64 * 1024 * 1024;

const measures: Readonly<Record<TextUnit, (text: string) => number>> = {
  chars: (text) => text.length,
  utf8: (text) => Buffer.byteLength(text),
  json: (text) => (text.length > roughChars ? text.length + quotes : jsonBytes(text)),
};

/** The same as `Buffer.byteLength(JSON.stringify(text))`, which is slower for long texts. */
function jsonBytes(text: string): number {
  if (text.length < longChars || !text.isWellFormed()) return Buffer.byteLength(JSON.stringify(text));
  const bytes = Buffer.from(text);
  return bytes.length + countEscapes(bytes) + quotes;
}

/** How many bytes JSON adds to a well-formed text, without the quotes. */
function countEscapes(bytes: Uint8Array): number {
  let added = 0;
  for (let i = 0; i < bytes.length; i++) added += addedBytes[bytes[i] as number] as number; // in range
  return added;
}

/** By byte: `\n` is one byte longer than a newline, `\u0001` five. */
const addedBytes: Uint8Array = new Uint8Array(256);
addedBytes.fill(5, 0, 0x20);
for (const escaped of '\b\t\n\f\r"\\') addedBytes[escaped.charCodeAt(0)] = 1;

/** Avoids a cut inside a surrogate pair. */
function wholeCut(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
