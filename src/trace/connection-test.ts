// The response of a server → what the user can do about it.

import { randomBytes } from 'node:crypto';
import type { Destination } from './config/index.ts';
import { type Outcome, postBatch } from './outbox/index.ts';
import { type EncodeOptions, encodeBatches, profileOptions, profiles } from './profiles/index.ts';
import type { GenerationDetail, TraceSpan, Wire } from './span/index.ts';

/** `undefined` on success. */
export function adviceFor(outcome: Outcome, destination: Destination): string | undefined {
  if (outcome.kind === 'taken') {
    if (outcome.rejectedSpans === 0) return undefined;
    return `check the profile (${destination.profile}): does this server support it?`;
  }
  const status = /^(\d{3})\b/.exec(outcome.message)?.[1];
  return status === undefined ? networkAdvice(outcome.message, destination) : statusAdvice(Number(status), destination);
}

function statusAdvice(status: number, { url, profile, format, headers }: Destination): string {
  const kept = 'traces of sessions are kept and sent later';
  if (status >= 300 && status < 400) return 'set the endpoint to the address of the redirect';
  if (status === 401 || status === 403) return keyAdvice(headers);
  if (status === 404 || status === 405) return `check the address: spans are posted to ${urlWithoutQuery(url)}`;
  if (status === 413) return 'raise the request size limit of the server or its proxy';
  if (status === 415) return `set CLEW_TRACE_FORMAT=${format === 'json' ? 'protobuf' : 'json'}`;
  if (status === 429) return `wait a moment and try again; ${kept}`;
  if (status === 408 || status >= 500) return `check the log of the server; ${kept}`;
  return `check CLEW_TRACE_PROFILE (${profile}) and CLEW_TRACE_FORMAT (${format})`;
}

function keyAdvice(headers: Destination['headers']): string {
  const isLangfuse = headers['x-langfuse-ingestion-version'] !== undefined;
  if (isLangfuse)
    return 'check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, and that LANGFUSE_HOST is in the same region';
  return Object.keys(headers).length === 0
    ? 'the server requires a key: set CLEW_TRACE_HEADERS=authorization=Bearer%20KEY, or the header it expects'
    : 'check the key in CLEW_TRACE_HEADERS, or in the headers of trace.json';
}

function networkAdvice(message: string, { url }: Destination): string {
  const { host, hostname, protocol } = new URL(url);
  if (/ECONNREFUSED/.test(message))
    return `nothing listens at ${host}: start the server, or correct the port (usually 4318 for OTLP over HTTP, 6006 for Phoenix)`;
  if (/ENOTFOUND|EAI_AGAIN/.test(message)) return `host ${hostname} not found: check the address and the network`;
  if (/certificate|CERT_|self.signed/i.test(message))
    return 'add the certificate of the server to NODE_EXTRA_CA_CERTS, or use a trusted one';
  if (/^no answer within/.test(message)) return `${host} did not respond: check the port, the proxy and the firewall`;
  if (/wrong version number|EPROTO|packet length/i.test(message))
    return `${host} does not support TLS: use http instead of https`;
  if (/Parse Error|Expected HTTP|socket hang up|ECONNRESET/i.test(message))
    return protocol === 'https:'
      ? `check that ${host} accepts OTLP over HTTP`
      : `check that ${host} accepts OTLP over HTTP (port 4317 is for gRPC, 4318 for HTTP), and whether it requires https`;
  return 'check the address and the network';
}

function urlWithoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

// An example turn with a prompt, a tool call, its result and an answer: `clew trace install` shows what a destination
// would get of it, and `clew trace test` sends it.

/** The session and the model of the spans, which must not look real. */
const exampleName = 'clew-trace-test';

/** New ids each time, because a server may keep the old version of a trace. */
export function exampleSpans(nowMs: number, version: string): readonly TraceSpan[] {
  const traceId = randomBytes(16).toString('hex');
  const [turn, asking, tool, answering] = [1, 2, 3, 4].map(() => randomBytes(8).toString('hex')) as [
    string,
    string,
    string,
    string,
  ];
  const input = { file_path: '/home/you/project/notes.txt' };
  const common = { traceId, sessionId: exampleName, traceName: 'Turn 1', promptId: undefined, version, ...noError };
  const prompt = 'What is in notes.txt?';
  const output = 'A shopping list with one entry: milk.';
  const results = [{ toolUseId: 'toolu_example', content: 'milk', isError: false }];
  const toolCalls = [{ id: 'toolu_example', name: 'Read', input }];
  return [
    {
      ...common,
      spanId: turn,
      parentSpanId: undefined,
      kind: 'turn',
      startMs: nowMs - 4000,
      endMs: nowMs,
      detail: {
        kind: 'turn',
        turnKey: exampleName,
        number: 1,
        input: prompt,
        images: [],
        command: undefined,
        output,
        model: exampleName,
        version,
        cwd: '/home/you/project',
        gitBranch: 'main',
        slug: undefined,
      },
    },
    {
      ...common,
      spanId: asking,
      parentSpanId: turn,
      kind: 'generation',
      startMs: nowMs - 4000,
      endMs: nowMs - 2000,
      detail: {
        ...generation,
        messageId: 'msg_example1',
        stopReason: 'tool_use',
        input: prompt,
        output: '',
        toolCalls,
      },
    },
    {
      ...common,
      spanId: tool,
      parentSpanId: asking,
      kind: 'tool',
      startMs: nowMs - 2000,
      endMs: nowMs - 1000,
      detail: {
        kind: 'tool',
        agentId: undefined,
        toolUseId: 'toolu_example',
        name: 'Read',
        isExternal: false,
        input,
        output: 'milk',
      },
    },
    {
      ...common,
      spanId: answering,
      parentSpanId: turn,
      kind: 'generation',
      startMs: nowMs - 1000,
      endMs: nowMs,
      detail: { ...generation, messageId: 'msg_example2', stopReason: 'end_turn', results, output },
    },
  ];
}

export function exampleWire(destination: Destination, spans: readonly TraceSpan[], options: EncodeOptions): Wire {
  return profiles[destination.profile](spans, profileOptions(destination, options));
}

export async function sendExample(
  destination: Destination,
  spans: readonly TraceSpan[],
  options: EncodeOptions,
): Promise<Outcome> {
  let last: Outcome = { kind: 'taken', rejectedSpans: 0, message: undefined };
  const { timeoutMs } = destination;
  for (const { body, contentType, contentEncoding } of encodeBatches(destination, spans, options)) {
    const batch = { info: { contentType, contentEncoding }, body };
    last = await postBatch(destination, batch, { timeoutMs, nowMs: options.nowMs });
    if (last.kind !== 'taken' || last.rejectedSpans > 0) return last;
  }
  return last;
}

const noError = { error: undefined, errorText: undefined } as const;

const generation: GenerationDetail = {
  kind: 'generation',
  agentId: undefined,
  messageId: undefined,
  requestId: undefined,
  model: exampleName,
  stopReason: undefined,
  input: undefined,
  images: [],
  results: [],
  compactions: [],
  output: '',
  thinking: undefined,
  toolCalls: [],
  usage: {
    inputTokens: 12,
    outputTokens: 8,
    cacheReadTokens: 0,
    cacheWrite5mTokens: undefined,
    cacheWrite1hTokens: undefined,
    cacheWriteTokens: undefined,
    speed: undefined,
    serviceTier: undefined,
  },
  pricedUsage: [],
};
