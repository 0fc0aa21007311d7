// Claude Code's status of the current session on stdin → what the status line shows. A failure is a notice, never a part
// of the line.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { asObject, asString, type JsonObject } from '../../base/json/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { readJsonInput } from '../../base/process/index.ts';
import { type GuardLimits, readGuard } from '../../library/guard/index.ts';
import { loadPrices } from '../../library/usage/index.ts';
import { PriceList } from '../../models/index.ts';
import { refuseUnlessTranscript, resolveRoots, stateFolder } from '../../store/index.ts';
import { activeMute, readMutes, tracePlaces } from '../../trace/state/index.ts';
import { readNumbers, type StatusNumbers } from './numbers.ts';

export interface StatusOptions {
  /** From flags; by default those of the environment. */
  readonly roots: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  readonly notify: (message: string) => void;
}

export interface Status extends Omit<StatusNumbers, 'model'> {
  readonly contextSize: number | undefined;
  readonly isTraceMuted: boolean;
  readonly limits: GuardLimits | undefined;
}

/** `undefined` if the numbers cannot be read. */
export function readStatus(options: StatusOptions): Status | undefined {
  const report = readJsonInput() ?? {};
  try {
    return { ...measure(report, options), isTraceMuted: isTraceMuted(report, options) };
  } catch (error) {
    options.notify(messageOf(error));
    return undefined;
  }
}

function measure(report: JsonObject, options: StatusOptions): Omit<Status, 'isTraceMuted'> {
  const { roots, env, notify } = options;
  const file = transcriptOf(report, options);
  const loaded = loadPrices(env);
  for (const notice of loaded.notices) notify(notice);
  const prices = new PriceList(loaded);
  const limits = limitsOf(options);
  const { model, ...numbers } = readNumbers({ file, roots: resolveRoots({ roots, env }), prices, limits, env, notify });
  const size = asObject(report.context_window)?.context_window_size;
  const current = asString(asObject(report.model)?.id) ?? model;
  const usual = current === undefined ? undefined : prices.contextTokensOf(current);
  return { ...numbers, limits, contextSize: typeof size === 'number' && size > 0 ? size : usual };
}

/** Limits that cannot be used are reported by the hook too; the line is shown without them. */
function limitsOf({ env, notify }: StatusOptions): GuardLimits | undefined {
  try {
    return readGuard(stateFolder(env));
  } catch (error) {
    notify(messageOf(error));
    return undefined;
  }
}

/** `undefined` if it cannot be a transcript; today's cost is still shown. */
function transcriptOf(report: JsonObject, { cwd, notify }: StatusOptions): string | undefined {
  const named = asString(report.transcript_path);
  if (named === undefined) return undefined;
  const file = path.resolve(cwd, named);
  try {
    if (existsSync(file)) refuseUnlessTranscript(file);
    return file;
  } catch (error) {
    if (error instanceof UserError) notify(error.message);
    return undefined;
  }
}

/** By the session's id or its working directory. */
function isTraceMuted(report: JsonObject, { env, notify }: StatusOptions): boolean {
  const workspace = asObject(report.workspace);
  const file = asString(report.transcript_path);
  const sessionId = file === undefined ? (asString(report.session_id) ?? '') : path.basename(file, '.jsonl');
  const cwd = asString(workspace?.current_dir) ?? asString(report.cwd);
  try {
    return activeMute(readMutes(tracePlaces(env)), { sessionId, cwd }) !== undefined;
  } catch (error) {
    notify(messageOf(error));
    return false;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
