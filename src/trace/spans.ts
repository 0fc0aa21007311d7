// A turn → its spans: the turn, below it a generation for each API response, below that its tool calls, and below a
// call that started a sub-agent the sub-agent with generations and calls of its own.
import { asObject, asString, isObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { type Block, isServerCall, isServerResult, isThinking, isToolUse, textOf } from '../format/block.ts';
import { agentSpans, type CallOfAgent, inlineAgentSpans } from './agent-spans.ts';
import type { AgentLookup } from './agents.ts';
import { generationSpanId, toolSpanId, traceIdOf, turnSpanId } from './ids.ts';
import { withoutImages } from './placeholder.ts';
import type { GenerationDetail, ImagePlaceholder, ToolDetail, TraceSpan } from './span.ts';
import { turnName } from './span-name.ts';
import type { AgentRun, TraceMessage, TraceResult, TraceTurn } from './turn.ts';

export interface SpanContext {
  readonly sessionId: string;
  readonly agents: AgentLookup;
  /** The times of seed 002: a generation begins with its first line and ends where the next one begins. */
  readonly strictSeed?: boolean;
  /** Only with `strictSeed`: when the last generation ends. Without it that is the end of the turn. */
  readonly nowMs?: number;
  readonly withThinking?: boolean;
  /** Predictable trace ids: see `traceIdOf`. */
  readonly traceSeed?: string;
  /** Copies of a turn in other sessions get ids of their own. */
  readonly keepForks?: boolean;
}

export function spansOfTurn(turn: TraceTurn, context: SpanContext): readonly TraceSpan[] {
  const traceId = traceOf(turn.key, turn.number, context);
  const parentSpanId = turnSpanId(traceId);
  const { promptId, version } = turn.about;
  const named = {
    traceName: turnName(turn.number),
    promptId,
    version,
    agentId: undefined,
    started: new Set<string>(),
    context,
  };
  const place = { traceId, scope: traceId, parentSpanId, ...named };
  const spans: TraceSpan[] = turn.isContinuation ? [] : [turnSpan(turn, traceId, context)];
  const first = turn.isContinuation ? undefined : turn.prompt;
  spans.push(...conversationSpans({ ...turn, input: first?.text, images: first?.images ?? [] }, place));
  spans.push(...inlineAgentSpans(turn, place));
  for (const { agentId, toolUseId, turnKey, turnNumber, agentType, promptId, ...run } of turn.finishedAgents) {
    const ownTrace = traceOf(turnKey, turnNumber, context);
    const call = { id: toolUseId, agentId, prompt: undefined, agentType, run };
    const parentSpanId = toolSpanId(ownTrace, toolUseId);
    const named = { traceName: turnName(turnNumber), promptId };
    spans.push(...agentSpans(call, { ...place, traceId: ownTrace, scope: ownTrace, parentSpanId, ...named }));
  }
  return spans;
}

/** The span of a turn that went on after it was handed out: the same id and start, with the output and end it has now. */
export function turnSpanAgain(turn: TraceTurn, context: SpanContext): TraceSpan | undefined {
  const hasAnswers = turn.messages.some((message) => !message.isSent);
  if (!turn.isContinuation || !hasAnswers || turn.startMs === undefined) return undefined;
  return turnSpan(turn, traceOf(turn.key, turn.number, context), context);
}

/** Where spans hang: in the turn itself or in one of its sub-agents. */
export interface SpanPlace {
  readonly traceId: string;
  /** What the ids of spans are made of: `ids.ts`. */
  readonly scope: string;
  /** `undefined`: it is the root of its trace. */
  readonly parentSpanId: string | undefined;
  readonly agentId: string | undefined;
  /** The runs of sub-agents that have spans by now: each has them once, even if files start each other. */
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

/** Seed 002, section 7: until the next generation begins; the last one ends now, or with the turn in a backfill. */
function seedTimes(
  { timeMs }: TraceMessage,
  next: TraceMessage | undefined,
  { endMs }: Conversation,
  { context }: SpanPlace,
): Pick<TraceSpan, 'startMs' | 'endMs'> {
  return { startMs: timeMs, endMs: next === undefined ? (context.nowMs ?? endMs) : next.timeMs };
}

function traceOf(turnKey: string, turnNumber: number, context: SpanContext): string {
  const key = context.keepForks === true ? `${turnKey}|${context.sessionId}` : turnKey;
  return traceIdOf(key, turnNumber, context.traceSeed);
}

function turnSpan(turn: TraceTurn, traceId: string, { sessionId }: SpanContext): TraceSpan {
  const last = turn.messages.findLast((message) => !message.isSent);
  const { startMs } = turn;
  const failed = last?.isApiError ? 'api_error' : undefined;
  return {
    traceId,
    spanId: turnSpanId(traceId),
    parentSpanId: undefined,
    kind: 'turn',
    startMs,
    endMs: notBefore(startMs, turn.endMs),
    sessionId,
    traceName: turnName(turn.number),
    promptId: turn.about.promptId,
    version: turn.about.version,
    detail: {
      kind: 'turn',
      turnKey: turn.key,
      number: turn.number,
      input: turn.prompt?.text ?? '',
      images: turn.prompt?.images ?? [],
      command: turn.prompt?.command,
      output: last === undefined ? '' : textOf(last.blocks),
      model: turn.model,
      version: turn.prompt?.version,
      cwd: turn.prompt?.cwd,
      gitBranch: turn.prompt?.gitBranch,
      slug: turn.prompt?.slug,
    },
    error: turn.isInterrupted ? 'interrupted' : failed,
    errorText: !turn.isInterrupted && last?.isApiError ? textOf(last.blocks) : undefined,
  };
}

function generationId(message: TraceMessage, scope: string): string {
  const id = message.isRepeatedId ? `${message.id}#${message.index}` : message.id;
  return generationSpanId(scope, id, message.index);
}

interface GenerationPlace extends SpanPlace {
  readonly spanId: string;
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  /** Of the first generation alone: what was said to the model. */
  readonly first: Conversation | undefined;
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
  return {
    traceId: place.traceId,
    spanId: place.spanId,
    parentSpanId: place.parentSpanId,
    kind: 'generation',
    startMs: place.startMs,
    endMs: notBefore(place.startMs, place.endMs),
    sessionId: context.sessionId,
    traceName: place.traceName,
    promptId: place.promptId,
    version: place.version,
    detail,
    error: message.isApiError ? 'api_error' : undefined,
    errorText: message.isApiError ? textOf(message.blocks) : undefined,
  };
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
  const span: TraceSpan = {
    traceId: place.traceId,
    spanId: toolSpanId(place.scope, id),
    parentSpanId: place.parentSpanId,
    kind: 'tool',
    startMs,
    endMs: notBefore(startMs, result?.timeMs),
    sessionId: place.context.sessionId,
    traceName: place.traceName,
    promptId: place.promptId,
    version: place.version,
    detail,
    error: result?.isError ? 'tool_error' : undefined,
    errorText: result?.isError ? resultText(result.content) : undefined,
  };
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

/** The API answers its own calls in the same message, often on the same line. */
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

/** Clocks run backwards between lines; a span never does. */
export function notBefore(startMs: number | undefined, endMs: number | undefined): number | undefined {
  return startMs !== undefined && endMs !== undefined && endMs < startMs ? startMs : endMs;
}
