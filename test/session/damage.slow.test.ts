// A transcript cut at every byte.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { loadTranscript } from '../../src/session/transcript/transcript.ts';
import { plainNode } from '../support/plain-node.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { sample, serialised } from './damage-kit.ts';

test('a transcript cut at any byte keeps every line before the cut, and every byte', (context) => {
  const file = path.join(temporaryFolder(context), 'session.jsonl');
  const bytes = readFileSync(sample);
  const whole = loadTranscript(sample).nodes;
  assert.ok(whole.length > 3 && bytes.length > 4000);
  for (let end = 0; end <= bytes.length; end++) {
    writeFileSync(file, bytes.subarray(0, end));
    const expected = whole.filter((node) => node.offset + node.length <= end);
    for (const strict of [false, true]) {
      const { nodes, sizeBytes } = loadTranscript(file, { strict });
      assert.deepEqual(nodes.map(plainNode), expected.map(plainNode), `cut at ${end}`);
      assert.equal(sizeBytes, end);
    }
    assert.ok(serialised(file).equals(bytes.subarray(0, end)), `cut at ${end}`);
  }
});
