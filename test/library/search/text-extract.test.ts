import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { textsOfLine } from '../../../src/library/text/text-extract.ts';
import { assistant, toolResult, toolUse, user } from '../../support/session-text.ts';

function textsOf(line: JsonObject | string): string[] {
  const bytes = Buffer.from(typeof line === 'string' ? line : JSON.stringify(line));
  return textsOfLine(bytes).map(
    ({ kind, part, text, tool }) => `${kind} ${part}${tool === undefined ? '' : ` ${tool}`}: ${text}`,
  );
}

test('text that the user typed is a prompt, the reminders next to it are a note', () => {
  const blocks = [
    { type: 'text', text: 'light the lamp' },
    { type: 'text', text: '<system-reminder>be brief</system-reminder>' },
  ];
  assert.deepEqual(textsOf(user(blocks)), [
    'prompt 0: light the lamp',
    'note 0: <system-reminder>be brief</system-reminder>',
  ]);
});

test('user lines that nobody typed are notes', () => {
  assert.deepEqual(textsOf(user('injected', { isMeta: true })), ['note 0: injected']);
  assert.deepEqual(textsOf(user('the story so far', { isCompactSummary: true })), ['note 0: the story so far']);
  assert.deepEqual(textsOf(user('<bash-stdout>ok</bash-stdout>')), ['note 0: <bash-stdout>ok</bash-stdout>']);
  assert.deepEqual(textsOf(user('find it', { isSidechain: true })), ['note 0: find it']);
});

test('an answer, its thinking and its calls are documents of their own', () => {
  const line = assistant([
    { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
    { type: 'text', text: 'I look.' },
    { type: 'text', text: 'Twice.' },
    toolUse('t1', 'Bash', { command: 'ls', description: 'list', timeout: 5 }),
    toolUse('t2', 'Edit', { file_path: '/a', edits: [{ old_string: 'x', new_string: 'y' }] }),
  ]);
  assert.deepEqual(textsOf(line), [
    'thinking 0: hm',
    'answer 0: I look.\nTwice.',
    'tool-input 0 Bash: ls\nlist',
    'tool-input 1 Edit: /a\nx\ny',
  ]);
});

test('tool output is taken from the message, never from its twin, and pictures are left out', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } };
  const line = user([toolResult('t1', 'plain'), toolResult('t2', [{ type: 'text', text: 'in a block' }, image])], {
    toolUseResult: { stdout: 'the twin' },
  });
  assert.deepEqual(textsOf(line), ['tool-output 0: plain', 'tool-output 1: in a block']);
});

test('encoded bytes in tool input and output are left out, long texts are not', () => {
  const base64 = Buffer.alloc(3000, 'lamp').toString('base64');
  const prose = 'a word '.repeat(500);
  assert.deepEqual(
    textsOf(
      user([
        toolResult('t1', [
          { type: 'text', text: 'x' },
          { type: 'text', text: base64 },
        ]),
      ]),
    ),
    ['tool-output 0: x'],
  );
  assert.deepEqual(textsOf(assistant([toolUse('t1', 'Write', { content: base64, file: prose })])), [
    `tool-input 0 Write: ${prose}`,
  ]);
});

test('titles, system notes, queued prompts and attachments are found', () => {
  assert.deepEqual(textsOf({ type: 'custom-title', customTitle: 'Lamp' }), ['title 0: Lamp']);
  assert.deepEqual(textsOf({ type: 'ai-title', aiTitle: 'Lamp' }), ['title 0: Lamp']);
  assert.deepEqual(textsOf({ type: 'summary', summary: 'Lamp', leafUuid: 'x' }), ['title 0: Lamp']);
  assert.deepEqual(textsOf({ type: 'system', subtype: 'informational', content: 'note' }), ['note 0: note']);
  assert.deepEqual(textsOf({ type: 'queue-operation', operation: 'enqueue', content: 'wait' }), ['prompt 0: wait']);
  assert.deepEqual(textsOf({ type: 'queue-operation', operation: 'remove', content: 'wait' }), []);
  const queued = { type: 'queued_command', prompt: [{ type: 'text', text: 'also' }] };
  assert.deepEqual(textsOf({ type: 'attachment', attachment: queued }), ['prompt 0: also']);
  const file = { type: 'file', filename: '/a', content: { type: 'text', file: { content: 'inside' } } };
  assert.deepEqual(textsOf({ type: 'attachment', attachment: file }), ['attachment 0: file\n/a\ninside']);
  assert.deepEqual(textsOf({ type: 'attachment', attachment: { type: 'skill_listing', content: 'x' } }), []);
});

test('records on a damaged line are found, and damage is not an error', () => {
  const one = JSON.stringify(user('first', { uuid: '1', sessionId: 's' }));
  const two = JSON.stringify(user('second', { uuid: '2', sessionId: 's' }));
  assert.deepEqual(textsOf(`${one}${two}`), ['prompt 0: first', 'prompt 1: second']);
  assert.deepEqual(textsOf('{"type":"user","mess'), []);
  assert.deepEqual(textsOf('not json'), []);
  assert.deepEqual(textsOf({ type: 'user', message: { role: 'user', content: [5, null] } }), []);
});

test('text nested deeper than the stack is read', () => {
  const deep = `${'['.repeat(20_000)}"bottom"${']'.repeat(20_000)}`;
  const line = `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Deep","input":{"x":${deep}}}]}}`;
  assert.deepEqual(textsOf(line), ['tool-input 0 Deep: bottom']);
});
