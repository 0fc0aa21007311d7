// An example turn with a prompt, a tool call, its result and an answer: `clew trace install` shows what a destination
// would get of it, and `clew trace test` sends it.
import { randomBytes } from 'node:crypto';
import type { Destination } from './config/destinations.ts';
import { type Outcome, postBatch } from './outbox/post.ts';
import { type EncodeOptions, encodeBatches, profileOptions, profiles } from './profiles/encode-batches.ts';
import type { GenerationDetail, TraceSpan, Wire } from './span/span.ts';

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
  for (const { body, contentType, contentEncoding, spanIds } of encodeBatches(destination, spans, options)) {
    const { name, timeoutMs } = destination;
    const { nowMs } = options;
    const info = { destination: name, contentType, contentEncoding, sessionId: exampleName, spanIds, ledgerKeys: [] };
    last = await postBatch(destination, { info: { ...info, createdMs: nowMs }, body }, { timeoutMs, nowMs });
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
