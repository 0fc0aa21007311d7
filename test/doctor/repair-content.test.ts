// What a repair does inside messages: calls get their results, and what the API rejects is dropped or replaced.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../src/base/json/json.ts';
import { entriesOf } from '../support/surgery-kit.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { tinyImage } from '../support/tiny-images.ts';
import {
  type TranscriptBuilder,
  text,
  thinking,
  toolResult,
  toolUse,
  transcript,
} from '../support/transcript-builder.ts';
import { assertSound, repairBytes, sentBy } from './doctor-kit.ts';

const gap = { parentUuid: 'never-written' };

test('thinking whose signature is cut off is dropped, and the answer stays', async (context) => {
  const cut = 'ErUBCkYIBxgCIkAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkw';
  const { content } = await repaired(
    context,
    transcript()
      .user('go')
      .assistant([thinking('hm', cut), text('yes')]),
  );
  assert.deepEqual(content, ['go', [text('yes')]]);
});

test('a result line that lacks one of the results gets it before its text', async (context) => {
  const { sent, content } = await repaired(
    context,
    transcript()
      .user('go')
      .assistant([toolUse('t1'), toolUse('t2')])
      .user([toolResult('t1'), text('hurry')])
      .assistant('done'),
  );
  assert.deepEqual(sent, [
    { user: ['go'] },
    { assistant: ['call t1', 'call t2'] },
    { user: ['t1 → out t1', 't2 → (interrupted)', 'hurry'] },
    { assistant: ['done'] },
  ]);
  assert.deepEqual(
    content.map((blocks) => (Array.isArray(blocks) ? blocks.map(({ type }) => type) : 'text')),
    ['text', ['tool_use', 'tool_use'], ['tool_result', 'tool_result', 'text'], ['text']],
  );
});

test('a call without an id gets one, and a result that says it was interrupted', async (context) => {
  const { id: _, ...call } = toolUse('t1');
  const { content } = await repaired(
    context,
    transcript()
      .user('go')
      .assistant([call])
      .user([{ type: 'tool_result', content: 'out' }])
      .assistant('done'),
  );
  const [made] = content[1] as readonly JsonObject[];
  assert.match(String(made?.id), /^toolu_[0-9a-f]{24}$/);
  assert.deepEqual({ ...made, id: 't1' }, toolUse('t1'));
  const [result] = content[2] as readonly JsonObject[];
  assert.equal(result?.tool_use_id, made?.id);
  assert.match(String(result?.content), /^\[Tool call interrupted: /);
});

test('an image in a result is replaced by text if it is too large', async (context) => {
  const data = tinyImage('png', 9000, 10).toString('base64');
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
  const { content } = await repaired(
    context,
    transcript()
      .user('go')
      .assistant([toolUse('t1')])
      .user([toolResult('t1', [text('seen'), image])])
      .assistant('done'),
  );
  const placeholder =
    '[image taken out: image/png, 9000 × 10 pixels; the original session 11111111-1111-4111-a111-111111111111 has it]';
  assert.deepEqual(content[2], [toolResult('t1', [text('seen'), text(placeholder)])]);
});

test('a conversation that begins with an answer gets a first prompt', async (context) => {
  const { content } = await repaired(context, transcript().assistant('first').user('go').assistant('on'));
  assert.deepEqual(content, [
    '[The beginning of this conversation is not in the file.]',
    [text('first')],
    'go',
    [text('on')],
  ]);
});

test('a lost parent on a branch that nobody resumes is replaced by the line before it', async (context) => {
  const { entries } = await repaired(
    context,
    transcript().user('a').assistant('b').user('c', gap).from('a1').after(20_000).user('d').assistant('e'),
  );
  assert.deepEqual(
    entries.flatMap(({ uuid, parentUuid }) => (uuid === undefined ? [] : [[uuid, parentUuid]])),
    [
      ['u1', null],
      ['a1', 'u1'],
      ['u2', 'a1'],
      ['u3', 'a1'],
      ['a2', 'u3'],
    ],
  );
});

test('the result of a call is taken from another branch', async (context) => {
  const { sent, entries } = await repaired(
    context,
    transcript()
      .user('go')
      .assistant([toolUse('t1')])
      .from(null)
      .user('aside')
      .user([toolResult('t1')], { uuid: 'r1' })
      .from('a1')
      .user('next')
      .assistant([text(''), text('done')]),
  );
  assert.deepEqual(sent, [
    { user: ['go'] },
    { assistant: ['call t1'] },
    { user: ['t1 → out t1', 'next'] },
    { assistant: ['done'] },
  ]);
  assert.equal(entries.find(({ uuid }) => uuid === 'r1')?.parentUuid, 'a1');
});

interface RepairedSession {
  readonly entries: readonly JsonObject[];
  /** Of each message line. */
  readonly content: readonly unknown[];
  readonly sent: Awaited<ReturnType<typeof sentBy>>;
}

async function repaired(context: TestContext, built: TranscriptBuilder): Promise<RepairedSession> {
  const bytes = Buffer.from(built.text());
  const outcome = await repairBytes(temporaryFolder(context), bytes);
  await assertSound(outcome, bytes, 'the repaired session');
  const entries = entriesOf(outcome.to.path);
  assert.ok(readFileSync(outcome.to.path, 'utf8').endsWith('\n'));
  const said = entries.filter(({ type }) => type === 'user' || type === 'assistant');
  return {
    entries,
    content: said.map(({ message }) => (message as JsonObject | undefined)?.content),
    sent: await sentBy(outcome.to.path),
  };
}
