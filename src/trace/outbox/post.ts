// Posts one batch over HTTP. `node:http` instead of `fetch`, which takes 20 ms longer to load (docs/decisions.md).
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { asObject, asString, parseJson } from '../../base/json/index.ts';
import type { Destination } from '../config/index.ts';
import { decodeResponse } from '../otlp/index.ts';
import type { Batch } from './outbox.ts';

export type Outcome =
  | { readonly kind: 'taken'; readonly rejectedSpans: number; readonly message: string | undefined }
  | { readonly kind: 'refused'; readonly message: string }
  | {
      readonly kind: 'later';
      readonly message: string;
      readonly retryAfterMs: number | undefined;
      /** The server responded: another batch may succeed. */
      readonly isOfBatch: boolean;
      /** All of it was sent without a response: the server may have it. */
      readonly isUncertain: boolean;
    };

export interface PostOptions {
  readonly timeoutMs: number;
  readonly nowMs: number;
  /** Called when all but the last byte is sent: until then no server can have the batch. If it fails, no server gets it. */
  readonly beforeLastByte?: () => void | Promise<void>;
}

/** What a request is made of. */
export interface PostedBatch {
  readonly info: Pick<Batch['info'], 'contentType' | 'contentEncoding'>;
  readonly body: Buffer;
}

export async function postBatch(destination: Destination, batch: PostedBatch, options: PostOptions): Promise<Outcome> {
  let isUncertain = false;
  const { beforeLastByte = (): void => {} } = options;
  const onLastByte = (): void => {
    isUncertain = true;
  };
  try {
    const answer = await exchange(destination, batch, { ...options, beforeLastByte, onLastByte });
    return outcomeOf(answer, destination, options.nowMs);
  } catch (error) {
    const message = withoutSecrets(failureText(error), destination);
    return { kind: 'later', message, retryAfterMs: undefined, isOfBatch: false, isUncertain };
  }
}

/** If a name has several addresses, only the errors of the addresses have a message. */
export function failureText(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(failureText))].join('; ');
  return error instanceof Error ? error.message || error.name : String(error);
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

async function exchange(
  { url, headers }: Destination,
  { info, body }: PostedBatch,
  { timeoutMs, beforeLastByte, onLastByte }: Required<PostOptions> & { readonly onLastByte: () => void },
): Promise<Answer> {
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
    let isSettled = false;
    const settle = (finish: () => void): void => {
      isSettled = true;
      clearTimeout(timer);
      // A server may respond before it has read everything.
      if (!outgoing.writableEnded) outgoing.destroy();
      finish();
    };
    const fail = (error: unknown): void => settle(() => reject(error));
    const outgoing = send(target, options, (response) => {
      readAnswer(response).then((answer) => settle(() => resolve(answer)), fail);
    });
    const timer = setTimeout(() => outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    outgoing.on('error', fail);
    // The callback runs when the system has the bytes; a failed or answered request needs no last byte.
    outgoing.write(body.subarray(0, -1), (error) => {
      if (isSettled || error) return;
      sendLastByte().catch(fail);
    });
    const sendLastByte = async (): Promise<void> => {
      await beforeLastByte();
      // The server may have answered meanwhile, or the time may be over.
      if (isSettled) return;
      onLastByte();
      outgoing.end(body.subarray(-1));
    };
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
    const partial = decodeResponse(answer.body, answer.contentType);
    const message = withoutSecrets(partial?.errorMessage ?? '', destination) || undefined;
    return { kind: 'taken', rejectedSpans: partial?.rejectedSpans ?? 0, message };
  }
  const message = withoutSecrets(`${status} ${serverMessage(answer)}`.trim(), destination);
  if (status === 408 || status === 429 || status >= 500) {
    const isOfBatch = status >= 500;
    const waitMs = retryAfterMs(answer.retryAfter, nowMs);
    // A gateway did not get a response, but the server may have the batch.
    const isUncertain = status === 502 || status === 504;
    return { kind: 'later', message, retryAfterMs: waitMs, isOfBatch, isUncertain };
  }
  return { kind: 'refused', message };
}

/** Seconds or a date; at most an hour. */
export function retryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), 3_600_000);
}

/** The error message of the server; an error in protobuf is its text with a few bytes around it. */
function serverMessage({ body }: Answer): string {
  const whole = body.toString('utf8');
  const said = asObject(parseJson(whole));
  const text =
    asString(said?.message) ?? asString(said?.error) ?? asString(said?.detail) ?? whole.replace(/<[^>]*>/g, ' ');
  return text
    .replace(/[^\P{C}\s]|\uFFFD/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200);
}

/** Some servers repeat the headers. */
function withoutSecrets(text: string, { headers }: Destination): string {
  let clean = text;
  for (const value of Object.values(headers))
    for (const secret of [value, ...value.split(' ')]) if (secret.length >= 8) clean = clean.replaceAll(secret, '***');
  return clean;
}
