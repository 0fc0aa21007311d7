// Detects a truncated signature of a thinking block. A signature is opaque, but begins with the length of the rest: one
// that is shorter, or ends inside a base64 group, has lost its end.
import { decodedByteLength } from './image-size.ts';

/** The last two bytes of every whole signature in the corpora, at each of the three positions in a base64 group. */
const wholeEnd = /(?:GAE=|YAQ==|[BRhx]gB)$/;

/** A signature of another shape is not checked. */
export function isCutSignature(signature: string): boolean {
  const promised = promisedBytes(signature);
  if (promised === undefined || wholeEnd.test(signature)) return false;
  return signature.length % 4 !== 0 || decodedByteLength(signature) < promised;
}

/** Tags and lengths are variable-length integers: an optional small field 1, then field 2 with its length. */
function promisedBytes(signature: string): number | undefined {
  const bytes = Buffer.from(signature.slice(0, 16), 'base64');
  let at = bytes[0] === 0x08 ? 2 : 0;
  if (bytes[at++] !== 0x12) return undefined;
  let length = 0;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = bytes[at++];
    if (byte === undefined) return undefined;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) return at + length;
  }
  return undefined;
}
