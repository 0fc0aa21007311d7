// Lossless conversion of bytes to text and back: an invalid UTF-8 byte becomes a lone surrogate. So a secret in a damaged
// line can be replaced while every other byte stays.
import { isUtf8 } from 'node:buffer';

export function decodeLossless(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    parts.push(bytes.toString('utf8', start, at), String.fromCharCode(firstEscape + (bytes[at] as number)));
    start = ++at;
  }
  parts.push(bytes.toString('utf8', start));
  return parts.join('');
}

export function encodeLossless(text: string): Buffer {
  if (!/[\ud800-\udfff]/.test(text)) return Buffer.from(text);
  return Buffer.concat(
    splitEscapedBytes(text).map((part) =>
      isEscapedByte(part) ? Buffer.from([part.charCodeAt(0) - firstEscape]) : Buffer.from(part),
    ),
  );
}

/** Splits the text around escaped bytes. */
export function splitEscapedBytes(text: string): string[] {
  if (!/[\udc80-\udcff]/.test(text)) return text === '' ? [] : [text];
  return text.split(/((?<![\ud800-\udbff])[\udc80-\udcff])/).filter((part) => part !== '');
}

export function isEscapedByte(part: string): boolean {
  return part.length === 1 && part >= '\udc80' && part <= '\udcff';
}

const firstEscape = 0xdc00;

/** The number of bytes of the character at `at`; 0 if it is invalid. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}
