// What a command says beside its result: one line on stderr that begins with the program's name. The line may quote
// file names and transcripts, so it is neutralised here.
import type { Writable } from 'node:stream';
import { safeText } from './terminal/safe-text.ts';

export function writeNotice(stderr: Writable, message: string): void {
  stderr.write(`clew: ${safeText(message).replace(/\s*\n\s*/g, ' ')}\n`);
}
