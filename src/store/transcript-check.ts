// A path that is to be a transcript → refused, if it cannot be one: a pipe, a device, or gigabytes of something else, which
// would be read to their end before anyone could say so.
import { closeSync, fstatSync, readSync } from 'node:fs';
import { UserError } from '../base/errors/errors.ts';
import { openRegularFile } from '../base/files/regular-file.ts';

const largeBytes = 256 * 1024 * 1024;
const headBytes = 64 * 1024;

/** Throws the system's error where there is no such file. */
export function refuseUnlessTranscript(file: string): void {
  const descriptor = openRegularFile(file);
  try {
    if (fstatSync(descriptor).size <= largeBytes) return;
    const head = Buffer.alloc(headBytes);
    const length = readSync(descriptor, head, 0, head.length, 0);
    if (head.subarray(0, length).includes('{')) return;
    throw new UserError(
      `${file} is not a transcript: its first 64 KB hold no JSON record`,
      'name a .jsonl file of Claude Code',
    );
  } finally {
    closeSync(descriptor);
  }
}
