// The limits of the lexer: what is cut off, and what is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Marked } from 'marked';
import { lexMarkdown } from '../../../src/base/markdown/index.ts';

const typesOf = (text: string): readonly string[] => lexMarkdown(text).map(({ type }) => type);
const words = (chars: number): string => 'word '.repeat(chars / 5).trimEnd();

test('a heading with a line under it is one, up to a thousand characters', () => {
  assert.deepEqual(typesOf('Title\n=====\ntext'), ['heading', 'paragraph']);
  assert.deepEqual(typesOf('Two\nlines\n---\n'), ['heading']);
  assert.deepEqual(typesOf(`${words(1000)}\n===\n\ntext`), ['heading', 'space', 'paragraph']);
  assert.deepEqual(typesOf(`${words(2000)}\n===\n\ntext`), ['paragraph', 'space', 'paragraph']);
});

test('the line under a heading may be as long as it likes', () => {
  for (const chars of [20, 30, 2000]) {
    const [heading, ...others] = lexMarkdown(`${words(1000)}\n${'='.repeat(chars)}\ntext`);
    assert.equal(heading?.type, 'heading');
    assert.equal(heading.raw.trimEnd().length, words(1000).length + 1 + chars);
    assert.deepEqual(
      others.map(({ type }) => type),
      ['paragraph'],
    );
  }
});

test('a single newline is a line break, also in a paragraph too long for inline Markdown', () => {
  const html = (text: string): string => new Marked().parser([...lexMarkdown(text)]);
  assert.equal(html('one\ntwo\n\nthree'), '<p>one<br>two</p>\n<p>three</p>\n');
  assert.equal(html('- one\n- two'), '<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n');
  assert.equal(html('```\na\nb\n```'), '<pre><code>a\nb\n</code></pre>\n');
  assert.doesNotMatch(html('| a | b |\n|---|---|\n| 1 | 2 |'), /<br>/);
  const long = 'word '.repeat(1000).trim();
  assert.equal(html(`${long}\nend`), `<p>${long}<br>end</p>\n`);
});
