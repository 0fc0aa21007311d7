// The usage of one API response, counted by the rule of session/usage, with the facts that prices depend on.
import { asObject, asString, type JsonObject } from '../../base/json/json.ts';
import { readUsage, tokenCount, type Usage } from '../../format/entry/usage.ts';
import { countUsage, type UsageLine } from '../../session/usage/usage.ts';
import type { TraceUsage } from '../span/span.ts';
import type { TraceLine } from './trace-line.ts';

export function usageOf(lines: readonly TraceLine[]): {
  readonly usage: TraceUsage | undefined;
  readonly pricedUsage: readonly Usage[];
} {
  const raws = new Map<UsageLine, JsonObject>();
  for (const line of lines) addUsageLine(raws, line);
  const { messages } = countUsage(raws.keys());
  const [first, ...others] = messages.map(({ line }) => tracedUsage(raws.get(line) ?? {}));
  // Lines without an id count as one message each, and one generation may have several.
  const usage = first === undefined ? undefined : others.reduce(addTraced, first);
  return { usage, pricedUsage: messages.map((message) => message.usage) };
}

function addUsageLine(raws: Map<UsageLine, JsonObject>, line: TraceLine): void {
  const message = asObject((line.entry as { readonly message?: unknown }).message);
  const raw = asObject(message?.usage);
  const usage = readUsage(raw);
  if (message === undefined || raw === undefined || usage === undefined) return;
  const usageLine = {
    file: '',
    line: line.number,
    sessionId: '',
    uuid: line.head.uuid,
    isSidechain: false,
    messageId: asString(message.id),
    // The lines are already grouped: two requests with one id are two messages.
    requestId: undefined,
    model: asString(message.model),
    stopReason: asString(message.stop_reason),
    time: line.timeMs ?? Number.NaN,
    usage,
    isCopy: false,
  };
  raws.set(usageLine, raw);
}

function tracedUsage(raw: JsonObject): TraceUsage {
  const usage = readUsage(raw);
  const hasSplit = asObject(raw.cache_creation) !== undefined;
  const hasWrites = raw.cache_creation_input_tokens !== undefined && raw.cache_creation_input_tokens !== null;
  return {
    inputTokens: tokenCount(raw.input_tokens),
    outputTokens: tokenCount(raw.output_tokens),
    cacheReadTokens: typeof raw.cache_read_input_tokens === 'number' ? usage?.cacheReadTokens : undefined,
    cacheWrite5mTokens: hasSplit ? usage?.cacheWrite5mTokens : undefined,
    cacheWrite1hTokens: hasSplit ? usage?.cacheWrite1hTokens : undefined,
    cacheWriteTokens: !hasSplit && hasWrites ? tokenCount(raw.cache_creation_input_tokens) : undefined,
    speed: asString(raw.speed),
    serviceTier: asString(raw.service_tier),
  };
}

function addTraced(a: TraceUsage, b: TraceUsage): TraceUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: addCounts(a.cacheReadTokens, b.cacheReadTokens),
    cacheWrite5mTokens: addCounts(a.cacheWrite5mTokens, b.cacheWrite5mTokens),
    cacheWrite1hTokens: addCounts(a.cacheWrite1hTokens, b.cacheWrite1hTokens),
    cacheWriteTokens: addCounts(a.cacheWriteTokens, b.cacheWriteTokens),
    speed: b.speed ?? a.speed,
    serviceTier: b.serviceTier ?? a.serviceTier,
  };
}

function addCounts(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : a + (b ?? 0);
}
