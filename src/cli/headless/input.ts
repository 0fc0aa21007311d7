// Builds the prompt of a headless run: the argument, then the piped input.
import type { Readable } from 'node:stream';
import { UserError } from '../../base/errors/index.ts';

export interface InputStream extends Readable {
  readonly isTTY?: boolean;
}

/** More than any model reads. */
const maxPromptBytes = 10 * 1024 * 1024;
/** The parent process may leave a pipe open without ever writing to it. */
const silenceMs = 3000;

export async function readPrompt(typed: string | undefined, stdin: InputStream, signal: AbortSignal): Promise<string> {
  const piped = stdin.isTTY === true ? '' : await readPiped(stdin, typed !== undefined, signal);
  const prompt = [typed ?? '', piped.replace(/\n+$/, '')].filter((text) => text.trim() !== '').join('\n');
  if (prompt === '' && !signal.aborted)
    throw new UserError('there is no prompt', 'write one after -p and before flags that take lists, or pipe it in');
  return prompt;
}

async function readPiped(stdin: Readable, isOptional: boolean, signal: AbortSignal): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  const stop = (): void => void stdin.destroy();
  const silence = isOptional ? setTimeout(stop, silenceMs) : undefined;
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const piece of stdin) {
      clearTimeout(silence);
      pieces.push(piece as Buffer);
      size += (piece as Buffer).length;
      if (size > maxPromptBytes)
        throw new UserError(
          'the piped input is larger than 10 MB',
          'write it to a file and name the file in the prompt',
        );
    }
  } catch (error) {
    // We ended it: the input so far is complete.
    if (!stdin.destroyed || error instanceof UserError) throw error;
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', stop);
  }
  return Buffer.concat(pieces).toString('utf8');
}
