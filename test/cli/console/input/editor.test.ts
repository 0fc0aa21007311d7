// The prompt editor: sending, newlines, pastes, history.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EditorState, emptyEditor, pressInEditor, remember } from '../../../../src/cli/console/input/editor.ts';
import { KeyReader } from '../../../../src/cli/terminal/keys.ts';

interface Typed {
  readonly editor: EditorState;
  readonly sent: readonly string[];
}

function type(keys: string, editor: EditorState = emptyEditor): Typed {
  const reader = new KeyReader();
  const sent: string[] = [];
  let state = editor;
  for (const key of [...reader.push(keys), ...reader.settle()]) {
    const edited = pressInEditor(state, key, 40);
    state = edited?.editor ?? state;
    if (edited?.submitted !== undefined) sent.push(edited.submitted);
  }
  return { editor: state, sent };
}

test('Enter sends the text, but not an empty one', () => {
  assert.deepEqual(type('hello\r').sent, ['hello']);
  assert.deepEqual(type('\r  \r').sent, []);
  assert.equal(type('hello\r').editor.buffer.text, '');
});

test('Ctrl-J, Alt-Enter and a backslash before Enter make a new line', () => {
  assert.deepEqual(type('a\nb\x1b\rc\\\rd\r').sent, ['a\nb\nc\nd']);
});

test('a short paste is inserted, a long one is a placeholder that is sent in full', () => {
  assert.deepEqual(type('see \x1b[200~two\nlines\x1b[201~!\r').sent, ['see two\nlines!']);
  const long = Array.from({ length: 30 }, (_, i) => `line ${i} $& $1`).join('\n');
  const { editor } = type(`see \x1b[200~${long}\x1b[201~`);
  assert.equal(editor.buffer.text, 'see [paste 1: 30 lines]');
  assert.deepEqual(type('!\r', editor).sent, [`see ${long}!`]);
});

test('Up and Down move through the history and back to the typed text', () => {
  const history = ['first', 'second'].reduce(remember, emptyEditor);
  const shown = (keys: string): string => type(keys, history).editor.buffer.text;
  assert.deepEqual(
    ['\x1b[A', '\x1b[A\x1b[A', '\x1b[A\x1b[A\x1b[A', 'dra\x1b[A\x1b[B', 'dra\x1b[A\x1b[A\x1b[B'].map(shown),
    ['second', 'first', 'first', 'dra', 'second'],
  );
});

test('within a prompt of several lines Up moves the cursor before it opens the history', () => {
  const history = remember(emptyEditor, 'earlier');
  const { editor } = type('one\ntwo\x1b[A', history);
  assert.deepEqual(editor.buffer, { text: 'one\ntwo', cursor: 3 });
  assert.equal(type('\x1b[A', editor).editor.buffer.text, 'earlier');
});

test('a prompt is remembered once, however often it is said again', () => {
  assert.deepEqual(['a', 'b', 'b', ' ', 'a'].reduce(remember, emptyEditor).history, ['a', 'b', 'a']);
});
