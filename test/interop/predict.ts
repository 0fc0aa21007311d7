// What Clew says the client would send: a transcript goes in, `clew messages` answers, as a user would ask it.
import { spawn } from 'node:child_process';
import { text as readText } from 'node:stream/consumers';
import { exitCodes } from '../../src/base/errors/errors.ts';
import type { ClientHost } from '../../src/session/resume/messages/for-request.ts';
import { normalise, type SentMessage } from '../../src/session/resume/messages/normalise.ts';
import { clew } from '../support/dist.ts';
import type { Expected } from './recordings.ts';

export async function predict(file: string, host: ClientHost = 'gateway'): Promise<Expected> {
  const child = spawn(process.execPath, [clew, 'messages', file, '--prompt', 'next', '--host', host], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [exitCode, stdout, stderr] = await Promise.all([exit, readText(child.stdout), readText(child.stderr)]);
  if (exitCode === exitCodes.refused) return { refused: stderr.trim() };
  if (exitCode !== exitCodes.ok) throw new Error(`clew messages ${file} ended with ${exitCode}: ${stderr.trim()}`);
  return { messages: normalise(JSON.parse(stdout) as SentMessage[]) };
}
