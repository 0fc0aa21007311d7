// clew trace hook: the hook, for settings that were written by hand; `clew trace install` uses a smaller program.
import { spawn } from 'node:child_process';
import { runHook } from '../../trace/hook/hook.ts';
import type { CommandInput } from '../command/command.ts';
import { readStdin } from '../terminal/stdin.ts';
import { hookFile } from './install.ts';

export async function runHookCommand({ io }: CommandInput): Promise<void> {
  const startSender = (): void => {
    const options = { detached: true, stdio: 'ignore', env: io.env } as const;
    spawn(process.execPath, [hookFile, '--send'], options)
      .on('error', () => {})
      .unref();
  };
  await runHook(await readStdin(), { env: io.env, startSender });
}
