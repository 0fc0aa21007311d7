// clew statusline: Claude Code's status of the current session on stdin → one line with its cost, today's cost and the
// size of the context. It runs every few hundred milliseconds, so it reads only new bytes, and only up to a limit; a
// number that needs more is shown as `…`. Errors go to stderr, never to the line.
import { existsSync, readSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { asObject, asString, type JsonObject, jsonText, parseJson } from '../../base/json/index.ts';
import { formatTokens } from '../../base/text/index.ts';
import type { UsageSum } from '../../library/usage/index.ts';
import { refuseUnlessTranscript, resolveRoots } from '../../store/index.ts';
import { activeMute, readMutes, tracePlaces } from '../../trace/state/index.ts';
import { type CommandInput, listFlag, Unread } from '../command/index.ts';
import { currentPrices } from '../input/index.ts';
import { costText } from '../render/index.ts';
import { createStyle, writeNotice, writeOut } from '../terminal/index.ts';
import { readNumbers } from './numbers.ts';

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
  const roots = resolveRoots({ roots: listFlag(flags, 'root'), env: io.env });
  const { model, ...numbers } = readNumbers({ file, roots, prices, env: io.env });
  const size = asObject(report.context_window)?.context_window_size;
  const current = asString(asObject(report.model)?.id) ?? model;
  const usual = current === undefined ? undefined : prices.contextTokensOf(current);
  return { ...numbers, contextSize: typeof size === 'number' && size > 0 ? size : usual };
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
