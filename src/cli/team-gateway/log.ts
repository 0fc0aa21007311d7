// The log of an instance: one line with its time, on standard error.
import type { CommandIo } from '../command/index.ts';
import { safeText, writeText } from '../terminal/index.ts';

export function instanceLog({ stderr }: Pick<CommandIo, 'stderr'>): (line: string) => void {
  return (line) => writeText(stderr, `${new Date().toISOString()} ${safeText(line)}\n`);
}
