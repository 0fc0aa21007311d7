// The lines of the list: a heading before each group, and the rows between them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupName, ListLayout } from '../../../src/web/app/library/list-layout.ts';
import type { DateGroup } from '../../../src/web/wire/wire.ts';

const group = (name: DateGroup['name'], rows: number): DateGroup => ({ name, rows, sessions: rows });

function linesOf(layout: ListLayout): readonly (string | number)[] {
  return Array.from({ length: layout.lines }, (_, i) => {
    const line = layout.at(i);
    assert.equal(layout.isHeading(i), line.kind === 'heading');
    return line.kind === 'heading' ? line.group.name : line.row;
  });
}

test('each group has a heading, and the rows keep their numbers', () => {
  const layout = new ListLayout(4, [group('today', 2), group('week', 1), group('2026-02', 1)]);
  assert.deepEqual(linesOf(layout), ['today', 0, 1, 'week', 2, '2026-02', 3]);
  assert.deepEqual(
    [0, 1, 2, 3, 4, 6].map((line) => layout.headingOf(line)),
    [0, 0, 0, 3, 3, 5],
  );
});

test('rows that no group has are lines without a heading', () => {
  assert.deepEqual(linesOf(new ListLayout(3, [group('today', 1)])), ['today', 0, 1, 2]);
  const plain = new ListLayout(2, []);
  assert.deepEqual([linesOf(plain), plain.headingOf(1), new ListLayout(0, []).lines], [[0, 1], undefined, 0]);
});

test('a month has its year unless that is the current one', () => {
  const now = new Date('2026-03-05T12:00:00Z');
  const names = (['today', 'yesterday', 'week', '2026-01', '2025-12', 'unknown'] as const).map((name) =>
    groupName(name, now),
  );
  assert.deepEqual(names, ['Today', 'Yesterday', 'This week', 'January', 'December 2025', 'Unknown']);
});
