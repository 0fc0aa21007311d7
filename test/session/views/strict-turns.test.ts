// Seed 002's grouping: its example (§5) and its edge cases (§9).
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { strictTurns } from '../../../src/session/views/views.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { text, toolResult, toolUse } from '../../support/transcript-builder.ts';

/** Each turn by the line numbers of its parts. */
async function turnsOf(context: TestContext, ...lines: readonly (JsonObject | string)[]): Promise<unknown> {
  const file = path.join(temporaryFolder(context), 'x.jsonl');
  writeFileSync(file, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  const { transcript } = await loadSession(file);
  const { turns, consumed } = strictTurns(
    transcript.nodes.filter(({ type }) => type === 'user' || type === 'assistant'),
  );
  return {
    turns: turns.map(({ user, assistants, toolResults }) => [
      user.line,
      assistants.map((parts) => parts.map((part) => part.line)),
      toolResults.map((result) => result.line),
    ]),
    consumed,
  };
}

const user = (content: string | readonly JsonObject[], fields: JsonObject = {}): JsonObject => ({
  type: 'user',
  content,
  ...fields,
});
const assistant = (
  id: string | undefined,
  content: readonly JsonObject[] = [text('x')],
  fields: JsonObject = {},
): JsonObject => ({
  message: { id, role: 'assistant', content },
  ...fields,
});

test('the example of the seed is one turn of four lines', async (context) => {
  const lines = [
    user('read a file', { sessionId: 'sess1' }),
    assistant('m1', [toolUse('t1', 'Read', { path: '/' })]),
    user([toolResult('t1', 'file data')]),
    assistant('m2', [text('done')]),
  ];
  assert.deepEqual(await turnsOf(context, ...lines), { turns: [[1, [[2], [4]], [3]]], consumed: 4 });
});

test('the form of the client, with content in the message, gives the same', async (context) => {
  const inMessage = (content: string | readonly JsonObject[]): JsonObject => ({
    type: 'user',
    message: { role: 'user', content },
  });
  const lines = [
    inMessage('q'),
    { type: 'assistant', ...assistant('m1') },
    inMessage([toolResult('t1')]),
    assistant('m2'),
  ];
  assert.deepEqual(await turnsOf(context, ...lines), { turns: [[1, [[2], [4]], [3]]], consumed: 4 });
});

test('lines of one message are one, also with results between them', async (context) => {
  const lines = [
    user('q'),
    assistant('m1'),
    assistant('m1'),
    user([toolResult('t1')]),
    assistant('m1'),
    assistant('m2'),
  ];
  assert.deepEqual(await turnsOf(context, ...lines), { turns: [[1, [[2, 3, 5], [6]], [4]]], consumed: 6 });
});

test('a line without a message id is added to the message before it', async (context) => {
  const lines = [
    user('q'),
    assistant(undefined),
    assistant(undefined),
    assistant('m1'),
    assistant(undefined),
    assistant('m1'),
  ];
  assert.deepEqual(await turnsOf(context, ...lines), {
    turns: [
      [
        1,
        [
          [2, 3],
          [4, 5, 6],
        ],
        [],
      ],
    ],
    consumed: 6,
  });
});

test('a prompt without an answer is not a turn and is not consumed', async (context) => {
  assert.deepEqual(await turnsOf(context, user('q')), { turns: [], consumed: 0 });
  assert.deepEqual(await turnsOf(context, user('q'), assistant('m1'), user('r')), {
    turns: [[1, [[2]], []]],
    consumed: 2,
  });
  assert.deepEqual(await turnsOf(context, user('q'), user('r'), assistant('m1')), {
    turns: [[2, [[3]], []]],
    consumed: 3,
  });
});

test('meta lines are passed over, wherever they are', async (context) => {
  const meta = { isMeta: true };
  const lines = [
    user('m', meta),
    user('q'),
    user('m', meta),
    assistant('m1'),
    assistant('m0', [], meta),
    assistant('m1'),
  ];
  assert.deepEqual(await turnsOf(context, ...lines), { turns: [[2, [[4, 6]], []]], consumed: 6 });
});

test('lines that are not JSON are passed over, and the numbers of the others stay', async (context) => {
  const lines = [user('q'), 'no JSON', assistant('m1'), '', user('r'), assistant('m2')];
  assert.deepEqual(await turnsOf(context, ...lines), {
    turns: [
      [1, [[3]], []],
      [5, [[6]], []],
    ],
    consumed: 4,
  });
});

test('answers and results before the first prompt belong to no turn', async (context) => {
  assert.deepEqual(await turnsOf(context, assistant('m0'), user([toolResult('t0')]), user('q'), assistant('m1')), {
    turns: [[3, [[4]], []]],
    consumed: 4,
  });
});
