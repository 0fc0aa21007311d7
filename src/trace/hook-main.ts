// The program that Claude Code runs, bundled into a file of its own: the hook, and with `--send` the sender that the
// hook leaves behind. Whatever happens, it ends with 0: a tracer must not disturb the session.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runHook } from './hook.ts';
import { logFailure } from './log.ts';
import { tracePlaces } from './places.ts';

const { env } = process;
process.exitCode = 0;
if (process.argv[2] === '--send') {
  const { runSender } = await import('./sender.ts');
  await runSender(env).catch((error: unknown) => logFailure(tracePlaces(env).log, 'send', error));
} else {
  await runHook(readInput(), { env, startSender });
}

function readInput(): string {
  try {
    return readFileSync(0, 'utf8');
  } catch {
    return '';
  }
}

/** In a session of its own, so that it lives on when the client ends. */
function startSender(): void {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--send'], {
    detached: true,
    stdio: 'ignore',
    env,
  });
  child.on('error', (error) => logFailure(tracePlaces(env).log, 'start the sender', error));
  child.unref();
}
