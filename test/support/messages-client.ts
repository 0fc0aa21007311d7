// A client of the Messages API for tests, written from the API's description and not from our servers: sends requests,
// reads server-sent events, and builds a message from them.
import assert from 'node:assert/strict';
import {
  asObject,
  asString,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../src/base/json/json.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: JsonObject;
}

export const tools: readonly JsonObject[] = [{ name: 'Read', input_schema: { type: 'object' } }];

/** A request that breaks no rule. */
export function requestOf(messages: JsonValue, more: JsonObject = {}): JsonObject {
  return { model: 'claude-sonnet-4-5', max_tokens: 1000, tools, messages, ...more };
}

export function ask(text: string, more: JsonObject = {}): JsonObject {
  return requestOf([{ role: 'user', content: text }], more);
}

export async function post(
  url: string,
  body: JsonObject | string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
  path = '/v1/messages',
): Promise<Answered> {
  const raw = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(raw),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: asObject(parseJson(text)) ?? {} };
}

export interface Streamed {
  readonly events: readonly JsonObject[];
  /** Events whose data is not JSON. */
  readonly broken: readonly string[];
  readonly bytes: number;
  /** How the connection ended before the end of the answer. */
  readonly cut: boolean;
}

/** Reads to the end, or until `stop` returns true. */
export async function stream(
  url: string,
  body: JsonObject,
  stop?: (events: number) => boolean,
  headers: Readonly<Record<string, string>> = {},
): Promise<Streamed> {
  const ender = new AbortController();
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...body, stream: true }),
    signal: ender.signal,
  });
  assert.equal(response.status, 200);
  const decoder = new TextDecoder();
  const events: JsonObject[] = [];
  const broken: string[] = [];
  let rest = '';
  let bytes = 0;
  let cut = false;
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      rest += decoder.decode(chunk, { stream: true });
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        take(rest.slice(0, end), events, broken);
        rest = rest.slice(end + 2);
      }
      if (stop?.(events.length)) ender.abort();
    }
  } catch {
    cut = true;
  }
  return { events, broken, bytes, cut };
}

function take(text: string, events: JsonObject[], broken: string[]): void {
  const fields = new Map(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const data = parseJson(fields.get('data') ?? '');
  if (!isObject(data)) broken.push(text);
  else {
    assert.equal(data.type, fields.get('event'));
    events.push(data);
  }
}

/** The content built from the deltas, as in clients. */
export function contentOfEvents(events: readonly JsonObject[]): JsonObject[] {
  const blocks: Record<string, JsonValue | undefined>[] = [];
  const inputs = new Map<number, string>();
  for (const event of events) {
    const index = Number(event.index);
    const delta = asObject(event.delta) ?? {};
    const block = blocks[index] ?? {};
    if (event.type === 'content_block_start') blocks[index] = { ...asObject(event.content_block) };
    if (event.type !== 'content_block_delta') continue;
    if (delta.type === 'text_delta') block.text = `${block.text}${delta.text}`;
    if (delta.type === 'thinking_delta') block.thinking = `${block.thinking}${delta.thinking}`;
    if (delta.type === 'signature_delta') block.signature = `${block.signature}${delta.signature}`;
    if (delta.type === 'citations_delta')
      block.citations = [...(isArray(block.citations) ? block.citations : []), delta.citation ?? null];
    if (delta.type === 'input_json_delta')
      inputs.set(index, (inputs.get(index) ?? '') + (asString(delta.partial_json) ?? ''));
  }
  for (const [index, text] of inputs) {
    const block = blocks[index];
    if (block !== undefined && text !== '') block.input = parseJson(text);
  }
  return blocks;
}
