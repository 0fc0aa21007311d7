// The importer against many bundles that are made to do harm; 5,000 with CLEW_LONG=1.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../support/temp-folder.ts';
import { importHostile } from './import-check.ts';

const count = process.env.CLEW_LONG === '1' ? 5000 : 250;

test(`${count} hostile bundles write nothing but the files of their sessions`, async (t) => {
  const seeds = Array.from({ length: count }, (_, i) => 1000 + i);
  const { imported, refused } = await importHostile(temporaryFolder(t), seeds);
  t.diagnostic(`${imported} imported, ${refused} refused`);
  assert.equal(imported + refused, count);
  assert.ok(imported > count * 0.15 && refused > count * 0.2, `${imported} imported, ${refused} refused`);
});
