// The prompts of earlier chats: what is written, what is read back, and the search in them.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { appendHistory, type HistoryEntry, readHistory } from '../../../../src/cli/console/input/history.ts';
import { type HistorySearch, openSearch, pressInSearch } from '../../../../src/cli/console/input/history-search.ts';
import { KeyReader } from '../../../../src/cli/terminal/keys.ts';
import { temporaryFolder } from '../../../support/temp-folder.ts';

const none = new Map<string, string>();

test('a prompt is written with its project and its pastes, and read back', async (context) => {
  const file = path.join(temporaryFolder(context), 'state', 'chat-history.jsonl');
  const pastes = new Map([['[Pasted 12 lines]', 'a\n'.repeat(12)]]);
  await appendHistory(file, { text: 'see [Pasted 12 lines]', pastes, cwd: '/work/lamp' });
  await appendHistory(file, { text: 'light it', pastes: none, cwd: '/work/lamp' });
  assert.equal(
    readFileSync(file, 'utf8'),
    '{"prompt":"see [Pasted 12 lines]","cwd":"/work/lamp","pastes":{"[Pasted 12 lines]":"' +
      'a\\n'.repeat(12) +
      '"}}\n{"prompt":"light it","cwd":"/work/lamp"}\n',
  );
  assert.deepEqual(await readHistory(file), [
    { text: 'see [Pasted 12 lines]', pastes, cwd: '/work/lamp' },
    { text: 'light it', pastes: none, cwd: '/work/lamp' },
  ]);
});

test('entries of earlier versions, damaged lines and control characters are read as far as they make sense', async (context) => {
  const file = path.join(temporaryFolder(context), 'chat-history.jsonl');
  const long = Array.from({ length: 300 }, (_, i) => `row ${i}`).join('\n');
  const lines = [
    { prompt: 'old' },
    { prompt: 7 },
    { prompt: long },
    { prompt: 'a\x1b]0;x\x07b', cwd: 3, pastes: { x: 1 } },
    [],
  ];
  appendFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"prompt":"cut`);
  assert.deepEqual(await readHistory(file), [
    { text: 'old', pastes: none },
    { text: '[Pasted 300 lines]', pastes: new Map([['[Pasted 300 lines]', long]]) },
    { text: 'ab', pastes: none },
  ]);
});

const history: readonly HistoryEntry[] = [
  { text: 'light the lamp', pastes: none, cwd: '/lamp' },
  { text: 'Turn it', pastes: none, cwd: '/other' },
  { text: 'see [Pasted 20 lines]', pastes: new Map([['[Pasted 20 lines]', 'a tide table']]), cwd: '/lamp' },
  { text: 'light the lamp', pastes: none, cwd: '/lamp' },
  { text: 'and the tide', pastes: none },
];

/** The last state, and the prompt that was taken. */
function type(keys: string): { readonly search: HistorySearch; readonly end: string | undefined } {
  let search = openSearch(history, '/lamp');
  const reader = new KeyReader();
  for (const key of [...reader.push(keys), ...reader.settle()]) {
    const done = pressInSearch(search, key);
    if (done.kind === 'taken') return { search, end: done.entry.text };
    if (done.kind === 'left') return { search, end: 'left' };
    search = done.search;
  }
  return { search, end: undefined };
}

test('the search lists the prompts of the project first, newest first, each once', () => {
  const shown = ({ search }: ReturnType<typeof type>): readonly string[] => search.matches.map(({ text }) => text);
  assert.deepEqual(shown(type('')), ['light the lamp', 'see [Pasted 20 lines]', 'and the tide', 'Turn it']);
  assert.deepEqual(shown(type('TIDE')), ['see [Pasted 20 lines]', 'and the tide']);
  assert.deepEqual(shown(type('tidex')), []);
  assert.deepEqual(shown(type('tidex\x7f')), ['see [Pasted 20 lines]', 'and the tide']);
});

test('Ctrl-R again goes to older prompts, Enter takes one, Esc leaves', () => {
  assert.deepEqual(
    ['\r', 'tide\r', 'tide\x12\r', 'tide\x12\x12\x12\r', 'tide\x12\x13\r', 'zzz\r', 'tide\x1b', '\x03'].map(
      (keys) => type(keys).end,
    ),
    [
      'light the lamp',
      'see [Pasted 20 lines]',
      'and the tide',
      'and the tide',
      'see [Pasted 20 lines]',
      undefined,
      'left',
      'left',
    ],
  );
});
