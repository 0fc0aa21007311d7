// One batch over HTTP → what became of it: taken (perhaps not all of it), refused for good, or to be tried again later.
// `node:http` instead of `fetch`, which costs a hook 20 ms more to load (docs/decisions.md).
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { asObject, asString, parseJson } from '../base/json.ts';
import type { Destination } from './destinations.ts';
import { decodeResponse } from './otlp.ts';
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
      /** All of it was on its way, and no answer came: the server may have taken it. */
      readonly isUncertain: boolean;
    };

export interface PostOptions {
  readonly timeoutMs: number;
  readonly nowMs: number;
  /** Called when all but the last byte is on its way: until then no server can have taken the batch. */
  readonly beforeLastByte?: () => void;
}

export async function postBatch(destination: Destination, batch: Batch, options: PostOptions): Promise<Outcome> {
  let isUncertain = false;
  const beforeLastByte = (): void => {
    options.beforeLastByte?.();
    isUncertain = true;
  };
  try {
    const answer = await exchange(destination, batch, { ...options, beforeLastByte });
    return outcomeOf(answer, destination, options.nowMs);
  } catch (error) {
    const message = withoutSecrets(failureText(error), destination);
    return { kind: 'later', message, retryAfterMs: undefined, isOfBatch: false, isUncertain };
  }
}

/** Where a name has several addresses, the error of the whole says nothing, and those of each address do. */
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
  { info, body }: Batch,
  { timeoutMs, beforeLastByte }: Required<PostOptions>,
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
      // A server may answer before it has heard all.
      if (!outgoing.writableEnded) outgoing.destroy();
      finish();
    };
    const fail = (error: unknown): void => settle(() => reject(error));
    const outgoing = send(target, options, (response) => {
      readAnswer(response).then((answer) => settle(() => resolve(answer)), fail);
    });
    const timer = setTimeout(() => outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    outgoing.on('error', fail);
    // Handed over to the system; who was cut off or answered before that needs no more.
    outgoing.write(body.subarray(0, -1), (error) => {
      if (isSettled || error) return;
      try {
        beforeLastByte();
        outgoing.end(body.subarray(-1));
      } catch (failure) {
        fail(failure);
      }
    });
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
  const message = withoutSecrets(`${status} ${textOf(answer)}`.trim(), destination);
  if (status === 408 || status === 429 || status >= 500) {
    const isOfBatch = status >= 500;
    const waitMs = retryAfterMs(answer.retryAfter, nowMs);
    // A gateway's word for an answer that it did not get.
    const isUncertain = status === 502 || status === 504;
    return { kind: 'later', message, retryAfterMs: waitMs, isOfBatch, isUncertain };
  }
  return { kind: 'refused', message };
}

/** Seconds or a date; nobody is waited for longer than an hour. */
export function retryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), 3_600_000);
}

/** What the server says for people to read; an error in protobuf is its text with a few bytes around it. */
function textOf({ body }: Answer): string {
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

/** Some servers repeat what they were sent. */
function withoutSecrets(text: string, { headers }: Destination): string {
  let clean = text;
  for (const value of Object.values(headers))
    for (const secret of [value, ...value.split(' ')]) if (secret.length >= 8) clean = clean.replaceAll(secret, '***');
  return clean;
}
