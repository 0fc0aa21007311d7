// clew trace backfill: sends the sessions on disk that a destination does not have yet, oldest first and originals before
// their copies.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { counted, formatCount, neutralise } from '../../base/text/index.ts';
import { parseTime } from '../../base/time/index.ts';
import { findOrphans, type OrphanSession } from '../../library/archive/index.ts';
import { lastTimeOf, sortByAge } from '../../library/usage/index.ts';
import { ownerOf } from '../../session/load/index.ts';
import { discoverSessions, type FoundSession, sessionFiles } from '../../store/index.ts';
import {
  listParked,
  reportDestination,
  type SendOptions,
  type SendReport,
  sendOutbox,
  unparkBatches,
} from '../../trace/outbox/index.ts';
import {
  createTraceContext,
  isSettled,
  recoverSessions,
  type SessionRun,
  type TraceContext,
  traceSession,
} from '../../trace/session/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { folderOfTranscript, projectFilter, rootsOf } from '../input/index.ts';
import { showByteProgress, writeNotice, writeOut } from '../terminal/index.ts';
import { neededConfigOf } from './trace-config.ts';

/** Short, because the user waits. */
export const patienceMs = 10_000;
/** How long to wait for a background sender. */
export const lockMs = 60_000;

export async function runFlush(input: CommandInput): Promise<void> {
  await flush(input, false);
}

export async function runRetry(input: CommandInput): Promise<void> {
  await flush(input, true);
}

async function flush(input: CommandInput, isRetry: boolean): Promise<void> {
  const { flags, io } = input;
  const context = createTraceContext(io.env, neededConfigOf(input));
  const { places, config } = context;
  await recoverSessions(context);
  if (isRetry) for (const { name } of config.destinations) unparkBatches(places, name);
  const report = await sendOutbox({
    places,
    destinations: config.destinations,
    patienceMs,
    waitMs: lockMs,
    onWait: waitNotice(io.stderr),
    isUrgent: true,
  });
  await writeOut([flags.json === true ? `${jsonText(sendJson(report), 2)}\n` : sendText(report)], io);
  failUnlessSent(report, reasonsOf(context));
  noteParked(context, io.stderr);
}

export function waitNotice(stderr: CommandInput['io']['stderr']): (destination: string) => void {
  return (name) => writeNotice(stderr, `another process is sending to ${name}; waiting up to a minute`);
}

export function noteParked({ places, config }: TraceContext, stderr: CommandInput['io']['stderr']): void {
  const parked = config.destinations.reduce((sum, { name }) => sum + listParked(places, name).length, 0);
  if (parked > 0)
    writeNotice(
      stderr,
      `${counted(parked, 'batch', 'batches')} refused earlier; \`clew trace retry\` sends them again`,
    );
}

/** The last errors of servers with waiting or refused batches. */
export function reasonsOf({ places, config }: TraceContext): readonly string[] {
  return config.destinations
    .map(({ name }) => reportDestination(places, name, Date.now()))
    .filter(({ waitingBatches, parked }) => waitingBatches + parked.length > 0)
    .flatMap(({ name, lastError }) => (lastError === undefined ? [] : [`${name}: ${neutralise(lastError)}`]));
}

export function sendJson({ sentSpans, waitingBatches, parkedBatches }: SendReport): object {
  return { sentSpans, waitingBatches, parkedBatches };
}

export function sendText({ sentSpans, waitingBatches, parkedBatches }: SendReport): string {
  const rest = [
    ...(waitingBatches === 0 ? [] : [`${counted(waitingBatches, 'batch', 'batches')} waiting`]),
    ...(parkedBatches === 0 ? [] : [`${counted(parkedBatches, 'batch', 'batches')} refused`]),
  ];
  return `sent ${formatCount(sentSpans)} spans${rest.map((each) => `; ${each}`).join('')}\n`;
}

