// docs/doctor.md lists every class of damage with the words of the table in doctor/checks/finding.ts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { damageClasses, damageCodes } from '../../src/doctor/checks/finding.ts';
import { projectRoot } from '../support/paths.ts';

test('the page lists every class with its title, severity and repair', () => {
  const page = readFileSync(path.join(projectRoot, 'docs/doctor.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([LGAFIW]-[\w-]+)` \| (.*) \| (.*) \| (.*) \|$/gm)].map((match) =>
    match.slice(1),
  );
  const classes = damageCodes.map((code) => {
    const { title, severity, repair } = damageClasses[code];
    return [code, title, severity, repair];
  });
  assert.deepEqual(rows, classes);
});

/** Collected from the issues that users of Claude Code report. */
const reportedCodes = [
  ...['L-torn-tail', 'L-no-newline', 'L-spliced', 'L-joined', 'L-nul', 'L-bom', 'L-crlf', 'L-not-json', 'L-surrogate'],
  ...['G-phantom-parent', 'G-progress-fork', 'G-parallel-lost', 'G-lost-leaf', 'G-boundary-parent'],
  ...['G-duplicate-uuid', 'G-replayed', 'G-foreign', 'G-cycle', 'G-no-root'],
  ...['A-unanswered-tool', 'A-orphan-result', 'A-duplicate-tool-id', 'A-thinking-altered', 'A-thinking-last'],
  ...['A-image-size', 'A-empty-text', 'A-role-order', 'A-error-echo', 'A-too-long'],
  ...['F-moved', 'F-nested', 'F-expiring', 'F-main-gone', 'F-empty', 'F-name'],
];

test('every class that users report has its code', () => {
  const known: readonly string[] = damageCodes;
  assert.deepEqual(
    reportedCodes.filter((code) => !known.includes(code)),
    [],
  );
});
