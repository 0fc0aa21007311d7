// Resumes a session with Claude Code in the session's folder, or reports why that is not possible.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { findProgram } from '../../base/process/find-program.ts';
import { oneLine } from '../../base/text/terminal-text.ts';
import type { ListedSession } from '../../library/index/session-list.ts';

export interface Resume {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** `problem` is one line. */
export function planResume(session: ListedSession, env: NodeJS.ProcessEnv): Resume | { readonly problem: string } {
  const { sessionId, cwd, root } = session;
  const program = findProgram('claude', env);
  if (program === undefined) return { problem: 'Claude Code is not installed: `claude` is not on PATH' };
  if (cwd === undefined) return { problem: 'the session does not name its folder' };
  // The client finds only sessions of its working directory.
  if (!isFolder(cwd)) return { problem: `its folder does not exist: ${oneLine(cwd, 200)}` };
  return { program, args: ['--resume', sessionId], cwd, env: { ...env, ...rootFor(root, env) } };
}

/** The exit code of the client. */
export async function runResume({ program, args, cwd, env }: Resume): Promise<number> {
  const child = spawn(program, [...args], { cwd, env, stdio: 'inherit' });
  // The child handles Ctrl-C.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return code ?? 1;
  } finally {
    process.off('SIGINT', ignore);
  }
}

/** The client needs to know the root to find a session there. */
function rootFor(root: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const usual = env.CLAUDE_CONFIG_DIR ?? path.join(homedir(), '.claude');
  return path.resolve(usual) === path.resolve(root) ? {} : { CLAUDE_CONFIG_DIR: root };
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}
