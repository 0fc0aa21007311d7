// Converts between the bytes and the text of a file. Encoding, byte order mark and line endings are detected on reading
// and restored on writing, so that an edit changes nothing else. Bytes that are not UTF-8 are read as Latin-1, which
// preserves every byte.

export type Encoding = 'utf8' | 'utf16le' | 'utf16be' | 'latin1';

export interface FileText {
  readonly text: string;
  readonly encoding: Encoding;
  readonly hasBom: boolean;
}

/** Returns `undefined` for binary data. */
export function decodeText(bytes: Buffer): FileText | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes.subarray(2), 'utf16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes.subarray(2), 'utf16be');
  if (looksBinary(bytes)) return undefined;
  const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const body = hasBom ? bytes.subarray(3) : bytes;
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body), encoding: 'utf8', hasBom };
  } catch {
    return { text: bytes.toString('latin1'), encoding: 'latin1', hasBom: false };
  }
}

/** Returns `undefined` if the encoding lacks a character of the text. */
export function encodeText({ text, encoding, hasBom }: FileText): Buffer | undefined {
  switch (encoding) {
    case 'utf8':
      return Buffer.concat([hasBom ? Buffer.from([0xef, 0xbb, 0xbf]) : Buffer.alloc(0), Buffer.from(text, 'utf8')]);
    case 'utf16le':
      return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
    case 'utf16be':
      return Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, 'utf16le').swap16()]);
    case 'latin1':
      return /^[\0-\xff]*$/.test(text) ? Buffer.from(text, 'latin1') : undefined;
    default:
      return encoding satisfies never;
  }
}

export const encodingNames: Readonly<Record<Encoding, string>> = {
  utf8: 'UTF-8',
  utf16le: 'UTF-16 LE',
  utf16be: 'UTF-16 BE',
  latin1: 'not UTF-8, taken as Latin-1',
};

const sniffedBytes = 64 * 1024;

/** Binary data has a NUL, or control characters for more than a tenth of its bytes. */
export function looksBinary(bytes: Buffer): boolean {
  const start = bytes.subarray(0, sniffedBytes);
  if (start.includes(0)) return true;
  let controls = 0;
  for (const byte of start) if (byte < 0x20 && !isTextControl(byte)) controls++;
  return controls * 10 > start.length;
}

/** Tab, newline, form feed, carriage return, backspace and escape occur in logs and sources. */
function isTextControl(byte: number): boolean {
  return (byte >= 0x08 && byte <= 0x0d) || byte === 0x1b;
}

function decodeUtf16(body: Buffer, encoding: 'utf16le' | 'utf16be'): FileText | undefined {
  if (body.length % 2 !== 0) return undefined;
  const text = (encoding === 'utf16le' ? body : Buffer.from(body).swap16()).toString('utf16le');
  return text.isWellFormed() && !text.includes('\0') ? { text, encoding, hasBom: true } : undefined;
}

/** The most frequent line ending of the text. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const crlf = countOf(text, '\r\n');
  return crlf > countOf(text, '\n') - crlf ? '\r\n' : '\n';
}

export function withLineEnd(text: string, end: '\n' | '\r\n'): string {
  const plain = text.replaceAll('\r\n', '\n');
  return end === '\n' ? plain : plain.replaceAll('\n', '\r\n');
}

export function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}
