// Converts a scripted reply to a message, and to the events of the API's stream: each block first empty, then its
// content in parts.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { asString, isArray, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { estimateTextTokens } from '../request/index.ts';
import type { ApiError, ReplyBlock, ScriptedError, ScriptedReply, ScriptStep } from './script.ts';

export interface StreamEvent {
  readonly data: JsonObject;
  /** The pause before it. */
  readonly pauseMs: number;
}

/** The reply as it is returned without streaming. */
function replyMessage(request: JsonObject, reply: ScriptedReply): JsonObject {
  const content = reply.blocks.map(withId);
  const callsTools = content.some((block) => block.type === 'tool_use');
  return {
    model: reply.model ?? request.model,
    id: reply.id ?? newId('msg_'),
    type: 'message',
    role: 'assistant',
    content,
    stop_reason: reply.stopReason ?? (callsTools ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage: {
      input_tokens: estimateTextTokens([request.messages, request.system, request.tools]),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: Math.max(1, estimateTextTokens(content)),
      service_tier: 'standard',
      ...reply.usage,
    },
    ...(reply.inputTransformations === undefined ? {} : { input_transformations: reply.inputTransformations }),
  };
}

/** `message_start` … `message_stop`, in the API's order. */
function* replyEvents(request: JsonObject, reply: ScriptedReply): Generator<StreamEvent> {
  const { content, stop_reason, stop_sequence, usage, ...envelope } = replyMessage(request, reply);
  const started = { ...(usage as JsonObject), output_tokens: 1 };
  yield event({
    type: 'message_start',
    message: { ...envelope, content: [], stop_reason: null, stop_sequence: null, usage: started },
  });
  const blocks = content as readonly ReplyBlock[]; // made by replyMessage
  for (const [index, block] of blocks.entries()) {
    const { start, deltas } = inPieces(block);
    yield event({ type: 'content_block_start', index, content_block: start }, pauseBefore(reply, index));
    if (index === 0) yield event({ type: 'ping' });
    for (const delta of deltas) yield event({ type: 'content_block_delta', index, delta });
    yield event({ type: 'content_block_stop', index });
  }
  yield event({ type: 'message_delta', delta: { stop_reason, stop_sequence }, usage });
  yield event({ type: 'message_stop' });
}

function errorEvent(error: ApiError): JsonObject {
  return { type: 'error', error: { type: error.type, message: error.message } };
}

export function newId(prefix: string): string {
  return `${prefix}01${randomUUID().replaceAll('-', '').slice(0, 22)}`;
}

function event(data: JsonObject, pauseMs = 0): StreamEvent {
  return { data, pauseMs };
}

function withId(block: ReplyBlock): ReplyBlock {
  return block.type === 'tool_use' && block.id === undefined ? { ...block, id: newId('toolu_') } : block;
}

function pauseBefore({ betweenBlocksMs = 0 }: ScriptedReply, index: number): number {
  if (index === 0) return 0;
  return typeof betweenBlocksMs === 'number' ? betweenBlocksMs : (betweenBlocksMs[index - 1] ?? 0);
}

interface Pieces {
  readonly start: JsonObject;
  readonly deltas: readonly JsonObject[];
}

/** A block without streamed content is complete in its first event, like the results of the API's own tools. */
function inPieces(block: ReplyBlock): Pieces {
  switch (block.type) {
    case 'text':
      return textPieces(block);
    case 'thinking':
      return thinkingPieces(block);
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return callPieces(block);
    default:
      return { start: block, deltas: [] };
  }
}

function textPieces(block: ReplyBlock): Pieces {
  const { citations } = block;
  const cited: readonly JsonValue[] = isArray(citations) ? citations : [];
  return {
    start: { ...block, text: '', ...(isArray(citations) ? { citations: [] } : {}) },
    deltas: [
      ...cut(asString(block.text) ?? '').map((text) => ({ type: 'text_delta', text })),
      ...cited.map((citation) => ({ type: 'citations_delta', citation })),
    ],
  };
}

function thinkingPieces(block: ReplyBlock): Pieces {
  const signature = asString(block.signature);
  return {
    start: { ...block, thinking: '', signature: '' },
    deltas: [
      ...cut(asString(block.thinking) ?? '').map((thinking) => ({ type: 'thinking_delta', thinking })),
      ...(signature === undefined ? [] : [{ type: 'signature_delta', signature }]),
    ],
  };
}

function callPieces(block: ReplyBlock): Pieces {
  const input = block.input === undefined ? [] : cut(JSON.stringify(block.input));
  return {
    start: { ...block, input: {} },
    deltas: ['', ...input].map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  };
}

const pieceChars = 40;
const maxPieces = 500;

/** Never splits a surrogate pair, which would be invalid JSON text. */
function cut(text: string): readonly string[] {
  const chars = Math.max(pieceChars, Math.ceil(text.length / maxPieces));
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = at + chars;
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end++;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

// Sends a step of a script: whole or streamed, with its pauses and faults.

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
