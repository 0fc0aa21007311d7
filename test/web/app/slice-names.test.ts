// The words of the right side: names of slices, their lines, shares and commands.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sliceKinds } from '../../../src/context/wire/ledger.ts';
import {
  familyOf,
  linesText,
  shareText,
  shortCommand,
  sliceName,
} from '../../../src/web/app/session/side/slice-names.ts';

test('a slice is named by its kind, and by its tool or server', () => {
  assert.equal(sliceName({ kind: 'output', name: 'Bash' }), 'Output of Bash');
  assert.equal(sliceName({ kind: 'calls', name: 'Edit' }), 'Calls of Edit');
  assert.equal(sliceName({ kind: 'mcp', name: 'docs' }), 'MCP: docs');
  assert.equal(sliceName({ kind: 'instructions', name: null }), 'Instructions and memory');
  const names = sliceKinds.map((kind) => sliceName({ kind, name: null }));
  assert.equal(new Set(names).size, sliceKinds.length);
  assert.ok(sliceKinds.every((kind) => familyOf({ kind }) !== undefined));
});

test('lines, shares and commands are short', () => {
  assert.equal(linesText([]), '');
  assert.equal(linesText([[4, 4]]), 'line 4');
  assert.equal(
    linesText([
      [4, 9],
      [12, 12],
    ]),
    'lines 4–9 and 1 more place',
  );
  assert.equal(
    linesText([
      [4, 4],
      [6, 6],
      [8, 8],
    ]),
    'line 4 and 2 more places',
  );
  assert.deepEqual(
    [shareText(0, 0), shareText(0, 10), shareText(1, 1000), shareText(1, 3)],
    ['', '0 %', '< 1 %', '33 %'],
  );
  const whole = 'clew strip 463b11e7-f2cd-4a8c-b793-f776502024ef --tools Bash';
  assert.equal(shortCommand(whole), 'clew strip 463b11e7 --tools Bash');
});
