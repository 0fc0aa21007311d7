// Messages and results, of a turn or of a sub-agent → a span for each API response, below it its tool calls, and below a
// call that started a sub-agent the spans of that sub-agent.
import { asObject, asString, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import {
  type Block,
  contentOf,
  isServerCall,
  isServerResult,
  isThinking,
  isToolUse,
  textOf,
} from '../../format/entry/index.ts';
import { classifyUser } from '../../session/transcript/index.ts';
import {
  type AgentLookup,
  type AgentRun,
  type Cause,
  causeAfter,
  compactionOf,
  type TraceLine,
  type TraceMessage,
  type TraceResult,
  TurnDraft,
} from '../read/index.ts';
import {
  agentScope,
  type GenerationDetail,
  generationSpanId,
  type ImagePlaceholder,
  subagentSpanId,
  type ToolDetail,
  type TraceCompaction,
  type TraceSpan,
  toolSpanId,
  withoutImages,
} from '../span/index.ts';

export interface SpanContext {
  readonly sessionId: string;
  readonly agents: AgentLookup;
  /** The times of seed 002: a generation starts at its first line and ends where the next one starts. */
  readonly strictSeed?: boolean;
  /** With `strictSeed`, when the last generation ends; by default at the end of the turn. */
  readonly nowMs?: number;
  readonly withThinking?: boolean;
  /** Predictable trace ids: see `traceIdOf`. */
  readonly traceSeed?: string;
  /** Copies of a turn in other sessions get their own ids. */
  readonly keepForks?: boolean;
}

/** Where spans belong: to the turn or to one of its sub-agents. */
export interface SpanPlace {
  readonly traceId: string;
  /** What the ids of spans are derived from, see ids.ts. */
  readonly scope: string;
  /** `undefined` for the root of a trace. */
  readonly parentSpanId: string | undefined;
  readonly agentId: string | undefined;
  /** The runs of sub-agents that have spans: each gets them once, even if files start each other. */
  readonly started: Set<string>;
  readonly traceName: string;
  readonly promptId: string | undefined;
  readonly version: string | undefined;
  readonly context: SpanContext;
}

/** Messages and results, of a turn or of a sub-agent. */
export interface Conversation {
  readonly messages: readonly TraceMessage[];
  readonly results: ReadonlyMap<string, TraceResult>;
  readonly agentRuns: ReadonlyMap<string, AgentRun>;
  readonly waitingCalls: ReadonlySet<string>;
  readonly endMs: number | undefined;
  /** For the first generation. */
  readonly input: string | undefined;
  readonly images: readonly ImagePlaceholder[];
}

export function conversationSpans(conversation: Conversation, place: SpanPlace): readonly TraceSpan[] {
  const fresh = conversation.messages.filter((message) => !message.isSent);
  let done = 0;
  const spans: TraceSpan[] = [];
  for (const message of conversation.messages) {
    const spanId = generationId(message, place.scope);
    if (!message.isSent) {
      const next = fresh[++done];
      const isFirst = message === fresh[0];
      const times = place.context.strictSeed === true ? seedTimes(message, next, conversation, place) : message;
      const { startMs, endMs } = times;
      const first = isFirst ? conversation : undefined;
      spans.push(generationSpan(message, { ...place, spanId, startMs, endMs, first }));
    }
    for (const block of message.blocks) {
      const id = isToolUse(block) || isServerCall(block) ? block.id : undefined;
      if (id === undefined || conversation.waitingCalls.has(id)) continue;
      spans.push(...callSpans(block as JsonObject, message, conversation, { ...place, parentSpanId: spanId }));
    }
  }
  return spans;
}

/** Seed 002, section 7: until the next generation starts; the last one ends now, or with the turn in a backfill. */
function seedTimes(
  { timeMs }: TraceMessage,
  next: TraceMessage | undefined,
  { endMs }: Conversation,
  { context }: SpanPlace,
): Pick<TraceSpan, 'startMs' | 'endMs'> {
  return { startMs: timeMs, endMs: next === undefined ? (context.nowMs ?? endMs) : next.timeMs };
}

function generationId(message: TraceMessage, scope: string): string {
  const id = message.isRepeatedId ? `${message.id}#${message.index}` : message.id;
  return generationSpanId(scope, id, message.index);
}

interface GenerationPlace extends SpanPlace {
  readonly spanId: string;
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  /** Only of the first generation. */
  readonly first: Conversation | undefined;
}

/** `errorText`: the error message, which is content like an output. */
export function spanAt(
  place: SpanPlace,
  { spanId, startMs, endMs }: Pick<TraceSpan, 'spanId' | 'startMs' | 'endMs'>,
  detail: TraceSpan['detail'],
  error: TraceSpan['error'],
  errorText: string | undefined,
): TraceSpan {
  return {
    traceId: place.traceId,
    spanId,
    parentSpanId: place.parentSpanId,
    kind: detail.kind,
    startMs,
    // Clocks run backwards between lines; a span never does.
    endMs: startMs !== undefined && endMs !== undefined && endMs < startMs ? startMs : endMs,
    sessionId: place.context.sessionId,
    traceName: place.traceName,
    promptId: place.promptId,
    version: place.version,
    detail,
    error,
    errorText,
  };
}

function messageSpan(
  place: SpanPlace,
  ids: Pick<TraceSpan, 'spanId' | 'startMs' | 'endMs'>,
  detail: TraceSpan['detail'],
  message: TraceMessage | undefined,
): TraceSpan {
  if (message?.isApiError !== true) return spanAt(place, ids, detail, undefined, undefined);
  return spanAt(place, ids, detail, 'api_error', textOf(message.blocks));
}

function generationSpan(message: TraceMessage, place: GenerationPlace): TraceSpan {
  const { context, first } = place;
  const detail: GenerationDetail = {
    kind: 'generation',
    agentId: place.agentId,
    messageId: message.id,
    requestId: message.requestId,
    model: message.model,
    stopReason: message.stopReason,
    input: first?.input,
    images: first?.images ?? [],
    results: message.answers.map((each) => ({ ...each, content: withoutImages(each.content) })),
    compactions: message.compactions,
    output: textOf(message.blocks),
    thinking: context.withThinking === true ? thinkingOf(message.blocks) : undefined,
    toolCalls: callsOf(message.blocks),
    usage: message.usage,
    pricedUsage: message.pricedUsage,
  };
  return messageSpan(place, place, detail, message);
}

function thinkingOf(blocks: readonly Block[]): string | undefined {
  const texts = blocks.flatMap((block) =>
    isThinking(block) && block.type === 'thinking' && block.thinking !== '' ? [block.thinking] : [],
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}

function callsOf(blocks: readonly Block[]): GenerationDetail['toolCalls'] {
  return blocks.flatMap((block) =>
    isToolUse(block) || isServerCall(block)
      ? [{ id: block.id, name: block.name, input: withoutImages(block.input as JsonValue | undefined) }]
      : [],
  );
}

function callSpans(
  block: JsonObject,
  message: TraceMessage,
  { results, agentRuns }: Conversation,
  place: SpanPlace,
): readonly TraceSpan[] {
  const id = asString(block.id) ?? '';
  const isExternal = block.type !== 'tool_use';
  const lineMs = place.context.strictSeed === true ? undefined : message.blockTimes.get(block as Block);
  const startMs = lineMs ?? message.timeMs;
  const result = isExternal ? serverResult(message, id) : results.get(id);
  const detail: ToolDetail = {
    kind: 'tool',
    agentId: place.agentId,
    toolUseId: id,
    name: asString(block.name) ?? '',
    isExternal: isExternal || asString(block.name)?.startsWith('mcp__') === true,
    input: withoutImages(block.input),
    output: withoutImages(result?.content),
  };
  const span = spanAt(
    place,
    { spanId: toolSpanId(place.scope, id), startMs, endMs: result?.timeMs },
    detail,
    result?.isError ? 'tool_error' : undefined,
    result?.isError ? resultText(result.content) : undefined,
  );
  if (isExternal || result?.isBackground) return [span];
  const run = agentRuns.get(id) ?? { run: 0, sinceMs: undefined, untilMs: result?.timeMs };
  const call: CallOfAgent = { id, agentId: result?.agentId, ...agentRequest(block), run };
  return [span, ...agentSpans(call, { ...place, parentSpanId: span.spanId })];
}

function agentRequest(block: JsonObject): {
  readonly prompt: string | undefined;
  readonly agentType: string | undefined;
} {
  const input = asObject(block.input);
  const startsAgent = block.name === 'Task' || block.name === 'Agent';
  return {
    prompt: startsAgent ? asString(input?.prompt) : undefined,
    agentType: startsAgent ? asString(input?.subagent_type) : undefined,
  };
}

/** The API returns the result of a server tool in the same message, often on the same line. */
function serverResult(message: TraceMessage, id: string): TraceResult | undefined {
  const block = message.blocks.find((each) => isServerResult(each) && each.tool_use_id === id) as
    | JsonObject
    | undefined;
  if (block === undefined) return undefined;
  const isError = block.is_error === true || (isObject(block.content) && block.content.error_code !== undefined);
  const timeMs = message.blockTimes.get(block as Block) ?? message.timeMs;
  return { timeMs, content: block.content, isError, agentId: undefined, isBackground: false };
}

function resultText(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? textOf(content.filter(isObject)) : '';
}

export interface CallOfAgent {
  readonly id: string;
  readonly agentId: string | undefined;
  readonly prompt: string | undefined;
  readonly agentType: string | undefined;
  readonly run: AgentRun;
}

/** `place.parentSpanId` is the span of the call. */
export function agentSpans(call: CallOfAgent, place: SpanPlace): readonly TraceSpan[] {
  const agent = place.context.agents.find(call.id, call.agentId, call.prompt);
  if (agent === undefined) return [];
  const { run, sinceMs, untilMs } = call.run;
  const lines = [...agent.lines()].filter(
    ({ timeMs }) =>
      timeMs === undefined || ((sinceMs === undefined || timeMs > sinceMs) && timeMs <= (untilMs ?? timeMs)),
  );
  return spansOfAgent({ agentId: agent.agentId, agentType: agent.agentType ?? call.agentType, lines, run }, place);
}

interface AgentLines {
  readonly agentId: string;
  readonly agentType: string | undefined;
  readonly lines: readonly TraceLine[];
  readonly run: number;
}

export function spansOfAgent({ agentId, agentType, lines, run }: AgentLines, place: SpanPlace): readonly TraceSpan[] {
  const draft = new TurnDraft({ offset: 0, line: 0, cause: {} }, undefined, undefined, false);
  const compactions: TraceCompaction[] = [];
  let cause: Cause = {};
  for (const line of lines) {
    if (line.role === 'compaction') {
      compactions.push(compactionOf(line));
      continue;
    }
    if (line.role === 'assistant' && !line.head.isMeta) draft.addAssistant(line, cause, compactions);
    else draft.interrupt();
    if (line.role === 'user' && classifyUser(line.head).kind === 'results') draft.addResults(line);
    cause = causeAfter(line, cause);
  }
  const name = run === 0 ? agentId : `${agentId}#${run}`;
  if (!draft.hasMessages || place.started.has(name)) return [];
  place.started.add(name);
  const messages = draft.messages();
  const last = messages.at(-1);
  const startMs = lines.find((line) => line.timeMs !== undefined)?.timeMs;
  const spanId = subagentSpanId(place.traceId, name);
  const input = promptOf(lines);
  const output = last === undefined ? '' : textOf(last.blocks);
  const detail = { kind: 'subagent', agentId, agentType, input, output } as const;
  const span = messageSpan(place, { spanId, startMs, endMs: draft.endMs }, detail, last);
  const { nowMs: _live, ...context } = place.context;
  const inside = {
    ...place,
    scope: agentScope(place.traceId, name),
    parentSpanId: spanId,
    agentId,
    // The sub-agent has ended: `nowMs` does not apply to it.
    context,
  };
  const { results, endMs } = draft;
  const rest = { agentRuns: new Map<string, AgentRun>(), waitingCalls: new Set<string>(), images: [] };
  const conversation = { messages, results, endMs, input, ...rest };
  return [span, ...conversationSpans(conversation, inside)];
}

export function promptOf(lines: readonly TraceLine[]): string {
  const first = lines.find((line) => line.role === 'user');
  return first === undefined ? '' : textOf(contentOf(first.entry));
}
