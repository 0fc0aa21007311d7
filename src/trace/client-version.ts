// Which client is installed: what `claude --version` says, else the version on the newest transcript. Only so can hooks
// be chosen that it knows.
import { execFile } from 'node:child_process';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { openRegularFile } from '../base/regular-file.ts';
import { discoverSessions } from '../store/discover.ts';

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
    // not on the PATH, or it does not run
  }
  const { sessions } = await discoverSessions(roots);
  const newest = [...sessions].sort((a, b) => b.mtimeMs - a.mtimeMs).slice(0, 5);
  for (const { path } of newest) {
    const numbers = numbersOf([...endOf(path).matchAll(/"version":"(\d+\.\d+\.\d+)"/g)].at(-1)?.[1]);
    if (numbers !== undefined) return { numbers, from: 'the newest transcript' };
  }
  return undefined;
}

function numbersOf(text: string | undefined): readonly number[] | undefined {
  return text?.split('.').map(Number);
}

const tailBytes = 256 * 1024;

function endOf(file: string): string {
  try {
    const handle = openRegularFile(file);
    try {
      const { size } = fstatSync(handle);
      const buffer = Buffer.alloc(Math.min(size, tailBytes));
      return buffer.toString('utf8', 0, readSync(handle, buffer, 0, buffer.length, size - buffer.length));
    } finally {
      closeSync(handle);
    }
  } catch {
    return '';
  }
}
