// One span of each kind with everything filled in: what the profiles' tests turn into attributes.
import type { GenerationDetail, TraceSpan } from '../../src/trace/span/span.ts';

const traceId = 'a'.repeat(32);
const startMs: number = Date.parse('2026-01-03T10:00:00.000Z');
const picture = { type: 'image', media_type: 'image/png', bytes: 3, sha256: 'f'.repeat(64) } as const;
const common = {
  traceId,
  sessionId: 'sess1',
  traceName: 'Turn 3',
  promptId: 'p1',
  version: '2.1.45',
  error: undefined,
  errorText: undefined,
} as const;

export const turn: TraceSpan = {
  ...common,
  spanId: '1'.repeat(16),
  parentSpanId: undefined,
  kind: 'turn',
  startMs,
  endMs: startMs + 9000,
  detail: {
    kind: 'turn',
    turnKey: 'm1',
    number: 3,
    input: 'look at it',
    images: [],
    command: 'review',
    output: 'it is fine',
    model: 'claude-x',
    version: '2.1.45',
    cwd: '/home/dev/widgets',
    gitBranch: 'main',
    slug: 'brave-otter',
  },
};

export const generationDetail: GenerationDetail = {
  kind: 'generation',
  agentId: undefined,
  messageId: 'm1',
  requestId: 'r1',
  model: 'claude-x',
  stopReason: 'tool_use',
  input: 'look at it',
  images: [],
  results: [],
  compactions: [],
  output: 'I look',
  thinking: undefined,
  toolCalls: [{ id: 't1', name: 'Read', input: { file_path: '/a' } }],
  usage: {
    inputTokens: 100,
    outputTokens: 50,
    cacheReadTokens: 20,
    cacheWrite5mTokens: 30,
    cacheWrite1hTokens: 10,
    cacheWriteTokens: undefined,
    speed: 'fast',
    serviceTier: 'standard',
  },
  pricedUsage: [],
};

export const generation: TraceSpan = {
  ...common,
  spanId: '2'.repeat(16),
  parentSpanId: turn.spanId,
  kind: 'generation',
  startMs: startMs + 1000,
  endMs: startMs + 4000,
  detail: generationDetail,
};

export const tool: TraceSpan = {
  ...common,
  spanId: '3'.repeat(16),
  parentSpanId: generation.spanId,
  kind: 'tool',
  startMs: startMs + 1000,
  endMs: startMs + 2000,
  detail: {
    kind: 'tool',
    agentId: undefined,
    toolUseId: 't1',
    name: 'Read',
    isExternal: false,
    input: { file_path: '/a' },
    output: 'the file',
  },
};

export const failedTool: TraceSpan = {
  ...tool,
  spanId: '4'.repeat(16),
  error: 'tool_error',
  errorText: 'no such file',
  detail: {
    kind: 'tool',
    agentId: undefined,
    toolUseId: 't2',
    name: 'mcp__db__ask',
    isExternal: true,
    input: {},
    output: 'no such file',
  },
};

export const subagent: TraceSpan = {
  ...common,
  spanId: '5'.repeat(16),
  parentSpanId: tool.spanId,
  kind: 'subagent',
  startMs: startMs + 1200,
  endMs: startMs + 1900,
  detail: { kind: 'subagent', agentId: 'a1', agentType: 'helper', input: 'count', output: 'two' },
};

export const withPicture: TraceSpan = {
  ...generation,
  detail: { ...generationDetail, images: [picture], thinking: 'hm' },
};

export const all: readonly TraceSpan[] = [turn, generation, tool, failedTool, subagent];
