// Remembers decoded strings, because many repeat: folder, version, session and model on every line, a uuid as the next
// line's parent. Recognising the bytes takes a third of the time of decoding, and memory holds one copy of each.

import { parseJson } from '../../base/json/json.ts';

const slots = 256;
const slotBytes = 96;
const copies = new Uint8Array(slots * slotBytes);
const lengths = new Int32Array(slots).fill(-1);
const texts: string[] = new Array(slots).fill('');

/** The string between two quotes, remembered or decoded. */
export function recall(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length > slotBytes || length < 2) return stringAt(bytes, start, end);
  // Ids, versions and types often differ only in their last bytes.
  const slot = (length * 13 + (bytes[end - 1] as number) * 7 + (bytes[end - 2] as number)) & (slots - 1);
  const at = slot * slotBytes;
  if (lengths[slot] === length) {
    let i = length - 1;
    while (i >= 0 && copies[at + i] === bytes[start + i]) i--;
    if (i < 0) return texts[slot] as string;
  }
  const text = stringAt(bytes, start, end);
  for (let i = 0; i < length; i++) copies[at + i] = bytes[start + i] as number;
  lengths[slot] = length;
  texts[slot] = text;
  return text;
}

/** Decodes the string between two quotes. */
export function stringAt(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('utf8', start, end);
  if (!raw.includes('\\')) return raw;
  const value = parseJson(`"${raw}"`);
  return typeof value === 'string' ? value : raw;
}
