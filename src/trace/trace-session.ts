// One session's transcript → batches in the outbox of every destination: read what is new, make spans, claim them, spool
// them, and only then move the session's state on. A run that ends anywhere in between is finished or undone by the next
// one; both happen under the session's lock.
import path from 'node:path';
import { withLock } from '../library/archive/lock.ts';
import { type AgentLookup, findAgentTranscripts } from './agents.ts';
import { compatFile, cursorAtLine, readCompat, writeCompat } from './compat-state.ts';
import type { TraceConfig } from './config.ts';
import { ledgerFor, type TraceContext } from './context.ts';
import { parseCursor, streamTurns, type TraceCursor } from './cursor.ts';
import { namesIn } from './durable.ts';
import { readMutes, wasMuted } from './mute.ts';
import { dropPending, readPending, releaseBatch } from './outbox.ts';
import { sessionKey, sessionLock } from './places.ts';
import { isTraced } from './projects.ts';
import { spoolTurns } from './spool-turns.ts';
import {
  type CompatEntry,
  type FileHead,
  goesOn,
  identifyHead,
  type PendingBatch,
  readState,
  readStateOf,
  type SessionState,
  writeState,
} from './state.ts';
import type { TraceTurn } from './turn.ts';
import { sortTurns } from './wanted-turns.ts';

/** What `traceSession` is asked to do. */
export interface SessionRun {
  readonly file: string;
  readonly sessionId: string;
  /** `turn`: the turn that stands last is at its end (Stop). `session`: nothing more will come. */
  readonly atEnd: 'turn' | 'session' | undefined;
  /** Only with `strictSeed`: when the last answer ended; without it, when its turn did. Otherwise the lines tell. */
  readonly endMs: number | undefined;
  /** Read all of it again; what was spooled before is not spooled again. */
  readonly fromStart: boolean;
  /** Count what would be done, write nothing. */
  readonly isDryRun?: boolean;
  /** `file` is gone, and sub-agents of the session are left. */
  readonly hasOnlyAgents?: boolean;
}

/** What `traceSession` did. */
export interface SessionReport {
  readonly turns: number;
  /** Of them, those that were not sent because the session or its folder is muted, or was then. */
  readonly mutedTurns: number;
  /** For all destinations together. */
  readonly spans: number;
  /** Spans that another session has sent, or this one before. */
  readonly copies: number;
  readonly bytesRead: number;
}

/** What a run says of itself, for whoever finds that it was killed. */
export interface LockNote {
  readonly file: string;
  readonly atEnd: 'turn' | 'session' | null;
}

/** Reads the new turns of a session and writes their spans to the outbox. */
export async function traceSession(run: SessionRun, context: TraceContext): Promise<SessionReport> {
  if (run.isDryRun === true) return readAndSpool(run, context);
  const note = JSON.stringify({ file: path.resolve(run.file), atEnd: run.atEnd ?? null } satisfies LockNote);
  const lock = { name: sessionLock(run.sessionId), note, what: 'tracing this session' };
  return withLock(context.places.sessions, { ...lock, waitMs: 15_000, pollMs: 15 }, async () => {
    await finishPending(context, sessionKey(run.sessionId));
    return readAndSpool(run, context);
  });
}

/** Releases what a run committed and undoes what it did not: at the end of each run, and after one that ended early. */
export async function finishPending(context: TraceContext, key: string): Promise<void> {
  const { places, onStep = () => {} } = context;
  const state = readStateOf(places, key);
  for (const { destination, name } of state?.pending ?? []) {
    const info = readPending(places, destination, name, key);
    if (info === undefined || state === undefined) continue;
    onStep('before the ledger');
    await ledgerFor(context, destination).record(info.ledgerKeys, state.sessionId);
    onStep('before the release');
    releaseBatch(places, destination, name, key);
  }
  const kept = new Set(state?.pending.map(({ name }) => name));
  for (const destination of namesIn(path.join(places.folder, 'outbox'))) dropPending(places, destination, key, kept);
}

/** So many turns are committed at once: a transcript of any size is traced in bounded memory. */
const turnsAtOnce = 40;

