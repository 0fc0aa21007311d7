// Where the installed Claude Code is, and which version it says it is.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { UserError } from '../../base/errors/errors.ts';
import { findProgram, isProgram } from '../../base/process/find-program.ts';
import { clientEnvironment } from './client-run.ts';

/** The program at `named`, or the first `claude` in the PATH. Throws where there is none. */
export function findClient(named: string | undefined, env: NodeJS.ProcessEnv, cwd: string): string {
  if (named !== undefined) {
    const program = path.resolve(cwd, named);
    if (isProgram(program)) return program;
    throw new UserError(`${named} is not a program`, 'give the path of the `claude` to try');
  }
  const found = findProgram('claude', env);
  if (found === undefined) {
    throw new UserError('there is no `claude` in the PATH', 'install Claude Code, or write --client FILE');
  }
  return found;
}

const versionMs = 30_000;

/** What `claude --version` says: the first three numbers with points between. */
export async function versionOfClient(client: string, signal: AbortSignal): Promise<string> {
  const home = await mkdtemp(path.join(tmpdir(), 'clew-client-'));
  try {
    const options = { env: clientEnvironment(client, home, {}), cwd: home, signal, timeout: versionMs };
    const { stdout } = await promisify(execFile)(client, ['--version'], options);
    const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0];
    if (version !== undefined) return version;
  } catch (error) {
    if (signal.aborted) throw error;
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
  throw new UserError(`${client} does not say its version`, 'run it with --version to see why');
}
