// The safe writer profile: one chain, a block a line, and what a resume sends stays what it was.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isArray, isObject, type JsonObject } from '../../../src/base/json/json.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { makePortable } from '../../../src/surgery/engine/portable.ts';
import { planFork } from '../../../src/surgery/operations/fork.ts';
import { benchWith } from '../../support/surgery-kit.ts';
import { tinyImage } from '../../support/tiny-images.ts';
import { sessionId, toolResult, toolUse, transcript } from '../../support/transcript-builder.ts';

test('parallel results, side branches and notes become one chain', () => {
  const session = transcript()
    .user('go')
    .call('toolu_1', { message: { id: 'm' } })
    .call('toolu_2', { message: { id: 'm' } })
    .after(0)
    .result('toolu_2')
    .from('a1')
    .after(-3000)
    .result('toolu_1')
    .attachment('date', ['<system-reminder>today</system-reminder>'])
    .assistant('done')
    .session();
  const portable = makePortable(session);
  assert.ok('lines' in portable);
  const lines = [...portable.lines()];
  const chain = lines.map(({ entry }) => entry).filter(({ uuid }) => uuid !== undefined);
  assert.deepEqual(
    chain.map(({ type, message }) => [type, blockOf(message)]),
    [
      ['user', 'go'],
      ['assistant', 'toolu_1'],
      ['assistant', 'toolu_2'],
      ['user', 'toolu_2'],
      ['user', 'toolu_1'],
      ['assistant', 'done'],
    ],
  );
  for (const [i, entry] of chain.entries()) assert.equal(entry.parentUuid, chain[i - 1]?.uuid ?? null);
  const times = chain.map(({ timestamp }) => Date.parse(String(timestamp)));
  assert.deepEqual(
    times,
    [...new Set(times)].sort((a, b) => a - b),
  );
  assert.deepEqual(lines.at(-1)?.entry, {
    type: 'last-prompt',
    leafUuid: chain.at(-1)?.uuid,
    sessionId: session.id,
  });
  assert.deepEqual(
    portable.dropped().map(({ reason }) => reason),
    ['context that the client collects again'],
  );
});

const image = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: tinyImage('png', 4, 4).toString('base64') },
};
const fileNote = (filename: string, content: JsonObject): JsonObject => ({ type: 'file', filename, content });

/** Attachments with text, and what resuming the portable session must send. */
const spoken: readonly [name: string, note: JsonObject, rendered: string | undefined, says: readonly unknown[]][] = [
  [
    'a prompt typed while the agent worked',
    { type: 'queued_command', prompt: 'and the tests', commandMode: 'prompt' },
    undefined,
    ['The user sent a new message while you were working:\nand the tests'],
  ],
  [
    'such a prompt with an image',
    { type: 'queued_command', prompt: [{ type: 'text', text: 'this one' }, image], commandMode: 'prompt' },
    undefined,
    ['The user sent a new message while you were working:\nthis one', image],
  ],
  [
    'such a prompt in the words of the client',
    { type: 'queued_command', prompt: 'and the tests' },
    '<system-reminder>\nThe user sent: and the tests\n</system-reminder>',
    ['The user sent: and the tests'],
  ],
  [
    'the contents of a file',
    fileNote('/w/a.txt', { type: 'text', file: { content: 'first line' } }),
    undefined,
    ['Contents of /w/a.txt:\nfirst line'],
  ],
  [
    'an image file',
    fileNote('/w/a.png', { type: 'image', file: { base64: image.source.data, type: 'image/png' } }),
    undefined,
    [{ type: 'image', source: { type: 'base64', data: image.source.data, media_type: 'image/png' } }],
  ],
  [
    'the contents of a directory',
    { type: 'directory', path: '/w/src', content: 'a.js b.js' },
    undefined,
    ['Contents of the directory /w/src:\na.js b.js'],
  ],
  [
    'what a hook said',
    { type: 'hook_additional_context', hookName: 'PostToolUse:Read', content: ['use tabs'] },
    undefined,
    ['PostToolUse:Read says:\nuse tabs'],
  ],
  ['a list that the client makes again', { type: 'skill_listing', content: 'a skill' }, 'Skills: a', []],
];

