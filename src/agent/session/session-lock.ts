// One writer a session: a lock of ours for two agents of Clew, and a look at the list of running clients for Claude
// Code, which takes no lock. Two writers would leave two ends, of which a resume sees one.
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors.ts';
import { withLock } from '../../library/archive/lock.ts';
import { runningClientOf } from '../../library/archive/remove.ts';
import { stateFolder } from '../../store/roots.ts';

export type ReleaseSession = () => Promise<void>;

export async function holdSession(file: string, env: NodeJS.ProcessEnv): Promise<ReleaseSession> {
  const sessionId = path.basename(file, '.jsonl');
  const client = await runningClientOf(file);
  if (client !== undefined) throw inUse(sessionId, `Claude Code runs it as process ${client}`);
  let release: () => void = () => undefined;
  const isOver = new Promise<void>((resolve) => {
    release = resolve;
  });
  let ended: Promise<void> = Promise.resolve();
  await new Promise<void>((held, failed) => {
    const options = { waitMs: 0, name: `${sessionId}.lock`, what: `at work in session ${sessionId}` };
    ended = withLock(path.join(stateFolder(env), 'session-locks'), options, () => {
      held();
      return isOver;
    });
    ended.catch(failed);
  }).catch((error: unknown) => {
    if (error instanceof UserError && error.exitCode === exitCodes.refused)
      throw inUse(sessionId, error.message.split(';')[0] ?? '');
    throw error;
  });
  return () => {
    release();
    return ended;
  };
}

function inUse(sessionId: string, who: string): UserError {
  return new UserError(
    `session ${sessionId} is in use: ${who}`,
    'end it there, or work in a copy with --fork-session',
    exitCodes.refused,
  );
}
