// The screen as lines: it fits every size, and carries the same information without colour.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { displayWidth } from '../../../../src/base/text/terminal-text.ts';
import { approvalDialog } from '../../../../src/cli/console/dialog/questions.ts';
import { setText } from '../../../../src/cli/console/input/editor.ts';
import { openSearch } from '../../../../src/cli/console/input/history-search.ts';
import { suggestFiles } from '../../../../src/cli/console/input/suggestions.ts';
import { type ConsoleState, initialConsole } from '../../../../src/cli/console/screen/console-state.ts';
import { layOutScreen } from '../../../../src/cli/console/screen/layout.ts';
import { itemLines } from '../../../../src/cli/console/transcript/item-lines.ts';
import { emptyView } from '../../../../src/cli/console/transcript/view-state.ts';
import { createStyle } from '../../../../src/cli/terminal/style.ts';
import { call, patch } from '../agent-scripts.ts';
import { openFakeAgent } from '../fake-agent.ts';

const nowMs = Date.UTC(2026, 2, 4, 12, 0, 30);

async function busyState(): Promise<ConsoleState> {
  const { state } = await openFakeAgent({
    cwd: '/work/lamp',
    env: {},
    root: '/r',
    session: { kind: 'new' },
    isInteractive: true,
    isProjectTrusted: true,
    approve: async () => ({ kind: 'allow' }),
    askUser: async () => undefined,
    sinks: [],
  });
  const long = '日本語 and a long line of words without an end, '.repeat(20);
  return {
    ...initialConsole,
    nowMs,
    branch: 'main',
    agent: {
      ...state,
      queued: [long, 'two', 'three', 'four'],
      todos: [
        { content: long, status: 'in_progress', activeForm: 'x' },
        { content: 'b', status: 'pending', activeForm: 'x' },
      ],
    },
    editor: setText(initialConsole.editor, `${long}\n${long}`),
    view: {
      ...emptyView,
      finished: [{ kind: 'prompt', text: 'x' }],
      busySinceMs: nowMs - 12_000,
      streams: [{ index: 0, kind: 'text', text: `${long}\n\n`.repeat(30), settledChars: 0, isEnded: false }],
      calls: [
        {
          call: call('Bash', { command: long }),
          startedMs: nowMs - 3000,
          progress: { kind: 'output', text: `${long}\n`.repeat(50), totalLines: 50, elapsedMs: 1 },
        },
      ],
    },
  };
}

test('at any size the live lines leave a row of the screen free, and the cursor is on the screen', async () => {
  const busy = await busyState();
  const files = suggestFiles({ kind: 'file', start: 0, typed: '' }, ['日本語/file.ts', 'x'.repeat(200), 'c']);
  const dialog = approvalDialog({
    call: call('Bash', { command: 'x '.repeat(2000) }),
    why: 'y '.repeat(300),
    always: [],
  });
  const wide = '日本語 and a long line of words without an end, '.repeat(20);
  const history = [wide, 'x', `!${wide}`].map((text) => ({ text, pastes: new Map<string, string>() }));
  const shell = {
    command: wide,
    startedMs: 0,
    progress: { kind: 'output', text: `${wide}\n`.repeat(9), totalLines: 9, elapsedMs: 1 },
  } as const;
  const states: readonly ConsoleState[] = [
    initialConsole,
    busy,
    { ...busy, suggestions: files },
    { ...busy, dialog },
    { ...initialConsole, isHelp: true },
    { ...busy, search: openSearch(history, '/x') },
    { ...busy, search: openSearch([], '/x') },
    { ...busy, shell, waitingShell: [wide] },
    { ...initialConsole, editor: setText(initialConsole.editor, `!${wide}`) },
  ];
  for (const enabled of [false, true]) {
    for (const columns of [24, 40, 80, 200]) {
      for (const rows of [6, 10, 24, 60]) {
        for (const [i, state] of states.entries()) {
          const drawing = { style: createStyle(enabled), columns, rows, nowMs, cwd: '/work/lamp' };
          const { lines, cursor } = layOutScreen({ ...state, columns, rows }, drawing);
          const where = `state ${i}, ${columns}×${rows}:\n${lines.join('\n')}`;
          assert.equal(lines.length < rows, true, where);
          for (const line of lines) assert.equal(displayWidth(line) <= columns, true, `${where}\n>${line}<`);
          if (cursor !== undefined) assert.equal(cursor.row < lines.length && cursor.column < columns, true, where);
        }
      }
    }
  }
});

test('a working turn, without colour', async () => {
  const busy = await busyState();
  const state = {
    ...busy,
    agent: busy.agent === undefined ? undefined : { ...busy.agent, queued: ['then the next lamp'], todos: [] },
    editor: initialConsole.editor,
    view: {
      ...busy.view,
      streams: [{ index: 0, kind: 'text' as const, text: 'It **shines**', settledChars: 0, isEnded: false }],
      calls: [],
    },
  };
  const drawing = { style: createStyle(false), columns: 70, rows: 24, nowMs, cwd: '/work/lamp' };
  assert.deepEqual(layOutScreen(state, drawing), {
    lines: [
      '',
      '● It shines',
      '',
      '⠋ Writing · 12 s · 340 tokens out · Esc interrupts',
      '  ⋮ then the next lamp',
      '    queued; Up edits it',
      '',
      '─'.repeat(70),
      '› type the next prompt',
      '─'.repeat(70),
      '  asks first · claude-test-1 · 12% of context · $0.01 · lamp (main)',
    ],
    cursor: { row: 8, column: 2 },
  });
});

test('a change of a file is shown with line numbers and signs', () => {
  const outcome = { content: 'ok', isError: false, stored: { structuredPatch: patch } };
  const item = {
    kind: 'call',
    call: call('Edit', { file_path: '/work/src/lamp.ts' }),
    outcome,
    agents: [],
    durationMs: 1,
  } as const;
  const drawing = { style: createStyle(false), columns: 60, rows: 24, nowMs, cwd: '/work' };
  assert.deepEqual(itemLines(item, undefined, drawing), [
    '✓ Edit src/lamp.ts  +2 -1',
    '     3   export function light() {',
    "     4 -   return 'dim';",
    "     4 +   const lamp = 'bright';",
    '     5 +   return lamp;',
    '     6   }',
  ]);
});

test('calls that failed or never ran say so', () => {
  const drawing = { style: createStyle(false), columns: 60, rows: 24, nowMs, cwd: '/work' };
  const failed = { content: 'exit code 1\nboom\x1b[31m', isError: true, stored: 'Error: boom' };
  const bash = call('Bash', { command: 'make' });
  const item = { kind: 'call', call: bash, outcome: failed, agents: [], durationMs: 1 } as const;
  assert.deepEqual(itemLines(item, undefined, drawing), ['✗ Bash make  exit code 1', '  │ boom']);
  assert.deepEqual(itemLines({ ...item, refused: 'permission' }, undefined, drawing), ['✗ Bash make  not allowed']);
});
