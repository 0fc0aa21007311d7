// The importer against thousands of bundles that are made to do harm.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../support/temp-folder.ts';
import { importHostile } from './import-check.ts';

test('five thousand hostile bundles write nothing but the files of their sessions', async (t) => {
  const seeds = Array.from({ length: 5000 }, (_, i) => 1000 + i);
  const { imported, refused } = await importHostile(temporaryFolder(t), seeds);
  t.diagnostic(`${imported} imported, ${refused} refused`);
  assert.equal(imported + refused, 5000);
  assert.ok(imported > 750 && refused > 1000, `${imported} imported, ${refused} refused`);
});
