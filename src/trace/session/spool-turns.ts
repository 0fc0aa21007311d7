// Turns → uncommitted batches in the outbox of each destination. Their spans are claimed in the ledger first, so that only
// one of several copies of a session sends them.

import type { Destination } from '../config/index.ts';
import { spoolBatch } from '../outbox/index.ts';
import { encodeBatches } from '../profiles/index.ts';
import type { AgentLookup, AgentTranscript, TraceTurn } from '../read/index.ts';
import type { TraceSpan } from '../span/index.ts';
import { looseAgentSpans, type SpanContext, spansOfTurn, turnSpanAgain } from '../spans/index.ts';
import { type PendingBatch, sessionKey } from '../state/index.ts';
import { ledgerFor, type TraceContext } from './context.ts';
import type { Claims } from './ledger.ts';

export interface SpoolRun {
  readonly sessionId: string;
  readonly endMs: number | undefined;
  readonly agents: AgentLookup;
  /** The sub-agents that calls have started; spoolTurns adds to it. */
  readonly started: Set<string>;
  /** All turns of the session are known: send also agents that no call started. */
  readonly hasAll: boolean;
  /** Whether an agent that no call started is sent, by its folder. */
  readonly isLooseWanted: (cwd: string | undefined) => boolean;
  readonly isDryRun?: boolean;
}

export interface SpooledTurns {
  readonly pending: readonly PendingBatch[];
  /** Including the spans that a profile adds. */
  readonly spans: number;
  readonly copies: number;
}

export async function spoolTurns(
  turns: readonly TraceTurn[],
  run: SpoolRun,
  context: TraceContext,
  unwanted: readonly TraceTurn[] = [],
): Promise<SpooledTurns> {
  const pending: PendingBatch[] = [];
  let [spans, copies] = [0, 0];
  // Unwanted turns also started their agents.
  for (const turn of unwanted) spansFor(turn, run, context, false);
  for (const destination of context.config.destinations) {
    const claimed = await claimSpans(destination, turns, run, context);
    copies += claimed.copies;
    if (claimed.spans.length === 0) continue;
    const spooled = await spoolSpans(destination, claimed.spans, run, context);
    spans += spooled.spans;
    pending.push(...spooled.pending);
  }
  return { pending, spans, copies };
}

interface ClaimedSpan {
  readonly span: TraceSpan;
  /** Its keys in the ledger: it is sent if all of them are free. */
  readonly keys: readonly string[];
}

async function spoolSpans(
  destination: Destination,
  spans: readonly ClaimedSpan[],
  { sessionId, endMs, isDryRun }: SpoolRun,
  { places, config, loadRedact, loadCosts, onStep = () => {} }: TraceContext,
): Promise<Omit<SpooledTurns, 'copies'>> {
  onStep('claimed');
  // A dry run only counts spans.
  const redact = destination.isRedacted && isDryRun !== true ? await loadRedact() : (text: string): string => text;
  const keysOfSpan = new Map(spans.map(({ span, keys }) => [span.spanId, keys]));
  const pending: PendingBatch[] = [];
  const all = spans.map(({ span }) => span);
  const { labels, strictSeed, parent } = config;
  const costOf = destination.cost === undefined ? undefined : (await loadCosts()).of(destination.cost);
  const options = { redact, labels, strictSeed, parent, costOf, ...clockFor(all, strictSeed, endMs) };
  let count = 0;
  for (const { spanIds, body, contentType, contentEncoding } of encodeBatches(destination, all, options)) {
    count += spanIds.length;
    if (isDryRun === true) continue;
    const ledgerKeys = spanIds.flatMap((id) => keysOfSpan.get(id) ?? []);
    const createdMs = Date.now();
    const info = {
      destination: destination.name,
      contentType,
      contentEncoding,
      sessionId,
      spanIds,
      ledgerKeys,
      createdMs,
    };
    pending.push({ destination: destination.name, name: spoolBatch(places, info, body, sessionKey(sessionId)) });
    onStep('one batch spooled');
  }
  return { pending, spans: count };
}

/** The default for missing times: the time of another span, or with `strictSeed` the clock. */
function clockFor(
  spans: readonly TraceSpan[],
  strictSeed: boolean,
  endMs: number | undefined,
): { readonly nowMs: number; readonly isBackfill: boolean } {
  if (strictSeed && endMs !== undefined) return { nowMs: endMs, isBackfill: false };
  const timed = spans.find((span) => (span.startMs ?? span.endMs) !== undefined);
  return { nowMs: timed?.startMs ?? timed?.endMs ?? 0, isBackfill: true };
}

