// The body of a request, decompressed, within limits; as a whole, or as lines while it arrives.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip } from 'node:zlib';
import { systemErrorCode } from '../../../base/errors/index.ts';
import { Refusal } from './refusal.ts';

export interface BodyLimits {
  /** As sent. */
  readonly mostBytes: number;
  /** Decompressed. */
  readonly mostPlainBytes: number;
}

const decompress = promisify(gunzip);

/** What the header announces, else the most that is read. Refuses a body that is too large or encoded otherwise. */
export function announcedBytes({ headers }: IncomingMessage, { mostBytes }: BodyLimits): number {
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding !== 'gzip' && coding !== 'identity') throw new Refusal(415, 'the body may be compressed with gzip only');
  const length = headers['content-length'] === undefined ? mostBytes : Number(headers['content-length']);
  if (!(length <= mostBytes)) throw tooLarge(mostBytes);
  return length;
}

export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of piecesOf(request)) {
    size += piece.length;
    if (size > limits.mostBytes) throw tooLarge(limits.mostBytes);
    pieces.push(piece);
  }
  const body = Buffer.concat(pieces);
  if (request.headers['content-encoding'] !== 'gzip') return body;
  try {
    return await decompress(body, { maxOutputLength: limits.mostPlainBytes });
  } catch (error) {
    throw decompressError(error, limits);
  }
}

/** Without line ends. A line without an end is the last one. */
export async function* readLines(request: IncomingMessage, limits: BodyLimits): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let size = 0;
  for await (const piece of plainPieces(request, limits)) {
    size += piece.length;
    if (size > limits.mostPlainBytes) throw tooLarge(limits.mostPlainBytes);
    let start = 0;
    for (let end = piece.indexOf(0x0a); end >= 0; end = piece.indexOf(0x0a, start)) {
      rest.push(piece.subarray(start, end));
      yield Buffer.concat(rest).toString('utf8');
      rest = [];
      start = end + 1;
    }
    if (start < piece.length) rest.push(piece.subarray(start));
  }
  if (rest.length > 0) yield Buffer.concat(rest).toString('utf8');
}

async function* plainPieces(request: IncomingMessage, limits: BodyLimits): AsyncGenerator<Buffer> {
  if (request.headers['content-encoding'] !== 'gzip') {
    yield* piecesOf(request);
    return;
  }
  const unzip = createGunzip();
  let size = 0;
  // Not `pipeline`: it would close the connection with an error, and the sender would not learn why.
  request.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size > limits.mostBytes) unzip.destroy(tooLarge(limits.mostBytes));
  });
  request.once('error', (error) => unzip.destroy(error));
  request.once('close', () => {
    if (!request.complete) unzip.destroy(new Refusal(400, 'the request was cut off'));
  });
  request.pipe(unzip);
  try {
    yield* piecesOf(unzip);
  } catch (error) {
    throw decompressError(error, limits);
  } finally {
    request.unpipe(unzip);
    unzip.destroy();
  }
}

function piecesOf(stream: Readable): AsyncIterable<Buffer> {
  return stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>; // without an encoding, pieces are buffers
}

/** Reads what is left, so that a sender that is still sending gets the answer; for a short time. */
export async function discardBody(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, discardMs);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    for (const event of ['end', 'close', 'error']) request.once(event, end);
    request.removeAllListeners('data');
    request.resume();
  });
}

const discardMs = 5_000;

function tooLarge(most: number): Refusal {
  return new Refusal(413, `the request is larger than ${Math.floor(most / 1e6)} MB`);
}

function decompressError(error: unknown, { mostPlainBytes }: BodyLimits): unknown {
  const code = systemErrorCode(error) ?? '';
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(mostPlainBytes);
  return code.startsWith('Z_') ? new Refusal(400, 'the body is not valid gzip') : error;
}
