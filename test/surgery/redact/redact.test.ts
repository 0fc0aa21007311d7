// A session with secrets → the same session with placeholders: in every file of it, and nothing else changes.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { isArray } from '../../../src/base/json/json.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { planRedact } from '../../../src/surgery/redact/redact.ts';
import { plantedBench, plantedFiles } from '../../support/planted-session.ts';
import { benchWith, contentsOf, entriesOf, undoLast, withoutOrigin } from '../../support/surgery-kit.ts';
import { writeTree } from '../../support/temp-folder.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';
import { redactBench } from '../redact-kit.ts';

const token = `gh${'p_'}${'a1B2c3D4e5F6'.repeat(3)}`;
const placeholder = '[redacted:github-token:1]';
const password = ['k9', '!Zq', '/r"7', 'Lm2'].join('');

test('a new session has the placeholder in every place and is the original otherwise, which stays as it is', async (context) => {
  const bench = plantedBench(context, [token]);
  const before = contentsOf(bench.folder);
  const { outcome, secrets } = await redactBench(bench);
  const after = [...contentsOf(bench.folder)].map(([name, bytes]): [string, string] => [name, withoutOrigin(bytes)]);
  const expected = [...before].map(([name, bytes]): [string, string] => [
    name.replace(sessionId, outcome.to.sessionId),
    bytes.replaceAll(token, placeholder).replaceAll(sessionId, outcome.to.sessionId),
  ]);
  assert.equal(expected.length, 5);
  assert.deepEqual(new Map(after.sort()), new Map([...before, ...expected].sort()));
  assert.deepEqual(
    secrets.map(({ kind, count }) => [kind, count]),
    [['github-token', [...before.values()].join('').split(token).length - 1]],
  );
});

test('in place, what the client keeps elsewhere of this session changes, too, and undo brings all bytes back', async (context) => {
  const bench = plantedBench(context, [token]);
  const elsewhere = ['tasks/ID/1.json', 'session-env/ID/hook.sh', 'todos/ID-agent-ID.json', 'debug/ID.txt'];
  const own = elsewhere.map((name) => name.replaceAll('ID', sessionId));
  const others = elsewhere.map((name) => name.replaceAll('ID', '22222222-2222-4222-a222-222222222222'));
  writeTree(bench.root, Object.fromEntries([...own, ...others].map((name) => [name, JSON.stringify({ note: token })])));
  const before = contentsOf(bench.root);
  await redactBench(bench, { isInPlace: true });
  const foreign = [...others, 'file-history/22222222-2222-4222-a222-222222222222/bbbb@v1'];
  const expected = new Map([...before].map(([name, bytes]) => [name, bytes.replaceAll(token, placeholder)]));
  for (const name of foreign) expected.set(name, before.get(name) ?? '');
  const [mine = '', theirs = ''] = (before.get('history.jsonl') ?? '').split(/(?<=\n)/);
  assert.ok(mine.includes(token) && theirs.includes(token));
  expected.set('history.jsonl', mine.replaceAll(token, placeholder) + theirs);
  assert.deepEqual(new Map([...contentsOf(bench.root)].sort()), new Map([...expected].sort()));
  await undoLast(bench);
  assert.deepEqual(new Map([...contentsOf(bench.root)].sort()), new Map([...before].sort()));
});

test('of prompts that name no session only what the session holds is replaced, and links are not followed', async (context) => {
  const bench = benchWith(context, sessionId, transcript().user(`use ${token}`).assistant('ok').text());
  const stranger = token.replace('a1', 'z9');
  const lines = [
    { display: `old ${token} ${stranger}`, project: '/other' },
    { display: `mine ${stranger}`, sessionId },
    { display: `theirs ${token}`, sessionId: 'another' },
  ];
  writeTree(bench.root, {
    'history.jsonl': lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    'notes/mine.txt': token,
    [`tasks/${sessionId}/1.txt`]: 'no secret',
  });
  symlinkSync(path.join(bench.root, 'notes/mine.txt'), path.join(bench.root, `tasks/${sessionId}/link.txt`));
  const { secrets } = await redactBench(bench, { isInPlace: true });
  // The stranger is a value of this session, too: one of its prompts in the history holds it.
  assert.deepEqual(readFileSync(path.join(bench.root, 'history.jsonl'), 'utf8').split('\n'), [
    '{"display":"old [redacted:github-token:1] [redacted:github-token:2]","project":"/other"}',
    `{"display":"mine [redacted:github-token:2]","sessionId":"${sessionId}"}`,
    `{"display":"theirs ${token}","sessionId":"another"}`,
    '',
  ]);
  assert.equal(readFileSync(path.join(bench.root, 'notes/mine.txt'), 'utf8'), token);
  assert.deepEqual(
    secrets.map((secret) => secret.places.map(({ file, line }) => `${path.basename(file)} ${line}`)),
    [
      [`${sessionId}.jsonl 1`, 'history.jsonl 1'],
      ['history.jsonl 1', 'history.jsonl 2'],
    ],
  );
});

