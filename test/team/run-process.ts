// The built command as a process that runs while the test does something else, such as answering it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cleanEnv } from '../support/clew.ts';
import { clew } from '../support/dist.ts';

export interface EndedProcess {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function runProcess(words: readonly string[], env: Readonly<Record<string, string>>): Promise<EndedProcess> {
  return runNode([clew, ...words], { ...cleanEnv(), ...env });
}

export async function runNode(args: readonly string[], env: Readonly<Record<string, string>>): Promise<EndedProcess> {
  const running = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    running[name].on('data', (chunk: Buffer) => {
      output[name] += chunk.toString();
    });
  const [code, signal] = (await once(running, 'close')) as [number | null, string | null];
  return { code, signal, ...output };
}
