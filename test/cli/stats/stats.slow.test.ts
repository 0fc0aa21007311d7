// clew stats on all corpora against a recount.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { corpusFolder } from '../../support/corpus.ts';
import { filesBelow } from '../../support/paths.ts';
import { corpusFiles } from '../../support/transcripts.ts';
import { recount, report } from '../stats-kit.ts';

test('every folder of projects in the corpora is what a recount finds', () => {
  const roots = new Set(corpusFiles().map((file) => path.dirname(path.dirname(file))));
  let count = 0;
  for (const root of roots) {
    if (!path.relative(path.join(corpusFolder, 'corpus'), root).startsWith('real')) continue;
    const files = filesBelow(root, '.jsonl').filter((file) => path.relative(root, file).split(path.sep).length === 2);
    if (filesBelow(root, '.jsonl').length !== files.length) continue;
    // Each is a process with an index of its own.
    if (count++ % 4 !== 0 && process.env.CLEW_LONG !== '1') continue;
    assert.deepEqual({ root, ...report(['--root', root]) }, { root, ...recount(files) });
  }
  assert.ok(count > 0);
});