export function failUnlessSent({ waitingBatches, parkedBatches }: SendReport, reasons: readonly string[]): void {
  if (waitingBatches + parkedBatches === 0) return;
  const why = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`;
  const kept =
    parkedBatches === 0
      ? 'the rest is kept and sent with the next turn or by `clew trace flush`'
      : 'run `clew trace status` for the reasons';
  throw new UserError(`not everything was sent${why}`, kept, exitCodes.failed);
}

const [overMs, pauseMs] = [3_600_000, 60_000];
const sessionsPerSend = 25;

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const isDryRun = flags['dry-run'] === true;
  const context = createTraceContext(io.env, neededConfigOf(input));
  const { places, config } = context;
  const sessions = await chosenSessions(input);
  if (config.traceSeed !== undefined && sessions.length > 1)
    throw new UserError(
      `the trace seed (CLEW_TRACE_SEED) gives the turns of every session the same ids, but ${sessions.length} sessions are selected`,
      'unset it, or select one session with --project',
    );
  if (sessions.length === 0) writeNotice(io.stderr, 'no sessions to trace; `clew ls` lists all sessions');
  const progress = showByteProgress(io.stderr, 'tracing');
  progress.start(sessions.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
  const destinations = config.destinations.length;
  const none = { openSessions: 0, turns: 0, mutedTurns: 0, spans: 0, copies: 0, failed: 0 };
  const total = { destinations, sessions: sessions.length, ...none };
  const sent = { sentSpans: 0, parkedBatches: 0, waitingBatches: 0, isBusy: false };
  const send = async (how: Pick<SendOptions, 'endMs' | 'patienceMs' | 'waitMs' | 'onWait'>): Promise<void> => {
    const report = await sendOutbox({ places, destinations: config.destinations, ...how });
    sent.sentSpans += report.sentSpans;
    sent.parkedBatches += report.parkedBatches;
    sent.waitingBatches = report.waitingBatches;
  };
  if (!isDryRun) await recoverSessions(context);
  for (const [i, { path, sessionId, mtimeMs, sizeBytes, agentPath }] of sessions.entries()) {
    try {
      const atEnd = endOf(path, mtimeMs, await lastLineMs(path));
      const hasOnlyAgents = agentPath !== undefined;
      const run = { file: path, sessionId, atEnd, endMs: undefined, fromStart: true, isDryRun, hasOnlyAgents } as const;
      const report = await traceSession(run, context);
      if (atEnd === undefined) total.openSessions++;
      total.turns += report.turns;
      total.mutedTurns += report.mutedTurns;
      total.spans += report.spans;
      total.copies += report.copies;
    } catch (error) {
      total.failed++;
      writeNotice(io.stderr, `${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
    progress.add(sizeBytes);
    if (!isDryRun && i % sessionsPerSend === sessionsPerSend - 1) await send({ endMs: Date.now() + 5_000 });
  }
  progress.end();
  if (!isDryRun) await send({ patienceMs, waitMs: lockMs, onWait: waitNotice(io.stderr) });
  const report: SendReport = sent;
  const text =
    flags.json === true
      ? `${jsonText({ ...total, ...jsonSent(report), unread: input.unread.problems }, 2)}\n`
      : reportText(total, report, isDryRun);
  await writeOut([text], io);
  if (total.failed > 0)
    throw new UserError(`${counted(total.failed, 'session')} could not be traced`, 'run it again', 1);
  failUnlessSent(report, reasonsOf(context));
  if (!isDryRun) noteParked(context, io.stderr);
}

/**
 * A session that was written to recently may continue: its last turn is traced if it has an answer. A recently copied file
 * has older lines.
 */
function endOf(file: string, mtimeMs: number, lastMs: number | undefined): SessionRun['atEnd'] {
  const ageMs = Date.now() - Math.min(mtimeMs, lastMs ?? mtimeMs);
  if (ageMs > overMs) return 'session';
  return ageMs > pauseMs && isSettled(file, undefined) ? 'turn' : undefined;
}

/** From the main transcript, else from its sub-agents. */
async function lastLineMs(file: string): Promise<number | undefined> {
  const lastMs = lastTimeOf(file);
  if (lastMs !== undefined) return lastMs;
  const { sessionId, agents, flatAgents } = await sessionFiles(file);
  const own = [...agents.map((agent) => agent.path), ...flatAgents.filter((each) => ownerOf(each) === sessionId)];
  const times = own.flatMap((each) => lastTimeOf(each) ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** A session, or the sub-agents of a deleted one. */
type ChosenSession = FoundSession & Partial<Pick<OrphanSession, 'agentPath'>>;

async function chosenSessions(input: CommandInput): Promise<readonly ChosenSession[]> {
  const { flags } = input;
  const { sessions, problems } = await discoverSessions(rootsOf(input));
  input.unread.add(problems);
  const all: readonly ChosenSession[] = [...sessions, ...(await findOrphans(rootsOf(input)))];
  const since = textFlag(flags, 'since');
  const isOfProject = projectFilter(input);
  const hasProject = flags.project !== undefined;
  const sinceMs = since === undefined ? Number.NEGATIVE_INFINITY : parseTime(since, '--since', false);
  const cwdOf = ({ path, agentPath }: ChosenSession): string | undefined =>
    hasProject ? folderOfTranscript(agentPath ?? path) : undefined;
  const chosen = all
    .filter(({ mtimeMs }) => mtimeMs >= sinceMs)
    .filter((session) => isOfProject({ cwd: cwdOf(session), project: session.slug }));
  // The first session that claims a message sends it.
  return sortByAge(chosen, ({ path, agentPath }) => agentPath ?? path);
}

function jsonSent({ sentSpans, waitingBatches, parkedBatches }: SendReport): object {
  return { sentSpans, waitingBatches, parkedBatches };
}

interface Total {
  readonly destinations: number;
  readonly sessions: number;
  readonly openSessions: number;
  readonly turns: number;
  readonly mutedTurns: number;
  readonly spans: number;
  readonly copies: number;
}

function reportText(total: Total, report: SendReport, isDryRun: boolean): string {
  const { destinations, sessions, openSessions, turns, mutedTurns, spans, copies } = total;
  const each = destinations === 1 ? '' : ` (${destinations} destinations)`;
  const rest = copies === 0 ? '' : `; ${formatCount(copies)} were traced before or are copies`;
  const what = `${formatCount(spans)} spans${each} of ${counted(turns, 'turn')} in ${counted(sessions, 'session')}${rest}\n`;
  const open =
    openSessions === 0
      ? ''
      : `the last turn of ${counted(openSessions, 'session')} written to just now is not sent yet\n`;
  const muted = mutedTurns === 0 ? '' : `${counted(mutedTurns, 'turn')} muted; \`clew trace status\` lists the mutes\n`;
  return isDryRun ? `would send ${what}${muted}${open}` : `traced ${what}${muted}${open}${sendText(report)}`;
}
