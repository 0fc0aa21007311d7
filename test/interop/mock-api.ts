// A mock of the Messages API on loopback: takes the requests of a real client, answers them from scripts
// (mock-reply.ts), streamed or whole, and hands every request to the test. No model, no network, no key.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { asObject, type JsonObject, parseJson } from '../../src/base/json/json.ts';
import { type Answer, chooseReply, type Failure, type ScriptBlock, type Scripts } from './mock-reply.ts';

export interface ApiRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** See `ChosenReply`; `other` for anything but a request for a message. */
  readonly kind: string;
  /** The value of the header `anthropic-beta`. */
  readonly beta?: string | undefined;
  readonly body: JsonObject;
}

export interface MockApi {
  readonly port: number;
  readonly close: () => Promise<void>;
}

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

export interface MockApiOptions {
  readonly scripts?: Scripts;
  /** With it the mock speaks TLS. */
  readonly certificate?: Certificate;
  readonly onRequest?: (request: ApiRequest) => void;
  /** Answers a request for a message before the scripts are asked; `undefined` leaves it to them. */
  readonly answer?: (request: ApiRequest) => Answer | Failure | undefined;
}

export async function startMockApi(options: MockApiOptions): Promise<MockApi> {
  const { certificate } = options;
  const answer = (incoming: IncomingMessage, response: ServerResponse): void => {
    // A client that was killed leaves a broken connection; that is its business.
    handle(incoming, response, options).catch(() => response.destroy());
  };
  const server = certificate === undefined ? createServer(answer) : createTlsServer(certificate, answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(
  incoming: IncomingMessage,
  response: ServerResponse,
  { scripts = {}, onRequest = () => {}, answer }: MockApiOptions,
): Promise<void> {
  const raw = await readText(incoming);
  const body = asObject(parseJson(raw)) ?? {};
  const method = incoming.method ?? '';
  const path = incoming.url?.split('?')[0] ?? '';

  if (method === 'POST' && path === '/v1/messages') {
    const chosen = chooseReply(body, scripts);
    const request = { method, path, kind: chosen.kind, beta: String(incoming.headers['anthropic-beta'] ?? ''), body };
    onRequest(request);
    const reply = answer?.(request) ?? chosen.reply;
    if ('status' in reply) sendFailure(response, reply);
    else if (body.stream === true) await streamAnswer(response, body, reply);
    else sendAnswer(response, body, reply);
    return;
  }
  onRequest({ method, path, kind: 'other', body });
  if (path === '/v1/messages/count_tokens') sendJson(response, 200, { input_tokens: Math.ceil(raw.length / 4) });
  else if (path === '/' || path === '/api/hello') sendJson(response, 200, { message: 'hello' });
  else sendFailure(response, { status: 404, errorType: 'not_found_error', message: `mock: ${path}` });
}

function sendJson(response: ServerResponse, status: number, body: JsonObject, headers: Failure['headers'] = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': newId('req_'), ...headers });
  response.end(JSON.stringify(body));
}

function sendFailure(response: ServerResponse, { status, errorType, message, headers }: Failure): void {
  sendJson(response, status, { type: 'error', error: { type: errorType, message } }, headers);
}

function sendAnswer(response: ServerResponse, request: JsonObject, answer: Answer): void {
  const { envelope, blocks, stopReason, outputTokens, counts } = complete(request, answer);
  sendJson(response, 200, {
    ...envelope,
    content: blocks,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: { ...usage(outputTokens), ...counts },
  });
}

async function streamAnswer(response: ServerResponse, request: JsonObject, answer: Answer): Promise<void> {
  const { envelope, blocks, stopReason, outputTokens, counts } = complete(request, answer);
  const { delayMs = 0, stall } = answer;
  const send = (type: string, data: JsonObject): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };

  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'request-id': newId('req_'),
  });
  send('message_start', {
    message: { ...envelope, content: [], stop_reason: null, stop_sequence: null, usage: { ...usage(2), ...counts } },
  });
  for (const [index, block] of blocks.entries()) {
    if (delayMs > 0) await sleep(delayMs);
    const { start, deltas } = inPieces(block);
    send('content_block_start', { index, content_block: start });
    for (const delta of deltas) send('content_block_delta', { index, delta });
    const stalls = stall?.afterBlocks === index + 1;
    if (stalls && stall.insideBlock) return;
    send('content_block_stop', { index });
    if (stalls) return;
  }
  if (delayMs > 0) await sleep(delayMs);
  send('message_delta', {
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: { ...usage(outputTokens), ...counts },
  });
  send('message_stop', {});
  response.end();
}

interface CompleteAnswer {
  readonly envelope: JsonObject;
  readonly blocks: readonly ScriptBlock[];
  readonly stopReason: string;
  readonly outputTokens: number;
  readonly counts: JsonObject;
}

/** Fills in what a script leaves out: ids, the reason to stop, the tokens. */
function complete(request: JsonObject, { blocks, stopReason, usage: counts = {} }: Answer): CompleteAnswer {
  const callsTools = blocks.some((block) => block.type === 'tool_use');
  return {
    envelope: { model: request.model, id: newId('msg_'), type: 'message', role: 'assistant' },
    blocks: blocks.map((block) => (block.type === 'tool_use' ? { id: newId('toolu_'), ...block } : block)),
    stopReason: stopReason ?? (callsTools ? 'tool_use' : 'end_turn'),
    outputTokens: 20 + 11 * blocks.length,
    counts,
  };
}

/** A block as the API streams it: an empty block first, then its content in deltas. */
function inPieces(block: ScriptBlock): { readonly start: JsonObject; readonly deltas: readonly JsonObject[] } {
  switch (block.type) {
    case 'text':
      return {
        start: { type: 'text', text: '' },
        deltas: (String(block.text).match(/[\s\S]{1,40}/g) ?? ['']).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          { type: 'thinking_delta', thinking: block.thinking },
          { type: 'signature_delta', signature: block.signature },
        ],
      };
    case 'tool_use':
      return {
        start: { ...block, input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }],
      };
    default:
      return { start: block, deltas: [] };
  }
}

function usage(outputTokens: number): JsonObject {
  return {
    input_tokens: 12,
    cache_creation_input_tokens: 345,
    cache_read_input_tokens: 6789,
    cache_creation: { ephemeral_5m_input_tokens: 345, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens,
    service_tier: 'standard',
  };
}

function newId(prefix: string): string {
  return `${prefix}01${randomUUID().replaceAll('-', '').slice(0, 22)}`;
}
