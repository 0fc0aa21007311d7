// Who writes to a session now, and the lock against a second writer. Claude Code takes no lock, but lists its processes in
// a folder next to the projects folder; Clew's agent and everything that changes a session in place hold Clew's lock. Two
// writers would create two branches, of which a resume loads one.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { readRegularText } from '../../base/files/index.ts';
import { asObject, asString, parseJson } from '../../base/json/index.ts';
import { holderOfLock, isAlive, projectsFolders, stateFolder, withLock } from '../../store/index.ts';
import { sessionPlace } from './session-paths.ts';

export type ReleaseSession = () => Promise<void>;

/** Who has the session open, in words; `undefined` where nobody has. */
export function whoUses(main: string, env: NodeJS.ProcessEnv): string | undefined {
  const client = runningClientOf(main);
  if (client !== undefined) return `Claude Code runs it as process ${client}`;
  const holder = holderOfLock(path.join(locksFolder(env), lockName(main)));
  return holder === undefined ? undefined : heldBy(holder);
}

export function refuseInUse(main: string, env: NodeJS.ProcessEnv, next: string = endItFirst): void {
  const user = whoUses(main, env);
  if (user !== undefined) throw inUse(main, user, next);
}

/** Keeps other writers away until it is released; refuses at once where there is one. */
export async function holdSession(
  main: string,
  env: NodeJS.ProcessEnv,
  next: string = endItFirst,
): Promise<ReleaseSession> {
  refuseInUse(main, env, next);
  let release: () => void = () => undefined;
  const isOver = new Promise<void>((resolve) => {
    release = resolve;
  });
  let ended: Promise<void> = Promise.resolve();
  await new Promise<void>((held, failed) => {
    ended = withLock(locksFolder(env), { waitMs: 0, name: lockName(main) }, () => {
      held();
      return isOver;
    });
    ended.catch(failed);
  }).catch((error: unknown) => {
    // Another process has taken the lock since the check.
    if (error instanceof UserError && error.exitCode === exitCodes.refused)
      throw inUse(main, heldBy('another process'), next);
    throw error;
  });
  return () => {
    release();
    return ended;
  };
}

/** Runs `work` while no other writer is let into any of the sessions. */
export async function whileHolding<T>(
  mains: readonly string[],
  env: NodeJS.ProcessEnv,
  work: () => Promise<T>,
): Promise<T> {
  const held: ReleaseSession[] = [];
  try {
    for (const main of mains) held.push(await holdSession(main, env));
    return await work();
  } finally {
    for (const release of held) await release();
  }
}

const endItFirst = 'end it there and run it again';

function inUse(main: string, user: string, next: string): UserError {
  return new UserError(`session ${path.basename(main, '.jsonl')} is in use: ${user}`, next, exitCodes.refused);
}

function heldBy(holder: string): string {
  return `clew works in it (${holder})`;
}

function locksFolder(env: NodeJS.ProcessEnv): string {
  return path.join(stateFolder(env), 'session-locks');
}

function lockName(main: string): string {
  return `${path.basename(main, '.jsonl')}.lock`;
}

/** The process by session id. */
export function runningClients(roots: readonly string[]): ReadonlyMap<string, number> {
  const running = new Map<string, number>();
  for (const { projects } of projectsFolders(roots)) {
    const folder = path.join(path.dirname(projects), 'sessions');
    for (const name of namesIn(folder)) {
      const pid = Number(/^(\d+)\.json$/.exec(name)?.[1]);
      const id = pid > 0 && isAlive(pid) ? sessionIdIn(path.join(folder, name)) : undefined;
      if (id !== undefined) running.set(id, pid);
    }
  }
  return running;
}

/** The process of the client that has this session open; found by the id alone, whatever else its file says. */
function runningClientOf(main: string): number | undefined {
  const { sessionId, projects } = sessionPlace(main);
  const folder = path.join(path.dirname(projects), 'sessions');
  for (const name of namesIn(folder)) {
    const pid = Number(/^(\d+)\.json$/.exec(name)?.[1]);
    if (pid > 0 && isAlive(pid) && readText(path.join(folder, name)).includes(sessionId)) return pid;
  }
  return undefined;
}

function sessionIdIn(file: string): string | undefined {
  return asString(asObject(parseJson(readText(file)))?.sessionId);
}

function readText(file: string): string {
  try {
    return readRegularText(file);
  } catch {
    return ''; // its client has just ended
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // clients that do not keep one
  }
}
