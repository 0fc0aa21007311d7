// Messages whose texts come back from their lines are the messages that a resume sends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { loadTranscript, type Node, type Transcript } from '../../../src/session/transcript/index.ts';
import { sentMessages } from '../../../src/surgery/request/sent-messages.ts';
import { tinyImage } from '../../support/tiny-images.ts';
import { toolResult, toolUse, transcript } from '../../support/transcript-builder.ts';
import { recordedFiles } from '../../support/transcripts.ts';

const long = (name: string): string => `${name} begins\n${`${name} "quoted" \\ é灯😀\n`.repeat(200)}${name} ends`;

function longSession(): Transcript {
  const image = Buffer.concat([tinyImage('png', 10, 10), Buffer.alloc(50_000, 7)]).toString('base64');
  return transcript()
    .user([
      { type: 'text', text: long('prompt') },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } },
    ])
    .assistant([{ type: 'thinking', thinking: long('thought'), signature: 'sig' }])
    .assistant([{ ...toolUse('t1'), input: { big: long('input'), more: { deep: [long('deep')] } } }])
    .user([toolResult('t1', long('result'))], { toolUseResult: { stdout: long('stored') } })
    .assistant(long('answer'))
    .user(long('next'))
    .user(long('and next'))
    .assistant(`${long('last')}   \n`)
    .transcript();
}

test('every message is complete', () => {
  for (const host of ['anthropic', 'gateway'] as const) {
    const source = longSession();
    const sent = sentMessages({ transcript: source }, { host });
    const full = requestMessages({ transcript: source }, undefined, { host });
    assert.ok('lean' in sent && 'messages' in full);
    const complete = sent.lean.map((message) => sent.complete(message));
    assert.deepEqual(
      complete.map(({ role, content }) => ({ role, content })),
      full.messages,
    );
    assert.ok(JSON.stringify(full.messages).includes('灯'));
    assert.ok(!JSON.stringify(sent.lean).includes(long('result').slice(100, 300)), 'a lean message is short');
  }
});

test('the messages of recorded sessions are complete', () => {
  let compared = 0;
  for (const file of recordedFiles()) {
    const source = loadTranscript(file, { strict: true });
    const sent = sentMessages({ transcript: source }, { host: 'anthropic' });
    const full = requestMessages({ transcript: source }, undefined, { host: 'anthropic' });
    assert.equal('refused' in sent, 'refused' in full);
    if ('refused' in sent || 'refused' in full) continue;
    compared += sent.lean.length;
    assert.deepEqual(
      sent.lean.map((message) => sent.complete(message)).map(({ role, content }) => ({ role, content })),
      full.messages,
    );
  }
  assert.ok(compared > 100, `${compared} messages`);
});

test('a message reads its own lines only', () => {
  const source = longSession();
  const read: Node[] = [];
  const counting = {
    nodes: source.nodes,
    read: (node: Node, needed?: 'sent' | 'toolUseResult') => {
      assert.equal(needed, 'sent', 'a stored result is never needed');
      read.push(node);
      return source.read(node, needed);
    },
  };
  const sent = sentMessages({ transcript: counting }, { host: 'anthropic' });
  assert.ok('lean' in sent);
  for (const message of sent.lean) {
    read.length = 0;
    sent.complete(message);
    assert.deepEqual(read, message.lines);
  }
});

test('a text that is in none of the lines of its message is found in the session', () => {
  const source = longSession();
  const sent = sentMessages({ transcript: source }, { host: 'anthropic' });
  assert.ok('lean' in sent);
  const [first] = sent.lean;
  assert.ok(first !== undefined);
  assert.deepEqual(sent.complete({ ...first, lines: [] }).content, sent.complete(first).content);
});
