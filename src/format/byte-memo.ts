// Strings of a transcript come again and again: folder, version, session and model on every line, a uuid as the next
// line's parent. Recognising their bytes costs a third of decoding them, and keeps one copy of each in memory.

const slots = 256;
const slotBytes = 96;
const copies = new Uint8Array(slots * slotBytes);
const lengths = new Int32Array(slots).fill(-1);
const texts: string[] = new Array(slots).fill('');

/** The text whose raw bytes are [start, end): remembered, or what `decode` makes of them. */
export function recall(
  bytes: Buffer,
  start: number,
  end: number,
  decode: (bytes: Buffer, start: number, end: number) => string,
): string {
  const length = end - start;
  if (length > slotBytes || length < 2) return decode(bytes, start, end);
  // The last bytes tell apart what begins alike: ids, versions, types.
  const slot = (length * 13 + (bytes[end - 1] as number) * 7 + (bytes[end - 2] as number)) & (slots - 1);
  const at = slot * slotBytes;
  if (lengths[slot] === length) {
    let i = length - 1;
    while (i >= 0 && copies[at + i] === bytes[start + i]) i--;
    if (i < 0) return texts[slot] as string;
  }
  const text = decode(bytes, start, end);
  for (let i = 0; i < length; i++) copies[at + i] = bytes[start + i] as number;
  lengths[slot] = length;
  texts[slot] = text;
  return text;
}
