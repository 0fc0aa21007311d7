// A session → Claude Code, resuming it in the folder it belongs to; or why that is not possible.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { findProgram } from '../../base/find-program.ts';
import { oneLine } from '../../base/terminal-text.ts';
import type { ListedSession } from '../../library/session-list.ts';

export interface Resume {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** `problem` says in one line what is missing. */
export function planResume(session: ListedSession, env: NodeJS.ProcessEnv): Resume | { readonly problem: string } {
  const { sessionId, cwd, root } = session;
  const program = findProgram('claude', env);
  if (program === undefined) return { problem: 'Claude Code is not installed: there is no `claude` on the PATH' };
  if (cwd === undefined) return { problem: 'no line of the session says which folder it belongs to' };
  // The client looks for a session among those of the folder it is started in.
  if (!isFolder(cwd)) return { problem: `its folder is gone: ${oneLine(cwd, 200)}` };
  return { program, args: ['--resume', sessionId], cwd, env: { ...env, ...rootFor(root, env) } };
}

/** Its exit code. */
export async function runResume({ program, args, cwd, env }: Resume): Promise<number> {
  const child = spawn(program, [...args], { cwd, env, stdio: 'inherit' });
  // Ctrl-C is the child's: it says itself when it ends.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return code ?? 1;
  } finally {
    process.off('SIGINT', ignore);
  }
}

/** A session of another root is only found when the client is told of that root. */
function rootFor(root: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const usual = env.CLAUDE_CONFIG_DIR ?? path.join(homedir(), '.claude');
  return path.resolve(usual) === path.resolve(root) ? {} : { CLAUDE_CONFIG_DIR: root };
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}
