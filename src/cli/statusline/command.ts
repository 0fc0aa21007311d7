// clew statusline: Claude Code's status of the current session on stdin → one line with its cost, today's cost and the
// size of the context. It runs every few hundred milliseconds, so it reads only new bytes, and only up to a limit; a
// number that needs more is shown as `…`. Errors go to stderr, never to the line.
import { existsSync, readSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { asObject, asString, type JsonObject, jsonText, parseJson } from '../../base/json/index.ts';
import { formatTokens } from '../../base/text/index.ts';
import { type Database, openIndex, updateRowsWithin, updateTranscript } from '../../library/index/index.ts';
import { countLibrary, type PricedMessage, sumMessages, type UsageSum } from '../../library/usage/index.ts';
import type { PriceList } from '../../models/index.ts';
import { refuseUnlessTranscript, resolveRoots, stateFolder } from '../../store/index.ts';
import { activeMute, readMutes, tracePlaces } from '../../trace/state/index.ts';
import { type CommandInput, listFlag, Unread } from '../command/index.ts';
import { currentPrices } from '../input/index.ts';
import { costText } from '../render/index.ts';
import { createStyle, writeNotice, writeOut } from '../terminal/index.ts';

export async function run(input: CommandInput): Promise<void> {
  const { io, flags } = input;
  const report = readStatus();
  let status: Status | undefined;
  try {
    status = { ...(await measure(input, report)), isTraceMuted: isTraceMuted(report, io) };
  } catch (error) {
    writeNotice(io.stderr, error instanceof Error ? error.message : String(error));
  }
  const text = flags.json === true ? jsonText(statusJson(status)) : statusText(status);
  await writeOut([`${text}\n`], io);
}

/** Without flags, to skip the command-line parser, which takes as long as the rest. */
export async function runBare(): Promise<void> {
  const { stdout, stderr, env } = process;
  await run({
    argument: undefined,
    words: [],
    flags: {},
    io: { stdout, stderr, env, cwd: process.cwd(), style: createStyle(false) },
    unread: new Unread(stderr),
  });
}

/** `undefined` if it cannot be a transcript; today's cost is still shown. */
function transcriptOf(report: JsonObject, { cwd, stderr }: CommandInput['io']): string | undefined {
  const named = asString(report.transcript_path);
  if (named === undefined) return undefined;
  const file = path.resolve(cwd, named);
  try {
    if (existsSync(file)) refuseUnlessTranscript(file);
    return file;
  } catch (error) {
    if (error instanceof UserError) writeNotice(stderr, error.message);
    return undefined;
  }
}

interface Status {
  /** `undefined` while transcripts that may contribute are unread. */
  readonly session: UsageSum | undefined;
  readonly today: UsageSum | undefined;
  readonly contextTokens: number | undefined;
  readonly contextSize: number | undefined;
  readonly isTraceMuted: boolean;
}

/** By the session's id or its working directory. */
function isTraceMuted(report: JsonObject, { env, stderr }: CommandInput['io']): boolean {
  const workspace = asObject(report.workspace);
  const file = asString(report.transcript_path);
  const sessionId = file === undefined ? (asString(report.session_id) ?? '') : path.basename(file, '.jsonl');
  const cwd = asString(workspace?.current_dir) ?? asString(report.cwd);
  try {
    return activeMute(readMutes(tracePlaces(env)), { sessionId, cwd }) !== undefined;
  } catch (error) {
    writeNotice(stderr, error instanceof Error ? error.message : String(error));
    return false;
  }
}

async function measure({ io, flags }: CommandInput, report: JsonObject): Promise<Omit<Status, 'isTraceMuted'>> {
  const file = transcriptOf(report, io);
  const prices = currentPrices(io);
  const database = openIndex({ folder: stateFolder(io.env) });
  try {
    const named = resolveRoots({ roots: listFlag(flags, 'root'), env: io.env });
    // The client may use another config folder.
    const own = file === undefined ? [] : [path.dirname(path.dirname(file))];
    const roots = [...named, ...own];
    const library = [...named, ...own.filter((folder) => path.basename(folder) === 'projects')];
    const unreadUntilMs = refresh(database, file, library);
    return statusOf(database, { file, roots, prices, report, unreadUntilMs });
  } finally {
    database.close();
  }
}

/** Some tens of milliseconds of reading; later calls read the rest. */
const mostNewBytes = 8 * 1024 * 1024;

/** Returns the last change of the newest unread transcript. */
function refresh(database: Database, file: string | undefined, roots: readonly string[]): number {
  database.exec('PRAGMA busy_timeout = 50');
  try {
    if (file !== undefined) updateTranscript(database, file);
    return updateRowsWithin(database, { roots, maxBytes: mostNewBytes }).unreadUntilMs;
  } catch {
    // Another process is writing, or the disk fails; the next call tries again.
    return Number.POSITIVE_INFINITY;
  }
}

interface StatusQuestion {
  readonly file: string | undefined;
  readonly roots: readonly string[];
  readonly prices: PriceList;
  readonly report: JsonObject;
  readonly unreadUntilMs: number;
}

function statusOf(
  database: Database,
  { file, roots, prices, report, unreadUntilMs }: StatusQuestion,
): Omit<Status, 'isTraceMuted'> {
  const midnight = new Date().setHours(0, 0, 0, 0);
  const began = file === undefined ? undefined : startOf(database, file);
  // Messages shared by two sessions have the same time, so sessions that ended earlier cannot contribute.
  const messages = countLibrary(database, { roots, endedAfter: Math.min(midnight, began ?? midnight) }, prices);
  const own = messages.filter(({ session }) => session.path === file);
  // A transcript holds no message newer than its last change.
  const isReadSince = (time: number | undefined): boolean =>
    unreadUntilMs === Number.NEGATIVE_INFINITY || (time !== undefined && unreadUntilMs < time);
  const last = lastMain(own, file);
  const model = asString(asObject(report.model)?.id) ?? last?.line.model;
  const size = asObject(report.context_window)?.context_window_size;
  return {
    session: isReadSince(began) ? sumMessages(own) : undefined,
    today: isReadSince(midnight) ? sumMessages(messages.filter(({ line }) => line.time >= midnight)) : undefined,
    contextTokens: last === undefined ? undefined : contextOf(last),
    contextSize:
      typeof size === 'number' && size > 0 ? size : model === undefined ? undefined : prices.contextTokensOf(model),
  };
}

function startOf(database: Database, file: string): number | undefined {
  const found = database.prepare('SELECT started_at FROM sessions WHERE path = ?').get(file)?.started_at;
  return typeof found === 'number' ? found : undefined;
}

function lastMain(messages: readonly PricedMessage[], file: string | undefined): PricedMessage | undefined {
  let last: PricedMessage | undefined;
  for (const message of messages) {
    const { line } = message;
    if (line.file === file && !line.isSidechain && line.line > (last?.line.line ?? 0)) last = message;
  }
  return last;
}

function contextOf({ usage }: PricedMessage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
}

function statusText(status: Status | undefined): string {
  if (status === undefined) return '';
  const { contextTokens, contextSize } = status;
  const share = percentOf(status);
  const context =
    contextTokens === undefined
      ? []
      : [`${formatTokens(contextTokens)} context${contextSize === undefined ? '' : ` (${share} %)`}`];
  const costs = [`${knownCost(status.session)} session`, `${knownCost(status.today)} today`];
  return [...costs, ...context, ...(status.isTraceMuted ? ['trace muted'] : [])].join(' · ');
}

function knownCost(sum: UsageSum | undefined): string {
  if (sum === undefined) return '…';
  const isPart = sum.unpricedTokens > 0 && sum.costMicroUsd !== undefined;
  return isPart ? `${costText(sum)} + ${formatTokens(sum.unpricedTokens)} tokens unpriced` : costText(sum);
}

function percentOf({ contextTokens, contextSize }: Pick<Status, 'contextTokens' | 'contextSize'>): number | undefined {
  if (contextTokens === undefined || contextSize === undefined) return undefined;
  return Math.round((contextTokens / contextSize) * 100);
}

function statusJson(status: Status | undefined): object {
  return {
    sessionCostMicroUsd: status?.session?.costMicroUsd ?? null,
    sessionUnpricedTokens: status?.session?.unpricedTokens ?? null,
    todayCostMicroUsd: status?.today?.costMicroUsd ?? null,
    todayUnpricedTokens: status?.today?.unpricedTokens ?? null,
    contextTokens: status?.contextTokens ?? null,
    contextSizeTokens: status?.contextSize ?? null,
    contextPercent: status === undefined ? null : (percentOf(status) ?? null),
    traceMuted: status?.isTraceMuted ?? null,
  };
}

const mostBytes = 1024 * 1024;

/** Reads until the JSON is complete, because the caller may keep the pipe open. */
function readStatus(): JsonObject {
  const buffer = Buffer.alloc(64 * 1024);
  let text = '';
  try {
    while (text.length < mostBytes) {
      const length = readSync(0, buffer, 0, buffer.length, null);
      if (length === 0) break;
      text += buffer.toString('utf8', 0, length);
      const value = asObject(parseJson(text));
      if (value !== undefined) return value;
    }
  } catch {
    // stdin is closed, or a terminal
  }
  return {};
}
