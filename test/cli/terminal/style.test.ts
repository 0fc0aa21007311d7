import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStyle, wantsColor } from '../../../src/cli/terminal/style.ts';

test('without colour every style leaves the text as it is', () => {
  const { enabled, mark: _, ...paints } = createStyle(false);
  assert.equal(enabled, false);
  assert.deepEqual(
    Object.values(paints).map((paint) => paint('x')),
    Object.keys(paints).map(() => 'x'),
  );
});

test('with colour every style opens and closes a code of the sixteen colours', () => {
  const { enabled, mark: _, ...paints } = createStyle(true);
  assert.equal(enabled, true);
  for (const [name, paint] of Object.entries(paints)) {
    assert.match(paint('x'), /^(?:\x1b\[(?:[1-4]|7|3[1-6]|90)m)+x(?:\x1b\[(?:2[2-7]|39)m)+$/, name);
    assert.equal(paint(''), '', name);
  }
});

test('a colour inside another gives way to it again', () => {
  const { red, green } = createStyle(true);
  assert.equal(red(`a${green('b')}c`), '\x1b[31ma\x1b[32mb\x1b[39m\x1b[31mc\x1b[39m');
});

test('colour is for terminals, unless the user says otherwise', () => {
  const tty = { isTTY: true };
  const pipe = {};
  const answers = {
    terminal: wantsColor(tty, {}),
    pipe: wantsColor(pipe, {}),
    noColor: wantsColor(tty, { NO_COLOR: '1' }),
    emptyNoColor: wantsColor(tty, { NO_COLOR: '' }),
    forced: wantsColor(pipe, { FORCE_COLOR: '1' }),
    forcedOff: wantsColor(tty, { FORCE_COLOR: '0' }),
    noColorOverForce: wantsColor(tty, { NO_COLOR: '1', FORCE_COLOR: '1' }),
    dumb: wantsColor(tty, { TERM: 'dumb' }),
    flagOff: wantsColor(tty, { FORCE_COLOR: '1' }, false),
    flagOn: wantsColor(pipe, { NO_COLOR: '1' }, true),
  };
  assert.deepEqual(answers, {
    terminal: true,
    pipe: false,
    noColor: false,
    emptyNoColor: true,
    forced: true,
    forcedOff: false,
    noColorOverForce: false,
    dumb: false,
    flagOff: false,
    flagOn: true,
  });
});
