// The prompt editor: sending, newlines, pastes, history.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type EditorState,
  emptyEditor,
  isShellCommand,
  pressInEditor,
  remember,
} from '../../../../src/cli/console/input/editor.ts';
import { noPastes } from '../../../../src/cli/console/input/pastes.ts';
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
    if (edited?.submitted !== undefined) sent.push(edited.submitted.text);
  }
  return { editor: state, sent };
}

function rememberAll(...texts: readonly string[]): EditorState {
  return texts.reduce((editor, text) => remember(editor, { text, pastes: noPastes }), emptyEditor);
}

function pasted(text: string): string {
  return `\x1b[200~${text}\x1b[201~`;
}

function linesOf(count: number, word = 'line'): string {
  return Array.from({ length: count }, (_, i) => `${word} ${i} $& $1`).join('\n');
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
  const long = linesOf(500);
  const { editor } = type(`see ${pasted(long)}`);
  assert.equal(editor.buffer.text, 'see [Pasted 500 lines]');
  assert.deepEqual(type('!\r', editor).sent, [`see ${long}!`]);
});

test('Up and Down move through the history and back to the typed text', () => {
  const history = rememberAll('first', 'second');
  const shown = (keys: string): string => type(keys, history).editor.buffer.text;
  assert.deepEqual(
    ['\x1b[A', '\x1b[A\x1b[A', '\x1b[A\x1b[A\x1b[A', 'dra\x1b[A\x1b[B', 'dra\x1b[A\x1b[A\x1b[B'].map(shown),
    ['second', 'first', 'first', 'dra', 'second'],
  );
});

test('within a prompt of several lines Up moves the cursor before it opens the history', () => {
  const history = rememberAll('earlier');
  const { editor } = type('one\ntwo\x1b[A', history);
  assert.deepEqual(editor.buffer, { text: 'one\ntwo', cursor: 3 });
  assert.equal(type('\x1b[A', editor).editor.buffer.text, 'earlier');
});

test('a prompt is remembered once, however often it is said again', () => {
  assert.deepEqual(
    rememberAll('a', 'b', 'b', ' ', 'a').history.map(({ text }) => text),
    ['a', 'b', 'a'],
  );
});

test('several long pastes are numbered, and each is sent in its place', () => {
  const [one, two] = [linesOf(500, 'one'), linesOf(500, 'two')];
  const { editor, sent } = type(`a ${pasted(one)} b ${pasted(two)} ${pasted('x'.repeat(2000))}`);
  assert.equal(editor.buffer.text, 'a [Pasted 500 lines] b [Pasted 500 lines #2] [Pasted 2000 characters #3]');
  assert.deepEqual(sent, []);
  assert.deepEqual(type('\r', editor).sent, [`a ${one} b ${two} ${'x'.repeat(2000)}`]);
});

test('words that look like a placeholder are words', () => {
  assert.deepEqual(type('[Pasted 500 lines]\r').sent, ['[Pasted 500 lines]']);
  const { editor } = type(`[Pasted 12 lines] ${pasted(linesOf(12))}`);
  assert.equal(editor.buffer.text, '[Pasted 12 lines] [Pasted 12 lines #2]');
  assert.deepEqual(type('\r', editor).sent, [`[Pasted 12 lines] ${linesOf(12)}`]);
});

test('the cursor passes a placeholder in one step, and a deletion takes it whole', () => {
  const { editor } = type(`a${pasted(linesOf(500))}b`);
  const after = (keys: string): string => {
    const { text, cursor } = type(keys, editor).editor.buffer;
    return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
  };
  const left = '\x1b[D';
  assert.deepEqual(
    [left, left + left, `${left}\x7f`, `${left}${left}\x1b[3~`, `${left}\x17`, `${left}${left}\x1b[C`].map(after),
    ['a[Pasted 500 lines]|b', 'a|[Pasted 500 lines]b', 'a|b', 'a|b', 'a|b', 'a[Pasted 500 lines]|b'],
  );
  assert.deepEqual(type(`${left}\x7f\r`, editor).sent, ['ab']);
});

test('Up and Down pass a long paste and a slash command in one step each, and Enter sends the paste again', () => {
  const long = linesOf(500);
  const entry = { text: 'see [Pasted 500 lines]', pastes: new Map([['[Pasted 500 lines]', long]]) };
  const history = remember(remember(rememberAll('first'), entry), { text: '/cost', pastes: noPastes });
  const shown = (keys: string): string => type(keys, history).editor.buffer.text;
  const up = '\x1b[A';
  assert.deepEqual([up, up + up, up + up + up, `${up}${up}${up}\x1b[B`].map(shown), [
    '/cost',
    'see [Pasted 500 lines]',
    'first',
    'see [Pasted 500 lines]',
  ]);
  assert.deepEqual(type(`${up}${up}!\r`, history).sent, [`see ${long}!`]);
  // A draft with a paste of the same size is another text.
  const draft = type(pasted(linesOf(500, 'draft')), history).editor;
  assert.deepEqual(type(`${up}${up}\r`, draft).sent, [`see ${long}`]);
  assert.deepEqual(type(`${up}\x1b[B\r`, draft).sent, [linesOf(500, 'draft')]);
});

test('Ctrl-Y brings back what was deleted, and Ctrl-_ undoes edits, whole words and pastes', () => {
  const shown = (keys: string): string => type(keys).editor.buffer.text;
  assert.equal(shown('one two\x17\x01\x19'), 'twoone ');
  assert.equal(shown('one two\x15x\x19'), 'xone two');
  assert.deepEqual(
    ['one \x06two\x1f', 'one \x06two\x1f\x1f\x1f', `one ${pasted(linesOf(40))}\x1f`, 'ab\x15\x1f', '\x1f'].map(shown),
    ['one ', '', 'one ', 'ab', ''],
  );
});

test('only what is typed or pasted visibly with ! is a shell command, and only Enter sends it', () => {
  assert.deepEqual(type(pasted('!rm -rf x\n')).sent, []);
  const { editor } = type(pasted(`!${linesOf(500)}`));
  assert.equal(editor.buffer.text, '[Pasted 500 lines]');
  assert.deepEqual(['!ls', ' !ls', editor.buffer.text, 'wow!'].map(isShellCommand), [true, true, false, false]);
});
