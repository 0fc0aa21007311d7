import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { displayWidth } from '../../../src/base/text/terminal-text.ts';
import { type Cell, type Column, renderTable } from '../../../src/cli/render/table.ts';
import { createStyle } from '../../../src/cli/terminal/style.ts';

const style = createStyle(false);
const columns: readonly Column[] = [
  { header: 'id' },
  { header: 'title', flex: true, minWidth: 8 },
  { header: 'tokens', align: 'right' },
];
const rows: readonly (readonly Cell[])[] = [
  ['4f1c', 'Repair the broken chain of a session', '12.3k'],
  ['9a00', '修复会话', '987'],
];
const table = (width: number): string[] => renderTable(columns, rows, { width, style }).split('\n');

test('columns are as wide as their cells where there is room', () => {
  assert.deepEqual(table(80), [
    'id    title                                 tokens',
    '4f1c  Repair the broken chain of a session   12.3k',
    '9a00  修复会话                                 987',
  ]);
});

test('the flexible column gives way first', () => {
  assert.deepEqual(table(30), [
    'id    title             tokens',
    '4f1c  Repair the brok…   12.3k',
    '9a00  修复会话             987',
  ]);
});

test('then the others, down to their header; a number that does not fit is left out, never cut', () => {
  assert.deepEqual(table(21), ['id   title     tokens', '4f…  Repair …   12.3k', '9a…  修复会话     987']);
  assert.deepEqual(table(12), ['id   title', '4f…  Repair…', '9a…  修复会…']);
});

test('without a limit nothing is cut, and one long cell does not move the others', () => {
  const long = 'word '.repeat(100).trim();
  const lines = renderTable(columns, [...rows, ['1b22', long, '5 MB']], { width: Number.POSITIVE_INFINITY, style });
  assert.deepEqual(lines.split('\n'), [
    `id    title${' '.repeat(55)}  tokens`,
    `4f1c  Repair the broken chain of a session${' '.repeat(24)}   12.3k`,
    `9a00  修复会话${' '.repeat(52)}     987`,
    `1b22  ${long}    5 MB`,
  ]);
});

test('columns for which there is no room are left out', () => {
  assert.deepEqual(table(5), ['id  …', '4…  …', '9…  …']);
});

test('cells are neutralised, and missing ones are empty', () => {
  const cells = [['\x1b[31mred\nline\x1b[0m'], [], ['a', 'b', 'c', 'too many']];
  assert.equal(
    renderTable(columns, cells, { width: 80, style }),
    'id        title  tokens\nred line\n\na         b           c',
  );
});

test('the header is muted and a cell takes its own colour, after it was cut', () => {
  const colored = createStyle(true);
  const text = renderTable(
    [{ header: 'a' }, { header: 'b', flex: true }],
    [['x', { text: 'wonderful', paint: colored.red }]],
    {
      width: 7,
      style: colored,
    },
  );
  assert.equal(text, '\x1b[90ma\x1b[39m  \x1b[90mb\x1b[39m\nx  \x1b[31mwon…\x1b[39m');
});

test('no line is wider than the width, whatever the cells', () => {
  const anyColumn = fc.record(
    {
      header: fc.string({ maxLength: 8 }),
      align: fc.constantFrom('left' as const, 'right' as const),
      flex: fc.boolean(),
      minWidth: fc.nat(12),
    },
    { requiredKeys: ['header'] },
  );
  const anyRow = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 6 });
  fc.assert(
    fc.property(
      fc.array(anyColumn, { minLength: 1, maxLength: 6 }),
      fc.array(anyRow),
      fc.integer({ min: 1, max: 60 }),
      (some, cells, width) => {
        for (const line of renderTable(some, cells, { width, style }).split('\n'))
          assert.ok(displayWidth(line) <= width, line);
      },
    ),
  );
});