async function readAndSpool(run: SessionRun, context: TraceContext): Promise<SessionReport> {
  const { places, config, onStep = () => {} } = context;
  const total = { turns: 0, mutedTurns: 0, spans: 0, copies: 0, bytesRead: 0 };
  const mutes = readMutes(places);
  const identity = identifyHead(run.file) ?? (run.hasOnlyAgents === true ? noHead : undefined);
  if (identity === undefined) return total;
  const before = readState(places, run.sessionId);
  const taken = takenOver(run, before, context);
  const start = startOf(run, before, taken);
  const steps = turnsOf(run, start, config);
  const started = new Set<string>();
  let agents: AgentLookup | undefined;
  let hasMutedTurns = false;
  const commit = async (turns: readonly TraceTurn[], cursor: TraceCursor, isWhole: boolean): Promise<void> => {
    onStep('parsed');
    const { wanted, unwanted, mutedTurns } = sortTurns(turns, config, mutes);
    hasMutedTurns ||= turns.some(({ about }) => wasMuted(mutes, { ...run, cwd: about.cwd }));
    const hasAll = isWhole && run.fromStart && start === undefined && run.atEnd === 'session' && !hasMutedTurns;
    // Where nothing is new, the folder with all its files is not looked at either.
    if (turns.length > 0 || hasAll) agents ??= await findAgentTranscripts(run.file);
    const isLooseWanted = (cwd: string | undefined): boolean =>
      isTraced(config, cwd) && !wasMuted(mutes, { ...run, cwd });
    const spool = agents && { ...run, agents, started, hasAll, isLooseWanted };
    const made = spool === undefined ? nothing : await spoolTurns(wanted, spool, context, unwanted);
    total.turns += turns.length;
    total.mutedTurns += mutedTurns;
    total.spans += made.spans;
    total.copies += made.copies;
    if (run.isDryRun === true) return;
    onStep('spooled');
    const atEnd = isWhole ? run.atEnd : undefined;
    const { sessionId } = run;
    const [file, updatedMs] = [path.resolve(run.file), Date.now()];
    const { pending } = made;
    writeState(places, { sessionId, file, identity, cursor, atEnd, takenOver: taken, updatedMs, pending });
    onStep('committed');
    await finishPending(context, sessionKey(sessionId));
    onStep('released');
    if (!config.isCompat || turns.length === 0) return;
    const entry = { lastLine: cursor.line, turnCount: cursor.turnCount };
    await writeCompat(compatFile(context.env), sessionId, entry, updatedMs);
  };
  let turns: TraceTurn[] = [];
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) {
      await commit(turns, step.value.cursor, true);
      return { ...total, bytesRead: step.value.bytesRead };
    }
    turns.push(step.value.turn);
    if (turns.length < turnsAtOnce) continue;
    await commit(turns, step.value.cursor, false);
    turns = [];
  }
}

/** No file has it, so that a main transcript that comes back is read from its start. */
const noHead: FileHead = { dev: 0, ino: 0, sizeBytes: 0, headHash: '', headBytes: 0 };

function turnsOf(run: SessionRun, start: TraceCursor | undefined, { strictSeed }: TraceConfig): TurnSteps {
  if (run.hasOnlyAgents === true) return noTurns(run.sessionId);
  return streamTurns(run.file, start, {
    sessionId: run.sessionId,
    isFinal: run.atEnd !== undefined,
    isOver: run.atEnd === 'session',
    strictSeed,
  });
}

type TurnSteps = ReturnType<typeof streamTurns>;

// biome-ignore lint/correctness/useYield: a session without turns
function* noTurns(sessionId: string): TurnSteps {
  const cursor = { offset: 0, line: 0, turnCount: 0, sessionId, seen: [], running: [], agentRuns: [] };
  return { cursor, bytesRead: 0, diagnostics: [] };
}

const nothing: { readonly pending: readonly PendingBatch[]; readonly spans: number; readonly copies: number } = {
  pending: [],
  spans: 0,
  copies: 0,
};

function startOf(
  run: SessionRun,
  before: SessionState | undefined,
  taken: CompatEntry | undefined,
): TraceCursor | undefined {
  const isSame = before !== undefined && before.file === path.resolve(run.file) && goesOn(before.identity, run.file);
  if (isSame && !run.fromStart) return parseCursor(before.cursor);
  return taken === undefined ? undefined : cursorAtLine(run.file, run.sessionId, taken);
}

/** What another program has sent of the session; asked once, then kept with the session's own state. */
function takenOver(
  run: SessionRun,
  before: SessionState | undefined,
  { config, env }: TraceContext,
): CompatEntry | undefined {
  if (before !== undefined) return before.takenOver;
  if (!config.destinations.some(({ profile }) => profile === 'langfuse')) return undefined;
  return readCompat(compatFile(env), run.sessionId);
}
