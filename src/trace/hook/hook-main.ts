// The program that Claude Code runs: the hook, and with `--send [DESTINATION]` the background senders. It always exits with
// 0: a tracer must not disturb the session. It runs after every turn, so it is a CommonJS file of its own
// (scripts/build-lean.mjs).
import { spawn } from 'node:child_process';
import { readSync } from 'node:fs';
import { systemErrorCode } from '../../base/errors/index.ts';
import { logFailure, tracePlaces } from '../state/index.ts';
import { runHook } from './hook.ts';

const { env } = process;
const [pollMs, mostWaitMs] = [5, 5_000];
const mostInputBytes = 64 * 1024 * 1024;
process.exitCode = 0;
void (process.argv[2] === '--send' ? send(process.argv[3]) : hook());

async function hook(): Promise<void> {
  await runHook(await readInput(), { env, startSender: () => startSender() });
}

async function send(only: string | undefined): Promise<void> {
  try {
    const { runSender } = await import('./work.ts');
    await runSender({ env, only, startSender });
  } catch (error) {
    logFailure(tracePlaces(env).log, 'send', error);
  }
}

/** In pieces, because reading an empty non-blocking pipe is an error. */
async function readInput(): Promise<string> {
  const pieces: Buffer[] = [];
  const piece = Buffer.allocUnsafe(64 * 1024);
  let total = 0;
  for (let waitedMs = 0; waitedMs < mostWaitMs && total < mostInputBytes; ) {
    try {
      const length = readSync(0, piece);
      if (length === 0) break;
      pieces.push(Buffer.from(piece.subarray(0, length)));
      total += length;
    } catch (error) {
      if (systemErrorCode(error) !== 'EAGAIN') break;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      waitedMs += pollMs;
    }
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Detached, so that it survives the client. */
function startSender(only?: string): void {
  const words = [process.argv[1] ?? '', '--send', ...(only === undefined ? [] : [only])];
  const child = spawn(process.execPath, words, {
    detached: true,
    stdio: 'ignore',
    env,
  });
  child.on('error', (error) => logFailure(tracePlaces(env).log, 'start the sender', error));
  child.unref();
}
