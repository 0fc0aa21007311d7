// docs/doctor.md tells every class of damage as the table of doctor/finding.ts has it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { damageClasses, damageCodes } from '../../src/doctor/finding.ts';
import { projectRoot, shared, skipWithoutShared } from '../support/paths.ts';

test('the page lists every class with what it is, its severity and what mends it', () => {
  const page = readFileSync(path.join(projectRoot, 'docs/doctor.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([LGAF]-[\w-]+)` \| (.*) \| (.*) \| (.*) \|$/gm)].map((match) => match.slice(1));
  const classes = damageCodes.map((code) => {
    const { title, severity, repair } = damageClasses[code];
    return [code, title, severity, repair];
  });
  assert.deepEqual(rows, classes);
});

test('every class that users report has its code', { skip: skipWithoutShared }, () => {
  const reported = readFileSync(path.join(shared, 'DOCTOR.md'), 'utf8');
  const codes = [...reported.matchAll(/^\| ([LGAF]-[\w-]+(?:, [LGAF]-[\w-]+)*) \|/gm)].flatMap(([, list = '']) =>
    list.split(', '),
  );
  const known: readonly string[] = damageCodes;
  assert.deepEqual(
    codes.filter((code) => !known.includes(code)),
    [],
  );
  assert.ok(codes.length > 30);
});
