// What the tests of clew cat share.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { readAndSerialise } from '../../src/cli/read/cat.ts';
import type { LineOptions } from '../../src/store/lines.ts';
import { clew } from '../support/dist.ts';

export function inProcess(file: string, options?: LineOptions): Buffer {
  return Buffer.concat([...readAndSerialise(file, options)]);
}

const run = promisify(execFile);

/** Four at a time: most of a short process is waiting. */
export async function checkCommand(files: readonly string[]): Promise<void> {
  for (let index = 0; index < files.length; index += 4) {
    await Promise.all(
      files.slice(index, index + 4).map(async (file) => {
        const options = { encoding: 'buffer', maxBuffer: 1 << 28 } as const;
        const { stdout, stderr } = await run(process.execPath, [clew, 'cat', file], options);
        assert.equal(stderr.toString(), '', file);
        assert.ok(stdout.equals(readFileSync(file)), file);
      }),
    );
  }
}

/** At most `count` of the files, spread over all of them, and the largest. */
export function someOf(files: readonly string[], count: number): string[] {
  const step = Math.ceil(files.length / (count - 1));
  const largest = files.toSorted((a, b) => statSync(b).size - statSync(a).size).slice(0, 1);
  return [...new Set([...files.filter((_, index) => index % step === 0), ...largest])];
}
