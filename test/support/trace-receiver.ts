// A trace server on loopback that is as unreliable as a test needs: it fails, asks for a delay, cuts the connection,
// responds late. It records all accepted requests unchanged, also those whose response got lost.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer as readAll } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import {
  asObject,
  asString,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../src/base/json/json.ts';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, JsonValue>>;
}

export type Mood = 'fine' | '500' | '429' | '400' | 'cut' | 'cut early' | 'taken' | '504' | 'slow' | 'partial';

export interface Receiver {
  readonly url: string;
  /** Of every request that got 2xx, or was `taken` without a response, in order. */
  readonly spans: ReceivedSpan[];
  readonly bodies: Buffer[];
  readonly requests: { readonly mood: Mood; readonly headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
}

export interface ReceiverOptions {
  readonly port?: number;
  /** Asked for every request. */
  readonly mood?: () => Mood;
  readonly retryAfter?: string;
  /** How late `slow` is. */
  readonly slowMs?: number;
}

export async function startReceiver(context: TestContext, options: ReceiverOptions = {}): Promise<Receiver> {
  const receiver = { spans: [] as ReceivedSpan[], bodies: [] as Buffer[], requests: [] as Receiver['requests'] };
  const server = createServer((request, response) => {
    answer(request, response, options, receiver).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  context.after(close);
  return { ...receiver, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { mood: choose = () => 'fine', retryAfter = '0', slowMs = 300 }: ReceiverOptions,
  receiver: Pick<Receiver, 'spans' | 'bodies' | 'requests'>,
): Promise<void> {
  const mood = choose();
  receiver.requests.push({ mood, headers: request.headers });
  if (mood === 'cut early') {
    request.destroy();
    return;
  }
  const raw = await readAll(request);
  if (mood === 'cut') return void response.destroy();
  if (mood === 'slow') await waitUnlessClosed(response, slowMs);
  if (mood === '500') return void response.writeHead(500).end('out of order');
  if (mood === '429') return void response.writeHead(429, { 'retry-after': retryAfter }).end('too many');
  if (mood === '400') return void response.writeHead(400, { 'content-type': 'text/plain' }).end('malformed spans');
  const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
  const keep = (): void => {
    receiver.bodies.push(body);
    receiver.spans.push(...spansIn(body));
  };
  if (mood === 'taken' || mood === '504') keep();
  if (mood === 'taken') return void response.destroy();
  if (mood === '504') return void response.writeHead(504).end('gateway timeout');
  // The client has hung up without a response: a transactional server rolls back.
  if (response.destroyed || request.socket.destroyed) return;
  await new Promise<void>((resolve) => {
    response.once('finish', () => {
      keep();
      resolve();
    });
    response.once('close', resolve);
    const partial = mood === 'partial' ? { partialSuccess: { rejectedSpans: '1', errorMessage: 'one is odd' } } : {};
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(partial));
  });
}

/** Ends with the connection: a running timer would keep the process of the test alive. */
function waitUnlessClosed(response: ServerResponse, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Every received span, unchanged, ordered by id. */
export function rawSpans({ bodies }: Pick<Receiver, 'bodies'>): readonly string[] {
  return bodies
    .flatMap(jsonSpans)
    .map((span) => JSON.stringify(span))
    .sort();
}

function jsonSpans(body: Buffer): readonly JsonObject[] {
  return listOf(asObject(parseJson(body.toString('utf8'))), 'resourceSpans')
    .flatMap((each) => listOf(each, 'scopeSpans'))
    .flatMap((each) => listOf(each, 'spans'));
}

/** The spans of a request in OTLP JSON. */
export function spansIn(body: Buffer): readonly ReceivedSpan[] {
  return jsonSpans(body).map((span) => ({
    traceId: asString(span.traceId) ?? '',
    spanId: asString(span.spanId) ?? '',
    parentSpanId: asString(span.parentSpanId) || undefined,
    name: asString(span.name) ?? '',
    startMs: Number(span.startTimeUnixNano) / 1e6,
    endMs: Number(span.endTimeUnixNano) / 1e6,
    attributes: Object.fromEntries(
      listOf(span, 'attributes').map((each) => [asString(each.key) ?? '', plainValue(asObject(each.value))]),
    ),
  }));
}

function plainValue(value: JsonObject | undefined): JsonValue {
  if (value === undefined) return null;
  if (isObject(value.arrayValue)) return listOf(value.arrayValue, 'values').map(plainValue);
  return value.stringValue ?? value.boolValue ?? value.intValue ?? value.doubleValue ?? null;
}

function listOf(value: JsonObject | undefined, key: string): readonly JsonObject[] {
  const list = value?.[key];
  return isArray(list) ? list.filter(isObject) : [];
}

/** The ids that arrived more or less than once, with their counts. */
export function repeated(spans: readonly ReceivedSpan[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { spanId } of spans) counts.set(spanId, (counts.get(spanId) ?? 0) + 1);
  return Object.fromEntries([...counts].filter(([, count]) => count > 1));
}
