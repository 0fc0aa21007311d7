// The version of the installed client, which decides the hooks it knows: from `claude --version`, else from the newest
// transcript.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { discoverSessions } from '../../store/discover.ts';
import { readEdge } from '../state/durable.ts';

export interface ClientVersion {
  readonly numbers: readonly number[];
  readonly from: 'claude --version' | 'the newest transcript';
}

export async function detectClientVersion(
  roots: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ClientVersion | undefined> {
  try {
    const { stdout } = await promisify(execFile)('claude', ['--version'], { env, timeout: 15_000 });
    const numbers = numbersOf(/^\s*v?(\d+\.\d+\.\d+)/.exec(stdout)?.[1]);
    if (numbers !== undefined) return { numbers, from: 'claude --version' };
  } catch {
    // not on the PATH, or not executable
  }
  const { sessions } = await discoverSessions(roots);
  const newest = [...sessions].sort((a, b) => b.mtimeMs - a.mtimeMs).slice(0, 5);
  for (const { path } of newest) {
    const tail = readEdge(path, 'end', 256 * 1024)?.text ?? '';
    const numbers = numbersOf([...tail.matchAll(/"version":"(\d+\.\d+\.\d+)"/g)].at(-1)?.[1]);
    if (numbers !== undefined) return { numbers, from: 'the newest transcript' };
  }
  return undefined;
}

function numbersOf(text: string | undefined): readonly number[] | undefined {
  return text?.split('.').map(Number);
}
