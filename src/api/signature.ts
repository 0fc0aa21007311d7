// Is the signature of a thinking block visibly cut? A signature is opaque, but it opens with the length of what follows:
// one that promises more than it holds, or breaks off inside a base64 group, has lost its end.
import { decodedByteLength } from './image-size.ts';

/** The two bytes every whole signature of the corpora ends with, at each of the three places in a base64 group. */
const wholeEnd = /(?:GAE=|YAQ==|[BRhx]gB)$/;

/** A signature of another shape is not judged. */
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
