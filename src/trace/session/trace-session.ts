// One session's transcript → batches in the outbox of every destination: read new turns, make spans, claim them, spool
// them, and only then commit the session's state. The next run finishes or undoes a run that was killed; both hold the
// session's lock.

import path from 'node:path';
import { namesIn, withLock } from '../../store/index.ts';
import { isTraced, type TraceConfig } from '../config/index.ts';
import { dropPending, readPending, releaseBatch } from '../outbox/index.ts';
import {
  type AgentLookup,
  findAgentTranscripts,
  parseCursor,
  streamTurns,
  type TraceCursor,
  type TraceTurn,
} from '../read/index.ts';
import {
  type CompatEntry,
  type FileHead,
  hasOnlyGrown,
  identifyHead,
  isMutedTurn,
  type Mute,
  readMutes,
  readState,
  readStateOf,
  type SessionState,
  sessionKey,
  wasMuted,
  writeState,
} from '../state/index.ts';
import { compatFile, cursorAtLine, readCompat, writeCompat } from './compat-state.ts';
import { ledgerFor, type TraceContext } from './context.ts';
import { type SpooledTurns, spoolTurns } from './spool-turns.ts';

export interface SortedTurns {
  readonly wanted: readonly TraceTurn[];
  /** Includes turns that hold only the unwanted agents of wanted turns. */
  readonly unwanted: readonly TraceTurn[];
  readonly mutedTurns: number;
}

function sortTurns(turns: readonly TraceTurn[], config: TraceConfig, mutes: readonly Mute[]): SortedTurns {
  const traced = turns.filter((turn) => isTraced(config, turn.about.cwd));
  const sent = traced.filter((turn) => !isMutedTurn(mutes, turn));
  const [wanted, unwanted] = [[] as TraceTurn[], turns.filter((turn) => !sent.includes(turn))];
  for (const turn of sent) {
    const agents = turn.finishedAgents.filter((agent) => {
      const cwd = agent.cwd ?? turn.about.cwd;
      const [startMs, endMs] = [agent.startMs ?? turn.startMs, agent.untilMs ?? turn.endMs];
      return (
        isTraced(config, cwd) && !isMutedTurn(mutes, { sessionId: turn.sessionId, about: { cwd }, startMs, endMs })
      );
    });
    wanted.push({ ...turn, finishedAgents: agents });
    const others = turn.finishedAgents.filter((agent) => !agents.includes(agent));
    if (others.length > 0) unwanted.push({ ...turn, messages: [], sideLines: [], finishedAgents: others });
  }
  return { wanted, unwanted, mutedTurns: traced.length - sent.length };
}

/** The input of `traceSession`. */
export interface SessionRun {
  readonly file: string;
  readonly sessionId: string;
  /** `turn`: the last turn has ended (Stop). `session`: nothing more will come. */
  readonly atEnd: 'turn' | 'session' | undefined;
  /** Only with `strictSeed`: when the last answer ended; by default at the end of its turn. */
  readonly endMs: number | undefined;
  /** Read all of it again; spans are not spooled twice. */
  readonly fromStart: boolean;
  /** Only count; write nothing. */
  readonly isDryRun?: boolean;
  /** `file` is missing; only sub-agents of the session exist. */
  readonly hasOnlyAgents?: boolean;
}

/** The result of `traceSession`. */
export interface SessionReport {
  readonly turns: number;
  /** The part of `turns` that was not sent because of a mute. */
  readonly mutedTurns: number;
  /** Of all destinations. */
  readonly spans: number;
  /** Spans that were sent before, by this session or another. */
  readonly copies: number;
  readonly bytesRead: number;
}

/** Stored in the lock, to recover a killed run. */
export interface LockNote {
  readonly file: string;
  readonly atEnd: 'turn' | 'session' | null;
}

/** Reads the new turns of a session and writes their spans to the outbox. */
export async function traceSession(run: SessionRun, context: TraceContext): Promise<SessionReport> {
  if (run.isDryRun === true) return readAndSpool(run, context);
  const note = JSON.stringify({ file: path.resolve(run.file), atEnd: run.atEnd ?? null } satisfies LockNote);
  const lock = { name: `${sessionKey(run.sessionId)}.lock`, note, what: 'tracing this session' };
  return withLock(context.places.sessions, { ...lock, waitMs: 15_000, pollMs: 15 }, async () => {
    await finishPending(context, sessionKey(run.sessionId));
    return readAndSpool(run, context);
  });
}

/** Releases the committed batches and deletes the others, at the end of each run and after a killed one. */
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

/** Turns per commit, so that a transcript of any size is traced in bounded memory. */
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
    // Without new turns, the folder need not be read.
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

/** Matches no file, so that a main transcript that is restored is read from its start. */
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

const nothing: SpooledTurns = { pending: [], spans: 0, copies: 0 };

function startOf(
  run: SessionRun,
  before: SessionState | undefined,
  taken: CompatEntry | undefined,
): TraceCursor | undefined {
  const isSame =
    before !== undefined && before.file === path.resolve(run.file) && hasOnlyGrown(before.identity, run.file);
  if (isSame && !run.fromStart) return parseCursor(before.cursor);
  return taken === undefined ? undefined : cursorAtLine(run.file, run.sessionId, taken);
}

/** What cc-langfuse has sent of the session; read once, then stored with the session's state. */
function takenOver(
  run: SessionRun,
  before: SessionState | undefined,
  { config, env }: TraceContext,
): CompatEntry | undefined {
  if (before !== undefined) return before.takenOver;
  if (!config.destinations.some(({ profile }) => profile === 'langfuse')) return undefined;
  return readCompat(compatFile(env), run.sessionId);
}
