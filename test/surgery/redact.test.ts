// Secrets of every kind in every place of a session: all found, none left in any form, everything else byte for byte.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { asObject, isArray, parseJson } from '../../src/base/json.ts';
import { requestMessages } from '../../src/session/resume/request.ts';
import { loadSession } from '../../src/session/session.ts';
import { operate } from '../../src/surgery/operate.ts';
import { operationsFolder, readRecords } from '../../src/surgery/operation-log.ts';
import { planRedact, type RedactOptions } from '../../src/surgery/redact.ts';
import { loadSource } from '../../src/surgery/source.ts';
import { undoOperation } from '../../src/surgery/undo.ts';
import { skipWithoutShared } from '../support/paths.ts';
import { plantedBench, plantedFiles, plantSecrets } from '../support/planted-session.ts';
import { type Bench, benchOf, benchWith, contentsOf, realSessions } from '../support/surgery-kit.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';
import { fakeSecrets } from './secrets/fake-secrets.ts';

const fakes = fakeSecrets(11);
const token = `gh${'p_'}${'a1B2c3D4e5F6'.repeat(3)}`;
const password = ['k9', '!Zq', '/r"7', 'Lm2'].join('');

test('every kind of secret is found in every place of a session, and none is left in the new one', async (context) => {
  assert.ok(new Set(fakes.map(({ kind }) => kind)).size >= 40);
  const bench = plantedBench(
    context,
    fakes.map(({ text }) => text),
  );
  const before = contentsOf(bench.root);
  const { outcome, secrets } = await redact(bench);
  assert.ok(outcome.isWritten && outcome.proof.untouchedIdentical);
  const after = contentsOf(bench.root);
  for (const [name, bytes] of before) assert.equal(after.get(name), bytes, `${name} of the original`);
  const made = new Map([...after].filter(([name]) => !before.has(name)));
  assert.equal(made.size, 5);
  for (const [name, bytes] of made) assertClean(name, bytes);
  const kinds = new Set(secrets.map(({ kind }) => kind));
  assert.deepEqual(
    fakes.filter(({ kind }) => !kinds.has(kind)).map(({ kind }) => kind),
    [],
  );
});

test('redacting in place also covers what the client keeps elsewhere, and undo brings identical bytes back', async (context) => {
  const bench = plantedBench(
    context,
    fakes.map(({ text }) => text),
  );
  const before = contentsOf(bench.root);
  const { outcome } = await redact(bench, { isInPlace: true });
  const after = contentsOf(bench.root);
  assert.deepEqual([...after.keys()].sort(), [...before.keys()].sort());
  const others = 'file-history/22222222-2222-4222-a222-222222222222/bbbb@v1';
  for (const [name, bytes] of after) {
    if (name === others) assert.equal(bytes, before.get(name));
    else if (name !== 'history.jsonl') assertClean(name, bytes);
  }
  const [mine = '', foreign] = (after.get('history.jsonl') ?? '').split('\n');
  assertClean('history.jsonl', mine);
  assert.equal(foreign, (before.get('history.jsonl') ?? '').split('\n')[1]);
  await undo(bench, outcome.id);
  assert.deepEqual(contentsOf(bench.root), before);
});

test('a value has one placeholder in all files, also where only a name in another file gives it away', async (context) => {
  const bench = benchWith(
    context,
    sessionId,
    transcript().user(`login with ${password} please`).call('toolu_1').result('toolu_1').assistant('ok').text(),
    {
      [plantedFiles.agent]: transcript({ isSidechain: true, agentId: 'a1' }).user(`DB_PASSWORD='${password}'`).text(),
      [plantedFiles.result]: `the answer: ${password}\n`,
    },
  );
  const { outcome, secrets } = await redact(bench);
  const side = outcome.to.path.replace(/\.jsonl$/, '');
  const placeholder = '[redacted:env-secret:1]';
  assert.deepEqual(
    [outcome.to.path, path.join(side, 'subagents/agent-a1.jsonl'), path.join(side, 'tool-results/toolu_1.txt')].map(
      (file) => readFileSync(file, 'utf8').split(placeholder).length - 1,
    ),
    [1, 1, 1],
  );
  assert.deepEqual(
    secrets.map(({ rotate, ...secret }) => ({ ...secret, rotates: rotate !== '' })),
    [
      {
        kind: 'env-secret',
        placeholder,
        count: 3,
        rotates: true,
        places: [
          { file: bench.main, line: 1 },
          { file: path.join(bench.folder, plantedFiles.agent), line: 1 },
          { file: path.join(bench.folder, plantedFiles.result), line: 1 },
        ],
      },
    ],
  );
});

