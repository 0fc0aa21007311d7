// The session list over all corpora.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { corpusFiles } from '../../support/transcripts.ts';
import { isEqual, openEmpty, rootsOf } from '../session-list-kit.ts';

test('every transcript of the corpora', async (context) => {
  const database = openEmpty(context);
  let count = 0;
  for (const root of rootsOf(corpusFiles())) count += await isEqual(database, root);
  assert.ok(count > 100, `${count} sessions`);
});
