// The screen of the picker as lines: it fits every size, shows the selection, and reads only visible sessions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { displayWidth } from '../../../src/base/text/terminal-text.ts';
import { layOut, makeEntry, type PickerEntry, type PickerView } from '../../../src/cli/picker/layout.ts';
import { initialState } from '../../../src/cli/picker/state.ts';
import { createStyle } from '../../../src/cli/terminal/style.ts';
import { listedSession } from '../../support/listed-session.ts';

const nowMs = Date.UTC(2026, 2, 1, 13);

function view(more: Partial<PickerView> = {}): PickerView {
  const matches = more.matches ?? [
    makeEntry(listedSession()),
    makeEntry(
      listedSession({
        title: 'Cook the soup',
        cwd: '/home/kim/a/very/long/way/to/the/soup',
        turns: 12,
        sessionId: '77aa0000-1',
      }),
    ),
  ];
  return {
    state: initialState,
    matches,
    total: matches.length,
    top: 0,
    preview: ['❯ and now?', '', 'Now it shines.'],
    columns: 80,
    rows: 16,
    nowMs,
    style: createStyle(false),
    ...more,
  };
}

test('the filter of the picker looks for one fact, and the preview says where a session came from', () => {
  const pullRequests = [{ url: 'https://x.test/12', number: 12, repository: 'ada/light' }];
  const entry = makeEntry(
    listedSession({ gitBranch: 'feature/lamp', tag: 'review', pullRequests }),
    'reopened from 3f2b',
  );
  for (const word of ['branch:feature', 'pr:12', 'pr:ada/light#12', 'tag:review', 'reopened'])
    assert.ok(entry.haystack.includes(word), word);
  const { lines } = layOut(view({ matches: [entry], total: 1, columns: 160, rows: 20 }));
  assert.match(lines.join('\n'), /feature\/lamp\n.*│ reopened from 3f2b\n/);
});

test('80 columns: the list above, the preview below, the keys last', () => {
  const { lines, cursor } = layOut(view({ state: { ...initialState, query: 'the', selected: 1 } }));
  assert.deepEqual(lines, [
    '› the                                                                     2 of 2',
    '     AGE  TITLE                            FOLDER                TURNS  ID',
    '     2 h  Light the lamp                   /home/kim/light           3  3f2b8c1e',
    '❯    2 h  Cook the soup                    …ong/way/to/the/soup     12  77aa0000',
    '',
    '',
    '',
    '',
    '',
    '─'.repeat(80),
    'Cook the soup',
    '2026-03-01 11:00 · 12 turns · 2.0 KB · /home/kim/a/very/long/way/to/the/soup',
    '',
    'Now it shines.',
    '',
    'Enter show · Ctrl-R resume · Ctrl-F fork · Tab list · ? help · Esc quit',
  ]);
  assert.deepEqual(cursor, { row: 0, column: 5 });
});

test('without a match it says so', () => {
  const { lines } = layOut(view({ matches: [], total: 5, state: { ...initialState, query: 'x' } }));
  assert.match(lines.join('\n'), /^› x +0 of 5\n.*\n {2}no session matches; Esc clears the filter\n/);
});

test('ten thousand sessions: only the visible rows are read', () => {
  let looked = 0;
  const entries = Array.from({ length: 10_000 }, (_, i) => {
    const entry = makeEntry(listedSession({ title: `session ${i}` }));
    return {
      ...entry,
      get session() {
        looked++;
        return entry.session;
      },
    } satisfies PickerEntry;
  });
  const { lines, top } = layOut(view({ matches: entries, rows: 24, state: { ...initialState, selected: 5000 } }));
  assert.ok(looked < 60, `${looked} looks`);
  assert.ok(top <= 5000 && top > 4900);
  assert.match(lines.join('\n'), /^❯ .* session 5000 /m);
});

test('no line is wider than the screen and none is missing, whatever the size, the titles and the state', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constant('\x1b[31m人🎉\n\t'),
    fc.constant('漢字'.repeat(60)),
  );
  const anything = fc.record({
    title: text,
    query: text,
    message: fc.oneof(fc.constant(''), text),
    columns: fc.integer({ min: 10, max: 200 }),
    rows: fc.integer({ min: 4, max: 60 }),
    isHelp: fc.boolean(),
    count: fc.nat(80),
    color: fc.boolean(),
  });
  fc.assert(
    fc.property(anything, ({ title, query, message, columns, rows, isHelp, count, color }) => {
      const matches = Array.from({ length: count }, () => makeEntry(listedSession({ title, cwd: `/home/${title}` })));
      const state = { ...initialState, query, message, isHelp, selected: Math.max(0, count - 1) };
      const { lines } = layOut(view({ state, matches, columns, rows, preview: ['a'], style: createStyle(color) }));
      assert.equal(lines.length, rows);
      for (const line of lines) {
        assert.ok(displayWidth(line) <= columns, JSON.stringify(line));
        assert.doesNotMatch(line.replace(/\x1b\[\d+m/g, ''), /[\x00-\x1f]/);
      }
    }),
  );
});
