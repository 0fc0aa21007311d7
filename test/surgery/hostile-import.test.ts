// The importer against bundles that are made to do harm; the long run is in hostile-import.slow.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../support/temp-folder.ts';
import { importHostile } from './import-check.ts';

test('two hundred hostile bundles write nothing but the files of their sessions', async (t) => {
  const seeds = Array.from({ length: 200 }, (_, i) => i);
  const { imported, refused } = await importHostile(temporaryFolder(t), seeds);
  assert.equal(imported + refused, 200);
  assert.ok(imported > 30 && refused > 50, `${imported} imported, ${refused} refused`);
});
