// The importer against bundles that are made to do harm; the long run is in hostile-import.slow.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../support/temp-folder.ts';
import { importHostile } from './import-check.ts';

test('ten hostile bundles write nothing but the files of their sessions', async (t) => {
  const seeds = Array.from({ length: 10 }, (_, i) => i);
  const { imported, refused } = await importHostile(temporaryFolder(t), seeds);
  assert.equal(imported + refused, 10);
  assert.ok(imported > 0 && refused > 3, `${imported} imported, ${refused} refused`);
});
