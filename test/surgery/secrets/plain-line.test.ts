// A line counts as plain only if every text in it, in every layer of escaping, is in its bytes as it is. Then a known value
// is found by a search in the bytes. The texts come from the slow way (json-view.ts and view.ts).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodedParts } from '../../../src/surgery/secrets/encoded-text.ts';
import { makeRuleSet } from '../../../src/surgery/secrets/find.ts';
import { decodeString, textsOf, viewOf } from '../../../src/surgery/secrets/json-view.ts';
import { isPlainValue, LineFilter } from '../../../src/surgery/secrets/line-filter.ts';
import { viewsOf } from '../../../src/surgery/secrets/view.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

const filter = new LineFilter(makeRuleSet());
const user = (text: string): string => `{"type":"user","message":{"role":"user","content":"${text}"}}`;

function isPlain(line: string): boolean | undefined {
  return filter.judge(Buffer.from(line))?.isPlain;
}

/** Hand-written, with the backslashes of the line. */
const table: readonly (readonly [isPlain: boolean, name: string, text: string])[] = [
  [true, 'words', 'please fix it'],
  [true, 'other scripts', '部署记录 ✓ é'],
  [true, 'short escapes', String.raw`a\nb\tc\rd\be\ff \"quoted\" \\`],
  [true, 'short escapes in an inner layer', String.raw`{\"a\":\"b\\nc \\\"d\\\"\"}`],
  [true, 'a percent sign', '50% of it & more'],
  [false, 'the code of a character', String.raw`\u0041bc`],
  [false, 'an escaped slash', String.raw`a\/b`],
  [false, 'an escaped slash in an inner layer', String.raw`a\\/b`],
  [false, 'the code of a character in an inner layer', String.raw`\\u0041bc`],
  [false, 'two hex digits in an inner layer', String.raw`\\x41bc`],
  [false, 'percent signs', '%41bc'],
  [false, 'an entity', 'a&quot;b'],
  [false, 'a continued line', String.raw`abc\\\ndef`],
  [false, 'a color', String.raw`abc\u001b[1mdef`],
  [false, 'base64', Buffer.from('some words in base64').toString('base64')],
  [false, 'a dump of bytes', '00000000: 4865 6c6c 6f20 776f  Hello wo'],
];

test('lines are plain as the table says', () => {
  for (const [expected, name, text] of table) assert.equal(isPlain(user(text)), expected, name);
});

test('values are plain without quotes, backslashes, control characters and half pairs, and not only of spaces', () => {
  for (const value of ['Kq7vR2mZx9', 'a/b+c==', 'schlüssel wort', "it's%41&"]) assert.equal(isPlainValue(value), true);
  for (const value of ['a"b', 'a\\b', 'a\nb', '\0', '        ', 'a\ud83d']) assert.equal(isPlainValue(value), false);
});

test('without rules only known values are searched, in every layer and in base64', () => {
  const known = new LineFilter(undefined, ['Kq7vR2mZx9T4']);
  const isClean = (text: string): boolean => known.judge(Buffer.from(user(text))) !== undefined;
  assert.equal(isClean('password=Zx9T4bLc8Kq7vR2m'), true);
  assert.equal(isClean(Buffer.from('password=Zx9T4bLc8Kq7vR2m').toString('base64')), true);
  assert.equal(isClean('it was Kq7vR2mZx9T4'), false);
  assert.equal(isClean(String.raw`it was Kq7vR2m\\u005ax9T4`), false);
  assert.equal(isClean(Buffer.from('it was Kq7vR2mZx9T4 again').toString('base64')), false);
});

/** The texts that the slow way searches, in every layer, with those that are encoded in them. */
function slowTexts(line: string): string[] {
  const view = viewOf(line, 'record');
  const strings = (view.strings ?? []).map(({ start, end }) => decodeString(line.slice(start, end)) ?? '');
  const texts = [...textsOf(view), ...strings].flatMap((text) => viewsOf(text).map((each) => each.text));
  return [...texts, ...texts.flatMap((text) => encodedParts(text).map((part) => part.text))];
}

const pieces = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.constantFrom('word', 'é', ' ', '"', '\\', '\n', '\t', '/', '\\"', '\\\\', '\\n', 'n', 'u'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('%41', '&lt;', '&#65;', '\\u0041', '\\x41', '\\/', '\x1b[1m', '\\\n', '\x01'),
  },
  { weight: 1, arbitrary: fc.constant(Buffer.from('words in base64').toString('base64')) },
);
const texts = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));
const depth = fc.constantFrom(0, 1, 2);

test('in a plain line, every plain part of every text is in the bytes', () => {
  let [plain, other] = [0, 0];
  fc.assert(
    fc.property(texts, texts, depth, fc.boolean(), (a, b, inner, isSlashed) => {
      let content = `${a} ${b}`;
      for (let i = 0; i < inner; i++) content = JSON.stringify({ a: content, [b]: 1 });
      const written = JSON.stringify({ type: 'user', uuid: 'u1', message: { content, more: [a, { b }] } });
      const line = isSlashed ? written.replaceAll('/', '\\/') : written;
      if (isPlain(line) !== true) {
        other++;
        return;
      }
      plain++;
      for (const text of slowTexts(line)) {
        // Ids are searched as spaces.
        const parts = text.split(/["\\\x00-\x1f]+/).filter((part) => part.trim() !== '');
        for (const part of parts) assert.ok(line.includes(part), `${part} of ${text}`);
      }
    }),
    { numRuns: fuzzRuns(2000) },
  );
  assert.ok(plain > 60 && other > 60, `${plain} lines are plain, ${other} are not`);
});
