// Very long lines and very many cut ones, read in bounded memory and linear work.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { load, size, u1, u2 } from '../transcript-kit.ts';

test('many objects cut one after the other are read in linear work', { timeout: 60_000 }, (context) => {
  const { nodes, diagnostics } = load(context, `${'{"a":[{"b":"c"},\n'.repeat(200_000)}${u1}\n`);
  assert.deepEqual(
    nodes.map(({ uuid, line }) => [uuid, line]),
    [['u1', 200_001]],
  );
  assert.equal(diagnostics.length, 10_000);
});

test('a line of 300 MB is passed over in bounded memory, and the lines around it are read', (context) => {
  const file = path.join(temporaryFolder(context), 'session.jsonl');
  const longBytes = 300 * 1024 * 1024;
  const descriptor = openSync(file, 'w');
  // The middle of the line is a hole in the file: NULs that take no place on the disk.
  writeSync(descriptor, `${u1}\n{"type":"user","a":"`);
  ftruncateSync(descriptor, size + 1 + longBytes - 2);
  writeSync(descriptor, `"}\n${u2}\n`, size + 1 + longBytes - 2);
  closeSync(descriptor);
  for (const way of ['--lazy', '--strict']) {
    const { peakBytes, ...seen } = loadInChild(file, way);
    assert.deepEqual(seen, {
      sizeBytes: 2 * size + longBytes + 3,
      nodes: [
        ['u1', 1, 0],
        ['u2', 3, size + longBytes + 2],
      ],
      diagnostics: [['L-oversize', 2, size + 1]],
    });
    assert.ok(peakBytes < 150 * 1024 * 1024, `${peakBytes} bytes at the peak`);
  }
});

function loadInChild(file: string, way: string): { readonly peakBytes: number } {
  const program = fileURLToPath(new URL('load-transcript.js', import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [program, file, way], { encoding: 'utf8' }));
}
