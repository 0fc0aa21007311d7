// clew statusline without flags, as a lean command: Claude Code runs it every few hundred milliseconds.
import { writeNotice } from '../terminal/index.ts';
import { readStatus } from './status.ts';
import { statusText } from './status-text.ts';

export function runLean(args: readonly string[]): string | undefined {
  if (args.length > 0) return undefined;
  const notify = (message: string): void => writeNotice(process.stderr, message);
  return `${statusText(readStatus({ roots: [], env: process.env, cwd: process.cwd(), notify }))}\n`;
}
