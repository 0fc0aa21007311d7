import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { WriteStream } from 'node:tty';
import { InkOutput, repaint } from '../../../../src/cli/console/screen/screen.tsx';

const wide = { columns: 90, rows: 24 };

test('in a narrower terminal the live lines are erased from the first wrapped row on and repainted', () => {
  const lines = ['x'.repeat(80), 'abc', 'y'.repeat(90)];
  const painted = `\x1b[?7l${lines.join('\n')}\n\x1b[?7h`;
  assert.equal(repaint({ lines }, wide, { columns: 40, rows: 24 }), `\x1b[6A\r\x1b[J${painted}\x1b[1G`);
  const cursor = { row: 1, column: 3 };
  assert.equal(repaint({ lines, cursor }, wide, { columns: 40, rows: 24 }), `\x1b[2A\r\x1b[J${painted}\x1b[2A\x1b[4G`);
});

test('a line takes no more rows than the screen it was written on had room for', () => {
  const lines = ['x'.repeat(80)];
  const cut = repaint({ lines }, { columns: 40, rows: 24 }, { columns: 40, rows: 20 });
  assert.equal(cut, `\x1b[1A\r\x1b[J\x1b[?7l${lines}\n\x1b[?7h\x1b[1G`);
});

test('live lines that no longer fit are removed from the screen', () => {
  assert.equal(repaint({ lines: Array(12).fill('a') }, wide, { columns: 90, rows: 12 }), '\x1b[H\x1b[J');
});

test('a frame is kept from breaking, finished text is not, and both wait while the size changes', () => {
  const terminal = new PassThrough().setEncoding('utf8');
  const output = new InkOutput(terminal as unknown as WriteStream, () => undefined);
  output.expect({ lines: ['› ask', '\x1b[2m  asks first\x1b[22m'] });
  output.write('● done\n');
  output.hold();
  output.write('\x1b[?25l\x1b[2B\x1b[1G\x1b[2K› ask\n\x1b[2m  asks first\x1b[22m\n\x1b[2A\x1b[3G\x1b[?25h');
  output.write('● more\n');
  assert.equal(terminal.read(), '● done\n');
  output.release('repainted ');
  assert.equal(
    terminal.read(),
    'repainted \x1b[?7l\x1b[?25l\n\n\x1b[1G\x1b[2K› ask\n\x1b[2m  asks first\x1b[22m\n\x1b[2A\x1b[3G\x1b[?25h\x1b[?7h● more\n',
  );
});
