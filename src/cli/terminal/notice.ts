// A one-line message on stderr after the program's name. It may quote file names and transcripts, so it is neutralised.
import type { Writable } from 'node:stream';
import { safeText } from './safe-text.ts';

export function writeNotice(stderr: Writable, message: string): void {
  stderr.write(`clew: ${safeText(message).replace(/\s*\n\s*/g, ' ')}\n`);
}
