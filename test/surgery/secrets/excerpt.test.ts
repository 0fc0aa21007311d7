// What is shown of a finding: enough to recognise it, never more than four characters of a value.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '../../../src/surgery/redact/redactor.ts';
import { surveyContent } from '../../../src/surgery/redact/survey.ts';
import { excerptOf } from '../../../src/surgery/secrets/redact-text.ts';

const value = ['k9Zqr7', 'Lm2xTb4Wn8', 'Qe6Uy3Io5Pa1'].join('');
const other = ['Jc5Pd1', 'Vs3Hy6Fg0Ra'].join('');
const mark = '[redacted:x:1]';

/** The text before the placeholder, and what is shown of it. */
const rows: readonly (readonly [string, string])[] = [
  ['DB_PASSWORD=', 'DB_PASSWORD='],
  ['first line\nsecond: ', 'second: '],
  ['{"content":"first\\nsecond \\"key\\": \\"', '"key": "'],
  ['{"role":"user","content":"use ', '"content":"use '],
  ['{"a":"{\\"b\\":\\"first\\\\nsecond ', 'second '],
  [`${'word '.repeat(20)}pass: `, 'word word word word word pass: '],
  // What no rule matches may still be a secret.
  [`login ${other} `, 'login *** '],
  [`${other}${other}${other} `, ''],
  ['akYrLhzYpacLYSES then ', '*** then '],
  ['[redacted:github-token:2] and ', '[redacted:github-token:2] and '],
];

test('the excerpt is what is before the value on its line, without anything that looks random', () => {
  assert.deepEqual(
    rows.map(([before]) => excerptOf(value, `${before}${mark} after`, before.length)),
    rows.map(([, shown]) => `${shown}k9Zq********`),
  );
});

test('a quarter of a short value is shown at most, and nothing around a value that is not in the text', () => {
  assert.deepEqual(
    ['abcdefgh', 'abcdefghijk', 'abcd', 'abc', ''].map((each) => excerptOf(each, 'text', -1)),
    ['ab********', 'ab********', 'a********', '********', '********'],
  );
});

test('no excerpt of two values on one line shows the other one', () => {
  const text = `A_TOKEN=${value} B_TOKEN=${other} A_TOKEN=${value}\n{"a":"postgres://u:${other}@h/db"}\n`;
  for (const name of ['a.txt', 'a.json', 'a.jsonl']) {
    const redactor = createRedactor();
    redactor.learn(Buffer.from(text), 'text');
    const { places } = surveyContent(Buffer.from(text), name, redactor);
    assert.ok(places.length >= 2, name);
    for (const { excerpt } of places)
      for (const secret of [value, other])
        assert.ok(!excerpt.includes(secret.slice(0, 5)) && !excerpt.includes(secret.slice(4, 8)), excerpt);
  }
});
