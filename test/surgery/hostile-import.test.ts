// The importer against bundles that are made to do harm; the long run is in hostile-import.slow.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../support/temp-folder.ts';
import { importHostile } from './import-check.ts';

test('twenty-five hostile bundles write nothing but the files of their sessions', async (t) => {
  const seeds = Array.from({ length: 25 }, (_, i) => i);
  const { imported, refused } = await importHostile(temporaryFolder(t), seeds);
  assert.equal(imported + refused, 25);
  assert.ok(imported > 2 && refused > 10, `${imported} imported, ${refused} refused`);
});
