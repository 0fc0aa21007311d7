// Reads and unpacks the body of an HTTP request. Never holds more than the limit: a larger body is read to its end and
// dropped, so that the client reads the response.
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { systemErrorCode } from '../../base/errors/errors.ts';

/** A little more than the API's 32 MB, which the rule for bytes checks. */
export const maxBodyBytes: number = 33 * 1024 * 1024;
/** A larger body is not read to its end. */
const maxDrainedBytes = 8 * maxBodyBytes;

export type RequestBody =
  | { readonly bytes: Buffer }
  | { readonly problem: 'too large' | 'not encoded as declared' | 'in an unknown encoding' };

const unpackers: Readonly<Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

export async function readRequestBody(incoming: IncomingMessage): Promise<RequestBody> {
  const packed = await readBytes(incoming);
  if (packed === undefined) return { problem: 'too large' };
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return { bytes: packed };
  const unpack = Object.hasOwn(unpackers, encoding) ? unpackers[encoding] : undefined;
  if (unpack === undefined) return { problem: 'in an unknown encoding' };
  try {
    return { bytes: await unpack(packed, { maxOutputLength: maxBodyBytes }) };
  } catch (error) {
    return { problem: systemErrorCode(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : 'not encoded as declared' };
  }
}

async function readBytes(incoming: IncomingMessage): Promise<Buffer | undefined> {
  let chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= maxBodyBytes) chunks.push(chunk);
    else chunks = [];
    if (length > maxDrainedBytes) return undefined;
  }
  return length > maxBodyBytes ? undefined : Buffer.concat(chunks);
}
