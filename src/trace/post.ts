// One batch over HTTP → what became of it: taken (perhaps not all of it), refused for good, or to be tried again later.
// `node:http` instead of `fetch`, which costs a hook 20 ms more to load (docs/decisions.md).
import { type IncomingMessage, request as httpRequest, type RequestOptions } from 'node:http';
import { asObject, asString, parseJson } from '../base/json.ts';
import type { Destination } from './config.ts';
import type { Batch } from './outbox.ts';

export type Outcome =
  | { readonly kind: 'taken'; readonly rejectedSpans: number; readonly message: string | undefined }
  | { readonly kind: 'refused'; readonly message: string }
  | {
      readonly kind: 'later';
      readonly message: string;
      readonly retryAfterMs: number | undefined;
      /** The server spoke: another batch may fare better. */
      readonly isOfBatch: boolean;
    };

export interface PostOptions {
  readonly timeoutMs: number;
  readonly nowMs: number;
}

export async function postBatch(destination: Destination, batch: Batch, options: PostOptions): Promise<Outcome> {
  try {
    const answer = await exchange(destination, batch, options.timeoutMs);
    return outcomeOf(answer, destination, options.nowMs);
  } catch (error) {
    const message = withoutSecrets(error instanceof Error ? error.message || error.name : String(error), destination);
    return { kind: 'later', message, retryAfterMs: undefined, isOfBatch: false };
  }
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

async function exchange({ url, headers }: Destination, { info, body }: Batch, timeoutMs: number): Promise<Answer> {
  const target = new URL(url);
  const options: RequestOptions = {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': info.contentType,
      ...(info.contentEncoding === undefined ? {} : { 'content-encoding': info.contentEncoding }),
      'content-length': body.length,
      'user-agent': 'clew',
    },
  };
  const send = target.protocol === 'https:' ? (await import('node:https')).request : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = send(target, options, (response) => {
      readAnswer(response).then(resolve, reject).finally(() => clearTimeout(timer));
    });
    const timer = setTimeout(() => outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    outgoing.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    outgoing.end(body);
  });
}

const mostAnswerBytes = 64 * 1024;

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    if (size < mostAnswerBytes) pieces.push(piece);
    size += piece.length;
  }
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type'] ?? '',
    retryAfter: response.headers['retry-after'],
    body: Buffer.concat(pieces).subarray(0, mostAnswerBytes),
  };
}

function outcomeOf(answer: Answer, destination: Destination, nowMs: number): Outcome {
  const { status } = answer;
  if (status >= 200 && status < 300) {
    const partial = partialSuccessOf(answer);
    const message = partial.message === undefined ? undefined : withoutSecrets(partial.message, destination);
    return { kind: 'taken', rejectedSpans: partial.rejectedSpans, message };
  }
  const message = withoutSecrets(`${status} ${textOf(answer)}`.trim(), destination);
  if (status === 408 || status === 429 || status >= 500) {
    const isOfBatch = status >= 500;
    return { kind: 'later', message, retryAfterMs: retryAfterMs(answer.retryAfter, nowMs), isOfBatch };
  }
  return { kind: 'refused', message };
}

/** Seconds or a date; nobody is waited for longer than an hour. */
export function retryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), 3_600_000);
}

interface PartialSuccess {
  readonly rejectedSpans: number;
  readonly message: string | undefined;
}

function partialSuccessOf({ contentType, body }: Answer): PartialSuccess {
  if (contentType.includes('json')) {
    const partial = asObject(asObject(parseJson(body.toString('utf8')))?.partialSuccess);
    const rejected = Number(partial?.rejectedSpans ?? 0);
    return { rejectedSpans: rejected > 0 ? rejected : 0, message: asString(partial?.errorMessage) || undefined };
  }
  if (!contentType.includes('protobuf')) return { rejectedSpans: 0, message: undefined };
  const [inner] = fieldsOf(body).flatMap(({ field, bytes }) => (field === 1 && bytes !== undefined ? [bytes] : []));
  let rejectedSpans = 0;
  let message: string | undefined;
  for (const { field, number, bytes } of inner === undefined ? [] : fieldsOf(inner)) {
    if (field === 1 && number !== undefined) rejectedSpans = number;
    if (field === 2 && bytes !== undefined) message = bytes.toString('utf8') || undefined;
  }
  return { rejectedSpans, message };
}

interface ProtobufField {
  readonly field: number;
  readonly number?: number;
  readonly bytes?: Buffer;
}

/** As much of protobuf as an answer to an export is made of; what makes no sense ends the list. */
function fieldsOf(bytes: Buffer): readonly ProtobufField[] {
  const fields: ProtobufField[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at);
    if (tag === undefined) break;
    const value = readVarint(bytes, tag.end);
    if (value === undefined) break;
    const field = tag.value >>> 3;
    if ((tag.value & 7) === 0) fields.push({ field, number: value.value });
    else if ((tag.value & 7) === 2) fields.push({ field, bytes: bytes.subarray(value.end, value.end + value.value) });
    else break;
    at = (tag.value & 7) === 2 ? value.end + value.value : value.end;
  }
  return fields;
}

function readVarint(bytes: Buffer, from: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let at = from; at < bytes.length && at < from + 8; at++) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * (at - from));
    if (byte < 0x80) return { value, end: at + 1 };
  }
  return undefined;
}

/** What the server says for people to read; an OTLP error in protobuf is a status message in field 2. */
function textOf({ contentType, body }: Answer): string {
  const raw = contentType.includes('protobuf')
    ? (fieldsOf(body).find(({ field }) => field === 2)?.bytes?.toString('utf8') ?? '')
    : body.toString('utf8');
  return raw.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ').trim().slice(0, 200);
}

/** Some servers repeat what they were sent. */
function withoutSecrets(text: string, { headers }: Destination): string {
  let clean = text;
  for (const value of Object.values(headers))
    for (const secret of [value, ...value.split(' ')]) if (secret.length >= 8) clean = clean.replaceAll(secret, '***');
  return clean;
}
