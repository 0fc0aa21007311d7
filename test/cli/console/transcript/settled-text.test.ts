// Where a growing Markdown text may be cut so that the parts render like the whole.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { splitSettled } from '../../../../src/cli/console/transcript/item.ts';
import { renderMarkdown } from '../../../../src/cli/markdown/markdown.ts';
import { createStyle } from '../../../../src/cli/terminal/style.ts';

test('everything before the last block that begins at the margin is settled', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['one\n\ntwo\n\nthree', 'one\n\n'],
    ['one\n\ntwo\n\nthree\n', 'one\n\ntwo\n\n'],
    ['one\ntwo\nthree\n', ''],
    ['- a\n\n- b\n\n- c\n', ''],
    ['- a\n\n  still a\n\nnext\n', '- a\n\n  still a\n\n'],
    ['```\ncode\n\nmore\n', ''],
    ['```\ncode\n\nmore\n```\n\nafter\n', '```\ncode\n\nmore\n```\n\n'],
    ['````\n```\n\nx\n', ''],
    ['| a |\n\n| b |\n', ''],
  ];
  for (const [text, settled] of cases) {
    assert.deepEqual(splitSettled(text), { settled, rest: text.slice(settled.length) }, JSON.stringify(text));
  }
});

test('a text printed in pieces reads like the text printed at once', () => {
  const style = createStyle(false);
  const show = (text: string): string => renderMarkdown(text.trim(), { width: 60, style });
  const line = fc.constantFrom(
    'text',
    '- item',
    '',
    '',
    '    code',
    '```',
    '# head',
    '> quote',
    '1. one',
    '---',
    '| a | b |',
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 25 }), (lines) => {
      const { settled, rest } = splitSettled(lines.join('\n'));
      if (settled.trim() === '' || rest.trim() === '') return;
      const squeeze = (text: string): string => text.replace(/\n{2,}/g, '\n\n');
      assert.equal(squeeze(`${show(settled)}\n\n${show(rest)}`), squeeze(show(settled + rest)));
    }),
  );
});
