import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMentions, withoutCode } from '../../../src/agent/prompt/mention.ts';

test('files are mentioned after a space or a bracket, quoted where they have spaces, with lines where wanted', () => {
  const text =
    '@a.ts and (@src/b.ts#L3-9), @"my notes.md"#L2 @c\\ d.md, mail me@x.org @e.md#L7. @~/f/ @ @"" see @g.md!';
  assert.deepEqual(findMentions(text), [
    { candidates: ['a.ts'] },
    { candidates: ['src/b.ts'], lines: { from: 3, to: 9 } },
    { candidates: ['my notes.md'], lines: { from: 2, to: 2 } },
    { candidates: ['c d.md,', 'c d.md'] },
    { candidates: ['e.md'], lines: { from: 7, to: 7 } },
    { candidates: ['~/f/'] },
    { candidates: ['g.md!', 'g.md'] },
  ]);
});

test('nothing inside code is a mention', () => {
  const text = [
    'see `@in-span` and ``a ` @still`` but @out',
    '```ts',
    '@Decorator()',
    '~~~',
    '```',
    '@after-fence',
    '~~~~',
    '@never-closed',
  ].join('\n');
  assert.deepEqual(
    findMentions(text).flatMap((mention) => mention.candidates),
    ['out', 'after-fence'],
  );
});

test('a lone backtick hides nothing', () => {
  assert.deepEqual(findMentions('it`s @a\n\n`@b` @c'), [{ candidates: ['a'] }, { candidates: ['c'] }]);
});

test('code is blanked without moving anything', () => {
  assert.equal(withoutCode('a `b` c\n```\nd\n```\ne'), 'a     c\n   \n \n   \ne');
});

test('of a text full of mentions a hundred are taken', () => {
  const many = Array.from({ length: 500 }, (_, index) => `@f${index}`).join(' ');
  assert.equal(findMentions(many).length, 100);
});
