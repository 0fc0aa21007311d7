// What each key does to the state.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { initialState, type PickerState, press } from '../../../src/cli/picker/state.ts';
import { scrollTo } from '../../../src/cli/render/lines.ts';
import { KeyReader } from '../../../src/cli/terminal/keys.ts';

interface Outcome {
  readonly state: PickerState;
  readonly actions: readonly string[];
}

/** The result of these keys; every query matches 30 sessions. */
function after(...sent: readonly string[]): Outcome {
  let state = initialState;
  const actions: string[] = [];
  for (const key of sent.flatMap((text) => {
    const reader = new KeyReader();
    return [...reader.push(text), ...reader.settle()];
  })) {
    const pressed = press(state, key, { count: () => 30, pageRows: 10 });
    state = pressed.state;
    if (pressed.action !== undefined) actions.push(pressed.action);
  }
  return { state, actions };
}

const [up, down, pageDown, end, home, tab, esc] = ['\x1b[A', '\x1b[B', '\x1b[6~', '\x1b[F', '\x1b[H', '\t', '\x1b'];

test('letters filter, also r and q, and reset the selection', () => {
  assert.deepEqual(after(down, 'r', 'q', ' x', '\x7f'), {
    state: { ...initialState, query: 'rq ' },
    actions: [],
  });
  assert.equal(after('two words', '\x17').state.query, 'two ');
  assert.equal(after('two words', '\x15').state.query, '');
  assert.equal(after('人🎉', '\x7f').state.query, '人');
});

test('the selection moves by rows and pages and stays in the list', () => {
  const place = (...sent: string[]) => after(...sent).state.selected;
  assert.deepEqual(
    [place(up), place(down, down), place(pageDown), place(end), place(end, down), place(end, home), place('\x0e')],
    [0, 2, 10, 29, 29, 0, 1],
  );
  assert.equal(place(pageDown, pageDown, pageDown, pageDown), 29);
});

test('Enter shows, Ctrl-R resumes and Ctrl-F forks, wherever the focus is', () => {
  for (const before of [[], ['abc'], [tab]]) {
    assert.deepEqual(after(...before, '\r').actions, ['show']);
    assert.deepEqual(after(...before, '\x12').actions, ['resume']);
    assert.deepEqual(after(...before, '\x06').actions, ['fork']);
  }
});

test('after Tab letters are commands', () => {
  assert.deepEqual(after('x', tab, 'r').actions, ['resume']);
  assert.deepEqual(after('x', tab, 'f').actions, ['fork']);
  assert.deepEqual(after(tab, 'q').actions, ['quit']);
  assert.equal(after(tab, 'jjk').state.selected, 0);
  assert.equal(after(tab, 'j', 'j', 'k').state.selected, 1);
  assert.equal(after(tab, 'G').state.selected, 29);
  assert.equal(after(tab, 'x').state.query, '');
  assert.equal(after(tab, '/', 'r').state.query, 'r');
  assert.equal(after(tab, tab, 'r').state.query, 'r');
});

test('Esc clears the filter, then quits; Ctrl-C quits at once', () => {
  assert.deepEqual(after('abc', esc), { state: initialState, actions: [] });
  assert.deepEqual(after('abc', esc, esc).actions, ['quit']);
  assert.deepEqual(after('abc', '\x03').actions, ['quit']);
  assert.deepEqual(after('\x1a').actions, ['suspend']);
});

test('? opens the help while nothing is typed, and any key closes it', () => {
  assert.equal(after('?').state.isHelp, true);
  assert.equal(after(tab, '?').state.isHelp, true);
  assert.deepEqual(after('?', '\r'), { state: initialState, actions: [] });
  assert.equal(after('a', '?').state.query, 'a?');
});

test('the selected row is always visible, and the list scrolls no further than needed', () => {
  const numbers = fc.record({
    top: fc.nat(200),
    rows: fc.integer({ min: 1, max: 40 }),
    count: fc.integer({ min: 1, max: 100 }),
    place: fc.double({ min: 0, max: 0.999, noNaN: true }),
  });
  fc.assert(
    fc.property(numbers, ({ top, rows, count, place }) => {
      const selected = Math.floor(place * count);
      const next = scrollTo(top, selected, rows, count);
      assert.ok(next <= selected && selected < next + rows && next >= 0);
      if (top <= selected && selected < top + rows && top <= Math.max(0, count - rows)) assert.equal(next, top);
    }),
  );
});
