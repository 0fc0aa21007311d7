// The user's own editor (Ctrl-G): the prompt in a temporary file, the program of VISUAL or EDITOR with its arguments, and
// the text of the file when the program ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemErrorCode, UserError } from '../../../base/errors/index.ts';
import type { Environment } from '../../../base/node/index.ts';

const maxBytes = 10 * 1024 * 1024;
const hint = 'set VISUAL or EDITOR, for example: export EDITOR=vim';

export function editorCommand(env: Environment): string | undefined {
  const command = [env.VISUAL, env.EDITOR].find((each) => each !== undefined && each.trim() !== '');
  return command?.trim();
}

export interface EditOptions {
  readonly env: Environment;
  readonly cwd: string;
  /** The chat ends. */
  readonly signal: AbortSignal;
}

/** Resolves to the new text. */
export async function editText(text: string, options: EditOptions): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'clew-prompt-'));
  const file = path.join(folder, 'prompt.md');
  try {
    await writeFile(file, text, { mode: 0o600 });
    await editFile(file, options);
    if ((await stat(file)).size > maxBytes) throw new UserError('the text is larger than 10 MB', 'put it into a file');
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Opens a file in the editor, and resolves when the editor ends. The terminal must be free. */
export async function editFile(file: string, { env, cwd, signal: ending }: EditOptions): Promise<void> {
  const command = editorCommand(env);
  if (command === undefined) throw new UserError('no editor is set', hint);
  const [program, args] = commandLine(command);
  const child = spawn(program, [...args, file], { cwd, env, stdio: 'inherit' });
  let killing: NodeJS.Timeout | undefined;
  const end = (): void => {
    child.kill('SIGHUP');
    killing = setTimeout(() => child.kill('SIGKILL'), killMs);
  };
  ending.addEventListener('abort', end, { once: true });
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (code === 0) return;
    if (code === 127) throw new UserError(`the editor "${command}" was not found`, hint);
    throw new UserError(`the editor "${command}" ended with ${signal ?? `exit code ${code}`}`, 'the text is unchanged');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') throw new UserError(`the editor "${command}" was not found`, hint);
    throw error;
  } finally {
    clearTimeout(killing);
    ending.removeEventListener('abort', end);
  }
}

const killMs = 1000;

/** Words, or a shell command as for git. Without the shell, the end of the chat ends the editor itself. */
function commandLine(command: string): readonly [string, readonly string[]] {
  const [program = '', ...args] = command.split(/\s+/);
  if (/^[\w\s./:@%+,-]+$/.test(command)) return [program, args];
  return ['/bin/sh', ['-c', `${command} "$@"`, command]];
}