/** The first session that claims a message sends it; copies are counted, and sent only with `keepsForks`. */
async function claimSpans(
  { name, profile }: Destination,
  turns: readonly TraceTurn[],
  run: SpoolRun,
  context: TraceContext,
): Promise<{ readonly spans: readonly ClaimedSpan[]; readonly copies: number }> {
  const ledger = ledgerFor(context, name);
  const ask = (keys: readonly string[]): Promise<Claims> =>
    run.isDryRun === true ? ledger.imagineClaim(keys, run.sessionId) : ledger.claim(keys, run.sessionId);
  const all = [...turns.map((turn) => spansFor(turn, run, context, false)), ...looseSpans(run, context)].map((spans) =>
    keyed(spans, ''),
  );
  const updates = takesUpdates(profile, context) ? turns.map((turn) => updateOf(turn, run, context, false)) : [];
  const { mine, foreign } = await ask([...all.flat(), ...updates.flat()].flatMap(({ keys }) => keys));
  const own = all.map((turn) => ownOf(turn, mine));
  const updated = updates.flatMap((each, i) => (own[i]?.some(isGeneration) ? each : []));
  const spans = [...own.flat(), ...updated.filter((each) => isOwnUpdate(each, mine, foreign))];
  const copies = all.flat().length - own.flat().length;
  if (foreign.size === 0 || !context.config.keepsForks) return { spans, copies };
  const forks = turns.filter((_, i) => all[i]?.some(({ keys }) => keys.some((key) => foreign.has(key))));
  const forked = forks.flatMap((turn) => keyed(spansFor(turn, run, context, true), run.sessionId));
  const moved = takesUpdates(profile, context) ? forks.flatMap((turn) => updateOf(turn, run, context, true)) : [];
  const again = await ask([...forked, ...moved].flatMap(({ keys }) => keys));
  const ownForked = forked.filter(({ keys }) => keys.every((key) => again.mine.has(key)));
  const ownMoved = moved.filter((each) => isOwnUpdate(each, again.mine, again.foreign));
  return { spans: [...spans, ...ownForked, ...ownMoved], copies };
}

/**
 * Whether the span of a turn that continues after a Stop is sent again. Langfuse keeps the last version of a span with
 * the same id and start; Phoenix keeps the first, and others show both. The seed sends every span once.
 */
function takesUpdates(profile: Destination['profile'], { config }: TraceContext): boolean {
  return profile === 'langfuse' && !config.strictSeed;
}

/** The number of answers is part of the key, so that every version is sent once. */
function updateOf(turn: TraceTurn, run: SpoolRun, context: TraceContext, keepForks: boolean): readonly ClaimedSpan[] {
  const span = turnSpanAgain(turn, spanContext(run, context, keepForks));
  if (span === undefined) return [];
  const scope = keepForks ? run.sessionId : '';
  const answers = Math.max(...turn.messages.map(({ index }) => index + 1));
  const key = `${scope}|${span.spanId}`;
  return [{ span, keys: [key, `${key}|${answers}`] }];
}

/** The first key shows that this session owns the turn, the second that it has not sent this version. */
function isOwnUpdate({ keys }: ClaimedSpan, mine: ReadonlySet<string>, foreign: ReadonlySet<string>): boolean {
  const [turn = '', version = ''] = keys;
  return !foreign.has(turn) && mine.has(version);
}

/** The client's own agents, such as the warm-up of 2.0.50: they belong to no turn but cost money. */
function looseSpans(
  { hasAll, isLooseWanted, agents, started, sessionId }: SpoolRun,
  { config }: TraceContext,
): readonly (readonly TraceSpan[])[] {
  if (!hasAll) return [];
  const wanted = (all: ReadonlySet<string>) => agents.loose(all).filter((agent) => isLooseWanted(cwdOf(agent)));
  const context = { sessionId, agents, strictSeed: config.strictSeed };
  return looseAgentSpans({ ...agents, loose: wanted }, started, context).map(({ spans }) => spans);
}

function cwdOf(agent: AgentTranscript): string | undefined {
  for (const { head } of agent.lines()) if (head.cwd !== undefined) return head.cwd;
  return undefined;
}

function spanContext(
  { sessionId, agents, endMs }: SpoolRun,
  { config }: TraceContext,
  keepForks: boolean,
): SpanContext {
  const { traceSeed, strictSeed } = config;
  return {
    sessionId,
    agents,
    keepForks,
    // Removed again for destinations that do not want it.
    withThinking: true,
    strictSeed,
    ...(endMs === undefined ? {} : { nowMs: endMs }),
    ...(traceSeed === undefined ? {} : { traceSeed }),
  };
}

function spansFor(turn: TraceTurn, run: SpoolRun, context: TraceContext, keepForks: boolean): readonly TraceSpan[] {
  const spans = spansOfTurn(turn, spanContext(run, context, keepForks));
  for (const { detail } of spans) if (detail.kind === 'subagent') run.started.add(detail.agentId);
  return spans;
}

/** A turn without any own answer is a copy. */
function ownOf(turn: readonly ClaimedSpan[], mine: ReadonlySet<string>): readonly ClaimedSpan[] {
  const own = turn.filter(({ keys }) => keys.every((key) => mine.has(key)));
  return turn.some(isGeneration) && !own.some(isGeneration)
    ? own.filter(({ span }) => span.parentSpanId !== undefined)
    : own;
}

function isGeneration({ span }: ClaimedSpan): boolean {
  return span.kind === 'generation';
}

function keyed(spans: readonly TraceSpan[], scope: string): readonly ClaimedSpan[] {
  return spans.map((span) => ({ span, keys: keysOf(span).map((key) => `${scope}|${key}`) }));
}

/**
 * Its own id, and the id of the API: a copy that was cut at the start is another turn with other ids, but has the same
 * messages. An id that is not the API's may mean something else in another session.
 */
function keysOf({ detail, spanId }: TraceSpan): readonly string[] {
  if (detail.kind === 'generation' && detail.messageId?.startsWith('msg_') === true)
    return [spanId, `${detail.messageId}|${detail.requestId ?? ''}`];
  if (detail.kind === 'tool' && /^(?:srv)?toolu_/.test(detail.toolUseId)) return [spanId, detail.toolUseId];
  return [spanId];
}
