// Suggestions for a command or a file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  mentionAt,
  moveSuggestion,
  suggestCommands,
  suggestFiles,
} from '../../../../src/cli/console/input/suggestions.ts';
import { bufferOf } from '../../../../src/cli/console/input/text-buffer.ts';

function mention(text: string): string | undefined {
  const found = mentionAt(bufferOf(text));
  return found === undefined ? undefined : `${found.kind} ${found.start} ${found.typed}`;
}

test('a slash at the beginning is a command, an at sign before a word is a file', () => {
  assert.deepEqual(
    ['/', '/mo', '/model x', 'a /mo', '/usr/bin', 'see @', 'see @src/a', 'a@b.c', '@', 'x\n@lamp'].map(mention),
    [
      'command 0 ',
      'command 0 mo',
      undefined,
      undefined,
      undefined,
      'file 4 ',
      'file 4 src/a',
      undefined,
      'file 0 ',
      'file 2 lamp',
    ],
  );
});

test('commands that begin with what is typed come before those that contain it', () => {
  const commands = ['compact', 'cost', 'context', 'x-co'].map((name) => ({ name, description: name }));
  const found = suggestCommands({ kind: 'command', start: 0, typed: 'co' }, commands);
  assert.deepEqual(
    found?.items.map(({ text }) => text),
    ['/compact', '/cost', '/context', '/x-co'],
  );
  assert.equal(suggestCommands({ kind: 'command', start: 0, typed: 'zz' }, commands), undefined);
});

test('files are ranked: name begins, path begins, name has it, path has it, letters in order', () => {
  const files = ['src/lamp.ts', 'lamps/a.ts', 'docs/old-lamp.md', 'a/lamp/b.ts', 'l/a/m/p', 'other.ts'];
  const found = suggestFiles({ kind: 'file', start: 4, typed: 'lamp' }, files);
  assert.deepEqual(found, {
    kind: 'file',
    start: 4,
    end: 9,
    items: ['src/lamp.ts', 'lamps/a.ts', 'docs/old-lamp.md', 'a/lamp/b.ts', 'l/a/m/p'].map((file) => ({
      text: `@${file}`,
      hint: '',
    })),
    selected: 0,
  });
});

test('moving through suggestions wraps around', () => {
  const found = suggestFiles({ kind: 'file', start: 0, typed: '' }, ['a', 'b']);
  assert.ok(found !== undefined);
  assert.deepEqual([moveSuggestion(found, -1).selected, moveSuggestion(moveSuggestion(found, 1), 1).selected], [1, 0]);
});