for (const [name, attachment, rendered, says] of spoken)
  for (const place of ['after a prompt', 'after a result'])
    test(`the portable form keeps ${name}, ${place}`, async (context) => {
      const builder = transcript({ version: '2.1.325' }).user('look');
      if (place === 'after a result') builder.call('toolu_1').result('toolu_1');
      const texts = rendered === undefined ? {} : { rendered: [{ content: rendered, isMeta: true }] };
      builder.attachment(String(attachment.type), undefined, { attachment, ...texts }).assistant('done');
      const bench = benchWith(context, sessionId, builder.text());
      const source = await loadSource(bench.main);
      const { to, dropped } = await operate(planFork(source), [source], { env: bench.env, isPortable: true });
      const request = requestMessages(await loadSession(to.path));
      assert.ok('messages' in request);
      const said = request.messages
        .filter(({ role }) => role === 'user')
        .flatMap(({ content }) => content)
        .filter((block) => block.type !== 'tool_result' && block.text !== 'look' && block.text !== 'look\n')
        .map((block) => block.text ?? block);
      assert.deepEqual(said, says);
      const reasons = dropped.map(({ reason }) => reason);
      assert.equal(reasons.includes('context that the client collects again'), says.length === 0);
    });

test('an end without an answer is closed, and lines that are sent together become one', () => {
  const session = transcript()
    .user('one')
    .assistant('two')
    .user('[Request interrupted by user]')
    .user('three')
    .session();
  const portable = makePortable(session);
  assert.ok('lines' in portable);
  assert.deepEqual(
    [...portable.lines()].filter(({ entry }) => entry.uuid !== undefined).map(({ entry }) => contentOf(entry)),
    [
      'one',
      [{ type: 'text', text: 'two' }],
      [
        { type: 'text', text: '[Request interrupted by user]\n' },
        { type: 'text', text: 'three' },
      ],
      [{ type: 'text', text: 'No response requested.' }],
    ],
  );
});

test('a session that a resume would refuse cannot be made portable', async (context) => {
  const bench = benchWith(context, sessionId, transcript().assistant('x', { timestamp: undefined }).text());
  const source = await loadSource(bench.main);
  await assert.rejects(
    operate(planFork(source), [source], { env: bench.env, isPortable: true }),
    /cannot be made portable: No conversation found/,
  );
});

test('a session longer than what a reader keeps in memory is compared before its file is replaced', async (context) => {
  const builder = transcript();
  for (let i = 0; i < 300; i++) builder.user(`question ${i} ${'x'.repeat(8000)}`).assistant(`answer ${i}`);
  const bench = benchWith(context, sessionId, builder.text());
  const source = await loadSource(bench.main);
  const { to } = await operate(planFork(source), [source], { env: bench.env, isPortable: true });
  assert.deepEqual(requestMessages(await loadSession(to.path)), requestMessages(source.session));
});

test('a reminder in a stored result is part of it and stays', async (context) => {
  const content =
    'first\n\n<system-reminder>\nof the file\n</system-reminder>\nlast\n\n<system-reminder>\nx\n</system-reminder>';
  const text = transcript()
    .user('read it')
    .assistant([toolUse('t1')])
    .user([{ ...toolResult('t1'), content }])
    .assistant('done');
  const bench = benchWith(context, sessionId, text.text());
  const source = await loadSource(bench.main);
  const { to } = await operate(planFork(source), [source], { env: bench.env, isPortable: true });
  assert.deepEqual(requestMessages(await loadSession(to.path)), requestMessages(source.session));
});

function contentOf(entry: JsonObject): unknown {
  return isObject(entry.message) ? entry.message.content : undefined;
}

function blockOf(message: unknown): unknown {
  const content = isObject(message) ? message.content : undefined;
  const [block] = isArray(content) ? content : [content];
  return isObject(block) ? (block.text ?? block.id ?? block.tool_use_id) : block;
}
