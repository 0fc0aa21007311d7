// A line of a transcript → its user and assistant records and compaction marks, parsed, with their heads. All other
// records are skipped after the scan, so that they cost no parsing.
import { asObject, asString, type JsonObject } from '../../base/json/index.ts';
import { asEntry, type Entry, readUsage, roleOf, tokenCount, type Usage } from '../../format/entry/index.ts';
import { parseLine } from '../../format/line/index.ts';
import { type Head, scanRecord } from '../../format/scan/index.ts';
import { countUsage, type UsageLine } from '../../session/usage/index.ts';
import type { Line } from '../../store/index.ts';
import type { TraceUsage } from '../span/index.ts';

export interface TraceLine {
  readonly number: number;
  readonly offset: number;
  readonly length: number;
  readonly role: 'user' | 'assistant' | 'compaction';
  readonly entry: Entry;
  readonly head: Head;
  readonly timeMs: number | undefined;
  /** When the client sent the request that this line answers (2.1.300 and later); set by line-order.ts. */
  readonly requestMs?: number;
  /** The uuid of the nearest message line above it, if that line was read before. */
  readonly parent?: string;
}

export function traceLinesOf(line: Line): readonly TraceLine[] {
  // The bytes of a line that is too long to hold are incomplete.
  if (line.bytes.length < line.length) return [];
  const head = scanRecord(line.bytes);
  if (head !== undefined && !mayBeMessage(head)) return [];
  const found: TraceLine[] = [];
  for (const { entry, bytes } of parseLine(line.bytes).pieces) {
    const role = entry === undefined ? undefined : traceRoleOf(entry);
    if (entry === undefined || role === undefined) continue;
    const own = bytes.length === line.bytes.length ? head : scanRecord(bytes);
    if (own === undefined) continue;
    found.push({
      number: line.number,
      offset: line.offset,
      length: line.length,
      role,
      entry: asEntry(entry) ?? {},
      head: own,
      timeMs: timeOf(entry),
    });
  }
  return found;
}

/** The id of the request that a line answers (2.1.300 and later). */
export function requestRefOf(line: TraceLine): string | undefined {
  return asString((line.entry as { readonly requestRef?: unknown }).requestRef);
}

/** The id and time of an `api-request` line. */
export function requestOf(line: Line): { readonly id: string; readonly timeMs: number } | undefined {
  const entry = parseLine(line.bytes).pieces[0]?.entry;
  const id = asString((entry as { readonly id?: unknown } | undefined)?.id);
  const timeMs = entry === undefined ? undefined : timeOf(entry);
  return id === undefined || timeMs === undefined ? undefined : { id, timeMs };
}

function mayBeMessage(head: Head): boolean {
  if (head.type === 'system') return head.subtype === 'compact_boundary';
  return head.type === 'user' || head.type === 'assistant' || head.type === '';
}

function traceRoleOf(entry: Entry): TraceLine['role'] | undefined {
  const { type, subtype } = entry as { readonly type?: unknown; readonly subtype?: unknown };
  if (type === 'system' && subtype === 'compact_boundary') return 'compaction';
  const role = roleOf(entry);
  return role === 'user' || role === 'assistant' ? role : undefined;
}

function timeOf(entry: Entry): number | undefined {
  const { timestamp, message } = entry as { readonly timestamp?: unknown; readonly message?: unknown };
  const time = Date.parse(asString(timestamp ?? asObject(message)?.timestamp) ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** The times of the lines before a response. Plain JSON, stored between runs. */
export interface Cause {
  /** Of the last line. */
  readonly lastMs?: number;
  /** Of the last line that a user, a tool or the client wrote. */
  readonly inputMs?: number;
}

export interface ResponseTimes {
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
}

export function causeAfter(line: TraceLine, before: Cause): Cause {
  const { timeMs } = line;
  if (timeMs === undefined) return before;
  return line.role === 'user' ? { lastMs: timeMs, inputMs: timeMs } : { ...before, lastMs: timeMs };
}

/** `lines`: the lines of the response. The cause is the state before the first of them. */
export function responseTimes(lines: readonly TraceLine[], { lastMs, inputMs }: Cause): ResponseTimes {
  const times = lines.flatMap((line) => line.timeMs ?? []);
  const sentMs = lines.find((line) => line.requestMs !== undefined)?.requestMs;
  if (times.length === 0) return { startMs: sentMs ?? lastMs, endMs: sentMs ?? lastMs };
  const endMs = Math.max(...times);
  // Two responses with the same time were requested together: the first did not cause the second.
  const causeMs = lastMs !== undefined && lastMs < endMs ? lastMs : inputMs;
  return { startMs: Math.min(sentMs ?? causeMs ?? endMs, ...times), endMs };
}

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