test('nothing is written if a staged file still holds a secret, or if resuming would send something else', async (context) => {
  const bench = benchWith(context, sessionId, transcript().user(`nothing here, but ${token}`).assistant('ok').text(), {
    [plantedFiles.result]: token,
  });
  writeTree(bench.root, {
    [`debug/${sessionId}.txt`]: `${'-'.repeat(60)} ${token}`,
    'history.jsonl': `${JSON.stringify({ display: token, sessionId })}\n`,
  });
  const before = contentsOf(bench.root);
  const source = await loadSource(bench.main);
  const { plan } = await planRedact(source, { isInPlace: true });
  const [result] = plan.results;
  assert.ok(result !== undefined);
  const withFile = (name: string, bytes: string) => ({
    ...plan,
    results: [
      {
        ...result,
        files: result.files.map((file) =>
          file.name === name ? { ...file, content: { bytes: Buffer.from(bytes) } } : file,
        ),
      },
    ],
  });
  const name = plantedFiles.result;
  await assert.rejects(
    operate(withFile(name, `left: ${token}`), [source], { env: bench.env }),
    /toolu_1\.txt still holds 1 secret/,
  );
  await assert.rejects(
    operate(withFile(name, `new: ${token.replace('a1', 'z9')}`), [source], { env: bench.env }),
    /toolu_1\.txt still holds 1 secrets, some of them new/,
  );
  const { plan: damaged } = await planRedact(source, { isInPlace: true });
  const [log] = damaged.otherFiles ?? [];
  assert.ok(log !== undefined && 'bytes' in log.content);
  log.content.bytes.write(token);
  await assert.rejects(operate(damaged, [source], { env: bench.env }), /debug\/\S+ still holds 1 secrets/);
  for (const owner of [{ sessionId }, {}]) {
    const { plan: forgetful } = await planRedact(source, { isInPlace: true });
    const history = forgetful.otherFiles?.find((file) => file.path.endsWith('history.jsonl'));
    assert.ok(history !== undefined);
    const said = {
      bytes: Buffer.from(JSON.stringify({ display: token, ...owner })),
      isEdited: false,
      isRenamed: false,
    };
    Object.assign(history.content, { lines: () => [said] });
    await assert.rejects(operate(forgetful, [source], { env: bench.env }), /history\.jsonl still holds 1 secrets/);
  }
  const main = readFileSync(bench.main, 'latin1')
    .replaceAll(token, placeholder)
    .replaceAll('nothing here', 'something');
  await assert.rejects(
    operate(withFile(`${sessionId}.jsonl`, main), [source], { env: bench.env }),
    /resuming would not send the messages of the original/,
  );
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
  const { outcome, secrets } = await redactBench(bench);
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
          { file: bench.main, line: 1, excerpt: '"content":"login with k9!********' },
          {
            file: path.join(bench.folder, plantedFiles.agent),
            line: 1,
            excerpt: `"content":"DB_PASSWORD='k9!********`,
          },
          { file: path.join(bench.folder, plantedFiles.result), line: 1, excerpt: 'the answer: k9!********' },
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
  await redactBench(bench, { isInPlace: true });
  const placeholder = '[redacted:github-token:1]';
  const expected = odd.map((line) => line.toString('latin1').replaceAll(token, placeholder));
  expected[3] = expected[3]?.replace('\\u00e9', '\xc3\xa9') ?? '';
  assert.deepEqual(readFileSync(bench.main, 'latin1').split('\n').slice(0, -1), expected);
});

test('ids, signatures and pictures are never looked into', async (context) => {
  const keyId = `AK${'IA'}K7RQ2MZX5TBX4VLC`;
  const picture = `iVBORw0KGgo${'A'.repeat(80)}/${keyId}/`;
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
  const { secrets, outcome } = await redactBench(bench);
  assert.deepEqual(secrets, []);
  const written = withoutOrigin(readFileSync(outcome.to.path, 'utf8'));
  assert.equal(written, text.replaceAll(sessionId, outcome.to.sessionId));
  // The same texts outside of such fields are secrets.
  const said = benchWith(context, sessionId, transcript().user(`${token} and /${keyId}/`).assistant('ok').text());
  assert.deepEqual(
    (await redactBench(said)).secrets.map(({ kind }) => kind),
    ['github-token', 'aws-access-key-id'],
  );
});

test('signed thinking with a secret is removed with its line, or kept on request', async (context) => {
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
  const taken = await redactBench(bench);
  assert.deepEqual(await blocksOf(taken.outcome.to.path), ['one', 'said', 'two', 'said [redacted:github-token:1]']);
  assert.deepEqual(
    taken.outcome.dropped.map(({ line, reason }) => ({ line, reason })),
    [{ line: 2, reason: 'signed thinking that held a secret' }],
  );
  const lines = entriesOf(taken.outcome.to.path);
  assert.deepEqual([lines[1]?.parentUuid, lines.at(-1)?.leafUuid], ['u1', 'u1']);
  assert.ok(!readFileSync(taken.outcome.to.path, 'utf8').includes(token));
  const kept = await redactBench(bench, { keepsThinking: true });
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

async function blocksOf(file: string): Promise<string[]> {
  const request = requestMessages(await loadSession(file));
  assert.ok('messages' in request);
  return request.messages.flatMap(({ content }) =>
    isArray(content) ? content.map((block) => String(block.text ?? block.type)) : [],
  );
}