test('lines without a secret stay byte for byte, odd spacing, key order, damage and all', async (context) => {
  const odd = [
    '{ "type" : "user","uuid":"u1", "parentUuid":null,"message":{"role":"user","content":"\\u0068i"},"x":1,"x":2 }',
    `{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"role":"assistant","id":"m1","content":[{"type":"text","text":"is ${token}"}]}}`,
    '{"type":"user","uuid":"u2","parentUuid":"a1","message":{"role":"user","content":"caf\xe9"}}',
    `{"type":"user","uuid":"u3",  "parentUuid":"u2","message":{"role":"user","content":"\\u00e9 ${token} \xff"},"k":1,"dup":"${token}","dup":"y"}`,
    '{"type":"us',
  ].map((line) => Buffer.from(line, 'latin1'));
  const newline = Buffer.from('\n');
  const bench = benchWith(context, sessionId, Buffer.concat(odd.flatMap((line) => [line, newline])));
  await redact(bench, { isInPlace: true });
  const placeholder = '[redacted:github-token:1]';
  const expected = odd.map((line) => line.toString('latin1').replaceAll(token, placeholder));
  expected[3] = expected[3]?.replace('\\u00e9', '\xc3\xa9') ?? '';
  assert.deepEqual(readFileSync(bench.main, 'latin1').split('\n').slice(0, -1), expected);
});

test('ids, signatures and pictures are never looked into', async (context) => {
  const picture = `iVBORw0KGgo${'A'.repeat(80)}/${token.slice(4)}/AKIA${'Q7'.repeat(8)}`;
  const text = transcript()
    .user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } }])
    .assistant(
      [
        { type: 'thinking', thinking: 'hm', signature: token },
        { type: 'text', text: 'fine' },
      ],
      {
        requestId: token,
      },
    )
    .text();
  const bench = benchWith(context, sessionId, text);
  const { secrets, outcome } = await redact(bench);
  assert.deepEqual([secrets, outcome.isWritten], [[], true]);
});

test('signed thinking with a secret goes, with its line and the chain mended, or stays if asked', async (context) => {
  const thinking = { type: 'thinking', thinking: `use ${token}`, signature: 'sig' };
  const text = transcript()
    .user('one')
    .assistant([thinking], { message: { id: 'mx' } })
    .assistant([{ type: 'text', text: 'said' }], { message: { id: 'mx' } })
    .user('two')
    .assistant([thinking, { type: 'text', text: `said ${token}` }])
    .aside('api-request-blob', { message: { role: 'assistant', content: [thinking] } })
    .lastPrompt('a1')
    .text();
  const bench = benchWith(context, sessionId, text);
  const taken = await redact(bench);
  assert.deepEqual(await blocksOf(taken.outcome.to.path), ['one', 'said', 'two', 'said [redacted:github-token:1]']);
  assert.deepEqual(
    taken.outcome.dropped.map(({ line, reason }) => ({ line, reason })),
    [{ line: 2, reason: 'signed thinking that held a secret' }],
  );
  const lines = entriesOf(taken.outcome.to.path);
  assert.deepEqual([lines[1]?.parentUuid, lines.at(-1)?.leafUuid], ['u1', 'u1']);
  assert.ok(!readFileSync(taken.outcome.to.path, 'utf8').includes(token));
  const kept = await redact(bench, { keepsThinking: true });
  assert.equal(readFileSync(kept.outcome.to.path, 'utf8').split(token).length - 1, 2);
  assert.match(kept.outcome.notes.join(' '), /the thinking of 2 messages still holds a secret/);
});

