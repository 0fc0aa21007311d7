// The importer against bundles that are made to do harm; the long run is in hostile-import.slow.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../support/temp-folder.ts';
import { importHostile } from './import-check.ts';

test('twenty hostile bundles bring nothing but harmless files of their sessions', (t) => {
  const seeds = Array.from({ length: 20 }, (_, i) => i);
  const { imported, refused, kept } = importHostile(temporaryFolder(t), seeds);
  assert.equal(imported + refused, 20);
  assert.ok(imported > 3 && refused > 3 && kept > 8, `${imported} imported, ${refused} refused, ${kept} names kept`);
});
