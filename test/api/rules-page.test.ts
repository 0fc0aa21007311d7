// docs/api-rules.md shows the rules; this keeps its table and the rules in step.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { apiRules } from '../../src/api/api-rules.ts';
import { modelFactsVersion } from '../../src/api/models.ts';
import { projectRoot, shared, skipWithoutShared } from '../support/paths.ts';
import { ruleCases } from './rule-cases.ts';

const page = readFileSync(path.join(projectRoot, 'docs/api-rules.md'), 'utf8');

test('the page lists every rule with its words, and no other', () => {
  const rows = apiRules.map(
    ({ code, what, status, isFormer, errorText }) =>
      `| \`${code}\` | ${what}${isFormer ? ' (formerly)' : ''} | ${status} | \`\` ${errorText} \`\` |`,
  );
  const start = page.indexOf('| code |');
  assert.deepEqual(page.slice(start).split('\n\n')[0]?.split('\n').slice(2), rows);
});

test('the page names the month of the model facts', () => assert.ok(page.includes(modelFactsVersion)));

test('no two rules have one code', () => {
  const codes = apiRules.map(({ code }) => code);
  assert.deepEqual([...new Set(codes)], codes);
});

const notes = path.join(shared, 'DOCTOR.md');

test('the words that users quote are those of the rules', { skip: skipWithoutShared || !existsSync(notes) }, () => {
  const section = readFileSync(notes, 'utf8').split("## The API's rules")[1] ?? '';
  const quoted = [...section.matchAll(/`([^`]+)`/g)]
    .map(([, words]) => words ?? '')
    .filter((words) => words.includes(' '));
  assert.ok(quoted.length > 10);
  const ours = ruleCases.flatMap(({ violations }) => violations.map(({ message }) => bare(message)));
  assert.deepEqual(
    quoted.filter((words) => !ours.some((message) => fixedParts(words).every((part) => message.includes(part)))),
    [],
  );
});

function bare(words: string): string {
  return words.replaceAll('`', '').toLowerCase();
}

/** What stands between the numbers and ids that a request fills in. */
function fixedParts(words: string): string[] {
  return bare(words).split(/messages\.n(?:\.content\.k)?|toolu_…|\b[nm]\b/);
}