test('a prompt that another session adds to the history meanwhile is not lost', async (context) => {
  const bench = plantedBench(context, [token]);
  const { plan, source } = await planRedact(await loadSource(bench.main), { isInPlace: true });
  appendFileSync(path.join(bench.root, 'history.jsonl'), '{"display":"later"}\n');
  const before = contentsOf(bench.root);
  await assert.rejects(operate(plan, [source], { env: bench.env }), /history\.jsonl/);
  assert.deepEqual(contentsOf(bench.root), before);
});

test('a second redaction finds nothing', async (context) => {
  const bench = plantedBench(
    context,
    fakes.map(({ text }) => text),
  );
  await redact(bench, { isInPlace: true });
  assert.deepEqual((await planRedact(await loadSource(bench.main), { isInPlace: true })).secrets, []);
});

test(
  'real sessions without secrets send what they sent, and their files stay as they are',
  { skip: skipWithoutShared },
  async (context) => {
    let clean = 0;
    for (const file of realSessions().filter((_, i) => i % 3 === 0)) {
      const bench = benchOf(context, file);
      const before = contentsOf(bench.folder);
      const expected = requestMessages(await loadSession(bench.main));
      const { outcome, secrets } = await redact(bench, { isInPlace: true });
      if (secrets.length > 0) continue;
      clean++;
      assert.deepEqual(contentsOf(bench.folder), before, file);
      assert.equal(outcome.changed, 0);
      assert.deepEqual(requestMessages(await loadSession(bench.main)), expected, file);
    }
    assert.ok(clean > 10, `${clean} sessions without secrets`);
  },
);

test(
  'secrets planted in real sessions are all gone from the result, in the portable form, too',
  { skip: skipWithoutShared },
  async (context) => {
    const files = realSessions().filter((_, i) => i % 3 === 1);
    assert.ok(files.length >= 30);
    for (const file of files) {
      const bench = benchOf(context, file);
      const planted = plantSecrets(
        readFileSync(bench.main, 'utf8'),
        fakes.map(({ text }) => text),
      );
      writeFileSync(bench.main, planted.text);
      const hasPrompt = 'messages' in requestMessages(await loadSession(bench.main));
      for (const isPortable of hasPrompt ? [false, true] : [false]) {
        const source = await loadSource(bench.main);
        const { plan } = await planRedact(source);
        const { to } = await operate(plan, [source], { env: bench.env, isPortable });
        assertClean(file, readFileSync(to.path, 'latin1'));
      }
    }
  },
);

async function redact(bench: Bench, options: RedactOptions = {}) {
  const source = await loadSource(bench.main);
  const { plan, secrets, source: guarded } = await planRedact(source, options);
  return { outcome: await operate(plan, [guarded], { env: bench.env }), secrets };
}

async function undo(bench: Bench, id: string | undefined): Promise<void> {
  const operations = operationsFolder(bench.env);
  const record = (await readRecords(operations)).find((each) => each.id === id);
  assert.ok(record !== undefined);
  await undoOperation(operations, record);
}

/** No value is left: as it is, or in any form in which it may be written in JSON. */
function assertClean(name: string, latin1: string): void {
  const text = Buffer.from(latin1, 'latin1').toString('utf8');
  const layers = [text, unescapeOnce(text), unescapeOnce(unescapeOnce(text))];
  for (const { kind, value } of fakes) {
    const plain = value.replaceAll('\\n', '\n');
    for (const layer of layers)
      for (const form of [value, plain, encodeURIComponent(value), Buffer.from(value).toString('base64')])
        assert.ok(!layer.includes(form), `${name} still holds a ${kind}`);
  }
}

function unescapeOnce(text: string): string {
  return text.replace(/\\(["\\/nrt])/g, (_, letter: string) => ({ n: '\n', r: '\r', t: '\t' })[letter] ?? letter);
}

function entriesOf(file: string) {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => asObject(parseJson(line)));
}

async function blocksOf(file: string): Promise<string[]> {
  const request = requestMessages(await loadSession(file));
  assert.ok('messages' in request);
  return request.messages.flatMap(({ content }) =>
    isArray(content) ? content.map((block) => String(block.text ?? block.type)) : [],
  );
}
