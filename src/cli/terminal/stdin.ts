// Reads piped input and the user's answer to a question.
import { createInterface } from 'node:readline/promises';
import { type OutputStream, safeText } from './output.ts';

const longestInput = 1024 * 1024;

/** Everything on stdin, up to a megabyte; empty on a terminal. */
export async function readStdin(): Promise<string> {
  if (process.stdin.isTTY === true) return '';
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin) {
    pieces.push(piece as Buffer);
    size += (piece as Buffer).length;
    if (size > longestInput) break;
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Whether a user can answer questions. */
export function canAsk(stderr: OutputStream): boolean {
  return process.stdin.isTTY === true && stderr.isTTY === true;
}

/** True for y or yes, false for anything else. */
export async function confirm(question: string, stderr: OutputStream): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(safeText(`${question} [y/N] `))).trim());
  } catch {
    return false; // Ctrl-D, Ctrl-C
  } finally {
    lines.close();
  }
}
