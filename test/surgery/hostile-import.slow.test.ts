// The importer against many bundles that are made to do harm; 2,000 with CLEW_LONG=1. CLEW_SEED chooses others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../support/temp-folder.ts';
import { importHostile } from './import-check.ts';

const count = process.env.CLEW_LONG === '1' ? 2000 : 100;
const first = Number(process.env.CLEW_SEED ?? '1000');

test(`${count} hostile bundles bring nothing but harmless files of their sessions`, (t) => {
  const seeds = Array.from({ length: count }, (_, i) => first + i);
  const { imported, refused, kept } = importHostile(temporaryFolder(t), seeds);
  t.diagnostic(`${imported} imported, ${refused} refused, ${kept} names kept`);
  assert.equal(imported + refused, count);
  assert.ok(
    imported > count * 0.2 && refused > count * 0.2 && kept > imported,
    `${imported} imported, ${refused} refused`,
  );
});
