// clew push: sends what changed to the store of the team, at the levels of team.json; --dry-run shows what would leave.
import { setTimeout as delay } from 'node:timers/promises';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { AsyncQueue } from '../../base/process/index.ts';
import { watchLibrary } from '../../library/watch/index.ts';
import type { PushReport } from '../../team/push/index.ts';
import { type CommandInput, listFlag, textFlag } from '../command/index.ts';
import { logLine, rootsOf, runInBackground } from '../input/index.ts';
import { createStop, readStdin, writeNotice, writeOut } from '../terminal/index.ts';
import { dryRun } from './dry-run.ts';
import { type PushPlace, pushOnce, pushPlace } from './push-once.ts';
import { reportJson, reportText } from './render.ts';

export async function run(input: CommandInput): Promise<number | undefined> {
  const { flags } = input;
  const modes = ['auto', 'watch', 'dry-run'].filter((name) => flags[name] === true);
  if (modes.length > 1) throw new UserError(`--${modes.join(' and --')} do not go together`, 'give one of them');
  if (flags.detach === true && flags.auto !== true) throw new UserError('--detach needs --auto', 'add --auto');
  if (flags.auto === true) return pushFromHook(input);
  const place = pushPlace(input);
  if (flags['dry-run'] === true) return dryRun(input, place);
  if (flags.watch === true) return watch(input, place);
  return finish(input, await pushOnce(input, place));
}

async function finish(input: CommandInput, report: PushReport): Promise<number> {
  const { flags, io } = input;
  await writeOut([flags.json === true ? `${jsonText(reportJson(report), 2)}\n` : reportText(report)], io);
  for (const { sessionId, note } of flags.json === true ? [] : report.sessions)
    if (note !== null) writeNotice(io.stderr, `${sessionId}: ${note}`);
  const failed = report.sessions.filter(({ outcome }) => outcome === 'failed').length;
  return failed + report.waiting > 0 ? exitCodes.failed : exitCodes.ok;
}

/** A hook must never disturb the session that ends: no output, exit code 0, and a line in a log where it failed. */
async function pushFromHook(input: CommandInput): Promise<number> {
  const { io, flags } = input;
  const log = (message: string): void => logLine(io.env, 'push.log', `push --auto: ${message}`);
  try {
    const stdin = await readStdin();
    if (flags.detach === true) {
      const to = textFlag(flags, 'to');
      const roots = listFlag(flags, 'root').flatMap((root) => ['--root', root]);
      runInBackground(['push', '--auto', ...(to === undefined ? [] : ['--to', to]), ...roots], {
        io,
        input: stdin,
        onError: log,
      });
      return exitCodes.ok;
    }
    const report = await pushOnce(input, pushPlace(input));
    for (const { sessionId, note } of report.sessions) if (note !== null) log(`${sessionId}: ${note}`);
  } catch (error) {
    log(error instanceof Error ? error.message : String(error));
  }
  return exitCodes.ok;
}

/** A session that is being written changes every second. */
const quietMs = 5_000;

async function watch(input: CommandInput, place: PushPlace): Promise<number> {
  const { io } = input;
  const { signal, listen, dispose } = createStop();
  const changes = new AsyncQueue<true>();
  let isQueued = false;
  const change = (): void => {
    if (!isQueued) changes.push(true);
    isQueued = true;
  };
  listen();
  signal.addEventListener('abort', () => changes.end(), { once: true });
  watchLibrary(rootsOf(input), change, signal, { onNotice: (message) => writeNotice(io.stderr, message) });
  change();
  let isFirst = true;
  try {
    for await (const _ of changes) {
      if (!isFirst) await delay(quietMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) break;
      // What changes from here on needs another push.
      isQueued = false;
      const report = await pushOrSay(input, place, signal);
      if (isFirst) writeNotice(io.stderr, 'watching sessions; press Ctrl-C to stop');
      isFirst = false;
      if (report !== undefined && report.sessions.length > 0) await finish(input, report);
    }
  } finally {
    dispose();
  }
  return exitCodes.ok;
}

/** A store that is down for a while does not end the watch. */
async function pushOrSay(input: CommandInput, place: PushPlace, signal: AbortSignal): Promise<PushReport | undefined> {
  try {
    return await pushOnce(input, place, { signal });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    writeNotice(input.io.stderr, `${error.message}; the next change tries again`);
    return undefined;
  }
}
