// Assistant lines → tokens: the one counting rule for every number that Clew prints, with a receipt for each
// line. A response is written as several lines that all carry usage; adding them up doubles it, taking the first
// halves it (both are common mistakes).
import { addUsage, billedTokens, noUsage, type Usage } from '../../format/entry/index.ts';

/** A line that carries usage. */
export interface UsageLine {
  readonly file: string;
  readonly line: number;
  readonly sessionId: string;
  /** A line without a message id is its own message, wherever else it was copied to. */
  readonly uuid: string | undefined;
  readonly isSidechain: boolean;
  readonly messageId: string | undefined;
  readonly requestId: string | undefined;
  readonly model: string | undefined;
  readonly stopReason: string | undefined;
  readonly time: number;
  readonly usage: Usage;
  /** The line itself says that it was copied from another session. */
  readonly isCopy: boolean;
}

/** Why a line with usage is not counted. */
export type DropReason =
  /** Another line of the same message has at least as much output. */
  | 'smaller-line'
  /** The message was counted in the session, or the file, that had it first. */
  | 'copy'
  /** Made by the client, never by a model. */
  | 'synthetic';

/** A message that is counted, and the line its usage comes from. */
export interface CountedMessage {
  /** Where it counts: the line with the most output in the file that had the message first. */
  readonly line: UsageLine;
  readonly usage: Usage;
  /** No line of the message has a stop reason: its output is what had streamed when the line was written. */
  readonly isLowerBound: boolean;
}

/** A line with usage that is not counted. */
export interface DroppedLine {
  readonly line: UsageLine;
  readonly reason: DropReason;
}

/** Counted messages and dropped lines. Every line is either counted, or dropped with a reason. */
export interface UsageCount {
  readonly messages: readonly CountedMessage[];
  readonly dropped: readonly DroppedLine[];
}

/** The sum of counted messages. */
export interface UsageTotals {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly messages: number;
  readonly outputIsLowerBound: boolean;
}

/**
 * Counts each message once. Lines come in the order of the library: an original before its copies, in a session the main
 * transcript before its sub-agents, in a file from top to bottom. The first place whose lines are not marked as copies
 * keeps a message; if all are, the first place.
 */
export function countUsage(lines: Iterable<UsageLine>): UsageCount {
  const byMessage = new Map<string, Responses>();
  // A separate map: the uuid of a line may equal the message id of another.
  const byLine = new Map<string, Responses>();
  const all: MessageGroup[] = [];
  for (const line of lines) {
    const known = line.messageId === undefined ? byLine : byMessage;
    const key = line.messageId ?? line.uuid;
    const responses = key === undefined ? undefined : known.get(key);
    const group = responses === undefined ? undefined : groupFor(responses, line);
    if (group !== undefined) {
      group.lines.push(line);
      group.requestId ??= line.requestId;
      continue;
    }
    const fresh = { requestId: line.requestId, hasSidechain: line.isSidechain, lines: [line] };
    if (responses !== undefined) addResponse(responses, fresh);
    else if (key !== undefined) known.set(key, { first: fresh, others: undefined });
    all.push(fresh);
  }
  const count: { messages: CountedMessage[]; dropped: DroppedLine[] } = { messages: [], dropped: [] };
  for (const group of all) settle(group.lines, count);
  return count;
}

/** Sums up counted messages. */
export function totalUsage(messages: Iterable<CountedMessage>): UsageTotals {
  let sum = noUsage;
  let count = 0;
  let isLowerBound = false;
  for (const message of messages) {
    sum = addUsage(sum, message.usage);
    count++;
    isLowerBound ||= message.isLowerBound;
  }
  const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = billedTokens(sum);
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWrite5mTokens,
    cacheWrite1hTokens,
    messages: count,
    outputIsLowerBound: isLowerBound,
  };
}

interface MessageGroup {
  requestId: string | undefined;
  readonly hasSidechain: boolean;
  readonly lines: UsageLine[];
}

/** The responses with one message id: more than one if a gateway reuses ids. */
interface Responses {
  readonly first: MessageGroup;
  /** By their requests; created for the second one. */
  others: Map<string, MessageGroup> | undefined;
}

/** Only a line with a request begins another response, so every one of them has one. */
function addResponse(responses: Responses, fresh: MessageGroup): void {
  responses.others ??= new Map();
  if (fresh.requestId !== undefined) responses.others.set(fresh.requestId, fresh);
}

/** One id is one response, unless two requests of the main conversation claim it. */
function groupFor({ first, others }: Responses, line: UsageLine): MessageGroup | undefined {
  if (line.requestId === undefined || first.requestId === undefined) return first;
  if (line.requestId === first.requestId) return first;
  return others?.get(line.requestId) ?? (line.isSidechain || first.hasSidechain ? first : undefined);
}

function settle(lines: readonly UsageLine[], count: { messages: CountedMessage[]; dropped: DroppedLine[] }): void {
  const [only] = lines;
  if (lines.every(isEmptyCopy)) {
    for (const line of lines) count.dropped.push({ line, reason: 'copy' });
    return;
  }
  if (only !== undefined && lines.length === 1 && only.model !== '<synthetic>') {
    count.messages.push({ line: only, usage: only.usage, isLowerBound: only.stopReason === undefined });
    return;
  }
  if (lines.every((line) => line.model === '<synthetic>')) {
    for (const line of lines) count.dropped.push({ line, reason: 'synthetic' });
    return;
  }
  const first = lines.find((line) => !line.isCopy) ?? lines[0];
  const home = lines.filter((line) => line.file === first?.file);
  const line = largest(home);
  const isLowerBound = lines.every((each) => each.stopReason === undefined);
  count.messages.push({ line, usage: largest(lines).usage, isLowerBound });
  for (const other of lines) {
    if (other !== line) count.dropped.push({ line: other, reason: other.file === line.file ? 'smaller-line' : 'copy' });
  }
}

/** The line with the most output; of equals the last, which a client writes last. */
function largest(lines: readonly UsageLine[]): UsageLine {
  return lines.reduce((best, line) => (isLarger(line, best) ? line : best));
}

/** Whether a later line counts instead of an earlier one. A clone may carry zeros (docs/surgery.md): they say nothing. */
export function isLarger(later: Pick<UsageLine, 'usage'>, earlier: Pick<UsageLine, 'usage'>): boolean {
  if (later.usage.outputTokens !== earlier.usage.outputTokens)
    return later.usage.outputTokens > earlier.usage.outputTokens;
  return !isZero(later.usage) || isZero(earlier.usage);
}

/** A copy that got another message id has zeros, because the original counts (docs/surgery.md). */
function isEmptyCopy({ isCopy, usage }: UsageLine): boolean {
  return isCopy && usage.outputTokens === 0 && isZero(usage);
}

function isZero({ inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, compactions }: Usage): boolean {
  return inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens + compactions.length === 0;
}
