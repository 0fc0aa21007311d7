// A hand-written secret for every bundled rule: exactly the marked characters are replaced, in every way of writing it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { bundledRules } from '../../../src/surgery/secrets/find.ts';
import { Placeholders } from '../../../src/surgery/secrets/placeholders.ts';
import { redactText } from '../../../src/surgery/secrets/redact-text.ts';
import { projectRoot } from '../../support/paths.ts';
import { type SecretRow, secretRows } from './secret-table.ts';

test('the table has a line for every kind, and the page says how many kinds and rules there are', () => {
  const kinds = [...new Set(secretRows.map(({ kind }) => kind))].sort();
  assert.deepEqual([...new Set(bundledRules.map(({ kind }) => kind))].sort(), kinds);
  const page = readFileSync(path.join(projectRoot, 'docs/redact.md'), 'utf8');
  assert.ok(page.includes(`${kinds.length} kinds by ${bundledRules.length} rules`), 'docs/redact.md counts otherwise');
  assert.deepEqual(
    bundledRules.filter(({ rotate, title }) => rotate === '' || title === '').map(({ kind }) => kind),
    [],
  );
});

/** How a text is written. The placeholder has no character that any of them changes. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in JSON': (text) => inner(text),
  'in JSON in JSON': (text) => inner(inner(text)),
  'in JSON four deep': (text) => inner(inner(inner(inner(text)))),
  'in JSON with escaped slashes': (text) => inner(text).replaceAll('/', '\\/'),
  'in \\u escapes': (text) => Array.from(text, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'with percent signs': (text) => encodeURIComponent(text),
};

for (const [name, encode] of Object.entries(encodings)) {
  test(`exactly the secret is replaced ${name}`, () => {
    compare(({ before, value, after }) => encode(`use ${before}`) + encode(value) + encode(`${after} now`), encode);
  });
}

test('exactly the secret is replaced if a terminal colour is inside it', () => {
  compare(
    ({ before, value, after }) => `use ${before}${value.slice(0, 3)}\x1b[32m${value.slice(3)}${after} now`,
    (text) => text,
  );
});

function compare(write: (row: SecretRow) => string, encode: (text: string) => string): void {
  assert.ok(secretRows.length > 130);
  const wrong: { readonly text: string; readonly expected: string }[] = [];
  for (const row of secretRows) {
    const expected = `${encode(`use ${row.before}`)}[redacted:${row.kind}:1]${encode(`${row.after} now`)}`;
    const { text } = redactText(write(row), new Placeholders());
    if (text !== expected) wrong.push({ text, expected });
  }
  assert.deepEqual(wrong, []);
}

function inner(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
