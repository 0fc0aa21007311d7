// Questions that appear while the user types, in sequence, or too late.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Asker } from '../../../src/cli/console/asker.ts';
import { makeDialog } from '../../../src/cli/console/dialog/dialog.ts';
import { setText } from '../../../src/cli/console/input/editor.ts';
import { ConsoleStore, initialConsole } from '../../../src/cli/console/screen/console-state.ts';

interface Kit {
  readonly store: ConsoleStore;
  readonly asker: Asker;
  press(text: string, afterMs?: number): void;
}

function kit(typed = ''): Kit {
  let nowMs = 0;
  const store = new ConsoleStore({ ...initialConsole, editor: setText(initialConsole.editor, typed) });
  const asker = new Asker(store, () => nowMs);
  const press = (text: string, afterMs = 10): void => {
    nowMs += afterMs;
    const { dialog } = store.get();
    assert.ok(dialog !== undefined, 'a dialog is open');
    asker.press(dialog, { name: 'text', text });
  };
  return { store, asker, press };
}

const dialog = makeDialog({ title: 'Sure?', choices: [{ label: 'Yes' }, { label: 'No' }] });
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a question that appears while the user types takes no answer before a pause', async () => {
  const { asker, press } = kit('half a wo');
  const asked = asker.ask(dialog);
  await tick();
  for (const letter of ['r', '1', '1']) press(letter, 300);
  press('2', 800);
  assert.deepEqual(await asked, { kind: 'chosen', indexes: [1], text: '' });
});

test('a question at an empty prompt takes an answer at once', async () => {
  const { asker, press } = kit();
  const asked = asker.ask(dialog);
  await tick();
  press('1');
  assert.deepEqual(await asked, { kind: 'chosen', indexes: [0], text: '' });
});

test('the page keys scroll a long body of a question, and the choice stays', async () => {
  const { asker, store, press } = kit();
  const body = Array.from({ length: 60 }, (_, i) => `line ${i}`);
  const asked = asker.ask(
    makeDialog({ title: 'Sure?', body: () => body, choices: [{ label: 'Yes' }, { label: 'No' }] }),
  );
  await tick();
  const turned: (number | undefined)[] = [];
  for (const name of ['page-down', 'page-down', 'page-down', 'page-down', 'page-up'] as const) {
    const open = store.get().dialog;
    if (open !== undefined) asker.press(open, { name, text: '' });
    turned.push(store.get().dialog?.bodyAt);
  }
  assert.deepEqual([turned, store.get().dialog?.selected], [[17, 34, 43, 43, 26], 0]);
  press('2');
  assert.deepEqual(await asked, { kind: 'chosen', indexes: [1], text: '' });
});

test('questions are queued, and one that is no longer needed answers itself', async () => {
  const { asker, press, store } = kit();
  const gone = new AbortController();
  const first = asker.ask(dialog);
  const second = asker.ask({ ...dialog, title: 'Second' }, gone.signal);
  const third = asker.ask({ ...dialog, title: 'Third' });
  await tick();
  assert.equal(store.get().dialog?.title, 'Sure?');
  press('1');
  await tick();
  assert.equal(store.get().dialog?.title, 'Second');
  gone.abort();
  await tick();
  assert.equal(store.get().dialog?.title, 'Third');
  asker.close();
  const late = asker.ask(dialog);
  assert.deepEqual(
    (await Promise.all([first, second, third, late])).map((answer) => answer.kind),
    ['chosen', 'cancelled', 'cancelled', 'cancelled'],
  );
});

test('consent is given once, always, not now or never; Esc declines', async () => {
  const question = { kind: 'consent', title: 'Start it?', details: ['It runs: x'], canKeep: true } as const;
  const { asker, press } = kit();
  const never = async () => assert.fail('no mode is set');
  const answers: unknown[] = [];
  for (const key of ['1', '2', '3', '4']) {
    const asked = asker.askUser(question, new AbortController().signal, never);
    await tick();
    press(key);
    answers.push(await asked);
  }
  const plain = asker.askUser({ ...question, canKeep: false }, new AbortController().signal, never);
  await tick();
  press('2');
  answers.push(await plain, await asker.askUser(question, AbortSignal.abort(), never));
  const said = (isGiven: boolean, isKept: boolean) => ({ kind: 'consent', isGiven, isKept });
  assert.deepEqual(answers, [
    said(true, false),
    said(true, true),
    said(false, false),
    said(false, true),
    said(false, false),
    said(false, false),
  ]);
});
