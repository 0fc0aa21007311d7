// Sends a step of a script: whole or streamed, with its pauses and faults.
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../base/json/json.ts';
import { errorEvent, newId, replyEvents, replyMessage } from './reply.ts';
import type { ScriptedError, ScriptedReply, ScriptStep } from './script.ts';

/** `signal` ends every wait: the client has left, or the server is closed. */
export async function sendStep(
  response: ServerResponse,
  request: JsonObject,
  step: ScriptStep,
  signal: AbortSignal,
): Promise<void> {
  if ('hang' in step) return;
  await pause(step.delayMs, signal);
  if ('status' in step) sendError(response, step);
  else if (request.stream === true) await streamReply(response, request, step, signal);
  else await sendReply(response, request, step);
}

export function sendError(response: ServerResponse, error: ScriptedError): void {
  sendJson(response, error.status, { ...errorEvent(error), request_id: newId('req_') }, error.headers);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: ScriptedError['headers'] = {},
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { ...commonHeaders('application/json'), 'content-length': bytes.length, ...headers });
  response.end(bytes);
}

const errorStatus: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  overloaded_error: 529,
};
const overloaded = { type: 'overloaded_error', message: 'Overloaded' };

async function sendReply(response: ServerResponse, request: JsonObject, reply: ScriptedReply): Promise<void> {
  const { error = overloaded } = reply;
  if (reply.errorAfterEvents !== undefined)
    return sendError(response, { status: errorStatus[error.type] ?? 500, ...error });
  const whole = Buffer.from(JSON.stringify(replyMessage(request, reply)));
  const isMalformed = reply.malformedAfterEvents !== undefined;
  const body = isMalformed ? whole.subarray(0, whole.length >> 1) : whole;
  const out = new CuttableBody(response, reply.cutAfterBytes);
  response.writeHead(200, commonHeaders('application/json'));
  response.flushHeaders();
  if (reply.hangAfterEvents !== undefined) return;
  if (reply.cutAfterEvents !== undefined) return out.cut();
  if (await out.write(body)) response.end();
}

async function streamReply(
  response: ServerResponse,
  request: JsonObject,
  reply: ScriptedReply,
  signal: AbortSignal,
): Promise<void> {
  const out = new CuttableBody(response, reply.cutAfterBytes);
  response.writeHead(200, { ...commonHeaders('text/event-stream; charset=utf-8'), 'cache-control': 'no-cache' });
  response.flushHeaders();
  let sent = 0;
  for (const { data, pauseMs } of replyEvents(request, reply)) {
    if (sent === reply.cutAfterEvents) return out.cut();
    if (sent === reply.hangAfterEvents) return;
    if (sent === reply.malformedAfterEvents)
      await out.write('event: content_block_delta\ndata: {"type":"content_bl\n\n');
    if (sent === reply.errorAfterEvents) {
      await out.write(eventText(errorEvent(reply.error ?? overloaded)));
      break;
    }
    await pause(pauseMs, signal);
    if (!(await out.write(eventText(data)))) return;
    sent++;
  }
  response.end();
}

function eventText(data: JsonObject): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function commonHeaders(contentType: string): Readonly<Record<string, string>> {
  return { 'content-type': contentType, 'request-id': newId('req_') };
}

async function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  if (ms !== undefined && ms > 0) await sleep(ms, undefined, { signal });
}

/** The body of a response that ends after a number of bytes. */
class CuttableBody {
  readonly #response: ServerResponse;
  #left: number;

  constructor(response: ServerResponse, cutAfterBytes: number | undefined) {
    this.#response = response;
    this.#left = cutAfterBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Whether the connection is still open. Waits until the bytes are sent, so that memory stays bounded. */
  async write(text: string | Buffer): Promise<boolean> {
    const bytes = Buffer.from(text);
    const isLast = bytes.length >= this.#left;
    const part = isLast ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= part.length;
    const error = await new Promise<unknown>((resolve) => this.#response.write(part, resolve));
    if (isLast) this.cut();
    return !isLast && !error && !this.#response.destroyed;
  }

  /** Written data still arrives: the callbacks of the writes have run. */
  cut(): void {
    this.#response.destroy();
  }
}
