// Where a huge text stops to be Markdown: near the limit, at the end of a paragraph, and never inside a character.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundMarkdown, maxMarkdownChars } from '../../../src/base/markdown/markdown-bounds.ts';

for (const [what, text, markdown, rest] of [
  ['a text of the limit is whole', '0123456789', '0123456789', ''],
  ['a paragraph ends before the limit', 'aaaaa\n\nb\nccccc', 'aaaaa\n\n', 'b\nccccc'],
  ['a line ends before the limit', 'aaaaaaa\nbbbbb', 'aaaaaaa\n', 'bbbbb'],
  ['an early end is not waited for', 'a\nbbbbbbbbbbbb', 'a\nbbbbbbbb', 'bbbb'],
  ['a pair is not cut in two', 'aaaaaaaaa😀b', 'aaaaaaaaa', '😀b'],
] as const) {
  test(what, () => assert.deepEqual(boundMarkdown(text, 10), { markdown, rest }));
}

test('what is cut does not depend on what follows', () => {
  const start = 'some words\n\n'.repeat(maxMarkdownChars / 12 + 1);
  const short = boundMarkdown(start);
  const long = boundMarkdown(start.repeat(5));
  assert.equal(long.markdown, short.markdown);
  assert.equal(long.markdown + long.rest, start.repeat(5));
  assert.ok(short.markdown.length <= 200_000 && short.markdown.length > 199_000);
});
