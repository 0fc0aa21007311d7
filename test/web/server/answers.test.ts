// The answers of the server: raw content, keys, repairs, cost, and a missing index.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { keyParam, readJson } from '../../../src/web/client/client.ts';
import { plantDamage } from '../../support/plant.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { plain } from '../../support/sound-session.ts';
import { contentsOf } from '../../support/surgery-kit.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { tinyImage } from '../../support/tiny-images.ts';
import { sessionId, text, toolResult, toolUse, transcript } from '../../support/transcript-builder.ts';
import { answerLine } from '../../support/usage-library.ts';
import { openWebServer } from '../../support/web-server.ts';

const other = '22222222-2222-4222-a222-222222222222';

test('texts and images of a transcript are sent unchanged and sandboxed', async (context) => {
  const picture = tinyImage('png', 4, 4);
  const image = {
    type: 'image',
    source: { type: 'base64', media_type: 'text/html', data: picture.toString('base64') },
  };
  const script = '<script>alert(1)</script>';
  const server = await openWebServer(context, {
    [`-p/${sessionId}.jsonl`]: transcript()
      .user([text(script), image])
      .assistant([toolUse('t1')])
      .user([
        toolResult('t1', [
          image,
          {
            type: 'image',
            source: {
              type: 'base64',
              media_type: 'image/svg+xml',
              data: Buffer.from('<svg onload="alert(1)"/>').toString('base64'),
            },
          },
        ]),
      ])
      .text(),
  });
  const { send } = server;
  const base = `/api/sessions/${sessionId}`;
  const shown = await send({ path: `${base}/image?record=0&pointer=/message/content/1/source/data` });
  assert.deepEqual([shown.status, shown.headers['content-type']], [200, 'image/png']);
  assert.match(String(shown.headers['content-security-policy']), /default-src 'none'; sandbox/);
  const svg = await send({ path: `${base}/image?record=2&pointer=/message/content/0/content/1/source/data` });
  assert.equal(svg.status, 404);
  const raw = await send({ path: `${base}/text?record=0&pointer=/message/content/0/text` });
  assert.deepEqual([raw.body, raw.headers['content-type']], [script, 'text/plain; charset=utf-8']);
  assert.match(String(raw.headers['content-security-policy']), /sandbox/);
  for (const pointer of ['/none', '/__proto__', '/message/content/0/text/length', 'x'])
    assert.equal((await send({ path: `${base}/text?record=0&pointer=${pointer}` })).status, 404, pointer);
});

test('sessions that share an id, or whose names do not fit into an address, get keys of their own', async (context) => {
  const body = transcript().user('hello').assistant('hi').text();
  const server = await openWebServer(context, {
    [`-a/${sessionId}.jsonl`]: body,
    [`-b/${sessionId}.jsonl`]: body,
    '-c/a name %2f & more.jsonl': body,
    [`-c/${other}.jsonl`]: body,
  });
  await server.isCurrent();
  const { rows } = await readJson(server.client.sessions.$get());
  assert.equal(new Set(rows.map(({ key }) => key)).size, 4);
  for (const { key, id, path: main } of rows) {
    const { head } = await readJson(server.client.sessions[':key'].$get({ param: keyParam(key) }));
    assert.equal(head.sessionId, id);
    const mark = createHash('sha256').update(main).digest('hex').slice(0, 12);
    const wanted = { [other]: other, [sessionId]: `${sessionId}~${mark}` }[id] ?? `~${mark}`;
    assert.equal(key, wanted);
  }
  assert.equal(
    (await readJson(server.client.sessions[':key'].$get({ param: keyParam(sessionId) }))).head.sessionId,
    sessionId,
  );
});

test('a repair has a preview, needs a server that allows changes, and can be undone', async (context) => {
  const { bytes } = plantDamage(plain, ['G-phantom-parent', 'L-torn-tail'], seededRandom(7));
  const server = await openWebServer(context, { [`-p/${sessionId}.jsonl`]: bytes }, { allowsChanges: true });
  const { client, root } = server;
  await server.isCurrent();
  const before = contentsOf(root);
  const diagnosis = await readJson(client.sessions[':key'].doctor.$get({ param: keyParam(sessionId) }));
  assert.ok(diagnosis.isRepairable);
  assert.ok(diagnosis.findings.some(({ code }) => code === 'L-torn-tail'));
  const { previews } = await readJson(client.sessions[':key'].fix.$get({ param: keyParam(sessionId) }));
  const usual = previews.find(({ isDefault }) => isDefault);
  assert.deepEqual(usual?.after.loaded, usual?.after.of);
  assert.deepEqual(contentsOf(root), before);
  await assert.rejects(
    readJson(client.sessions[':key'].fix.$post({ param: keyParam(sessionId), json: { strategy: 'magic' } })),
    { status: 400 },
  );
  const applied = await readJson(
    client.sessions[':key'].fix.$post({ param: keyParam(sessionId), json: { inPlace: true } }),
  );
  assert.deepEqual([applied.to, applied.left], [{ key: sessionId, id: sessionId }, []]);
  assert.notDeepEqual(contentsOf(root), before);
  const [operation] = await readJson(client.operations.$get());
  assert.deepEqual([operation?.id, operation?.canUndo], [applied.operation, true]);
  assert.equal(
    (await readJson(client.operations[':id'].undo.$post({ param: { id: applied.operation }, json: {} }))).state,
    'undone',
  );
  assert.deepEqual(contentsOf(root), before);
  await assert.rejects(readJson(client.operations[':id'].undo.$post({ param: { id: applied.operation }, json: {} })), {
    status: 400,
  });
  assert.deepEqual(server.faults, []);
});

test('a cost without the unpriced messages is marked as partial', async (context) => {
  const line = (model: string, id: string): string => answerLine({ id, model, output: 100, sessionId });
  const lines = [line('claude-opus-5-5', 'a'), line('claude-zeta-9', 'b')];
  const server = await openWebServer(context, { [`-p/${sessionId}.jsonl`]: `${lines.join('\n')}\n` });
  await server.isCurrent();
  const { rows } = await readJson(server.client.sessions.$get());
  // 10 × 4 + 100 × 20 micro-dollars.
  assert.deepEqual(
    rows.map(({ costMicroUsd, costIsPart }) => ({ costMicroUsd, costIsPart })),
    [{ costMicroUsd: 2040, costIsPart: true }],
  );
  const { totals, unpricedModels } = await readJson(server.client.usage.$get({ query: { by: 'daily' } }));
  assert.deepEqual(
    [totals.costMicroUsd, totals.unpricedMessages, totals.unpricedTokens, unpricedModels],
    [2040, 1, 110, ['claude-zeta-9']],
  );
  const { sessions } = await readJson(server.client.usage.top.$get());
  assert.deepEqual(
    sessions.map(({ costMicroUsd, messages, unpricedMessages }) => ({ costMicroUsd, messages, unpricedMessages })),
    [{ costMicroUsd: 2040, messages: 2, unpricedMessages: 1 }],
  );
});

test('without a writable index, the list and the sessions still work', async (context) => {
  const file = path.join(temporaryFolder(context), 'a-file');
  writeFileSync(file, '');
  const notices: string[] = [];
  const server = await openWebServer(
    context,
    { [`-p/${sessionId}.jsonl`]: transcript().user('hello').assistant('hi').text() },
    { state: file, onNotice: (message) => notices.push(message) },
  );
  await server.isCurrent();
  const { rows } = await readJson(server.client.sessions.$get());
  assert.deepEqual(
    rows.map(({ key, turns, costMicroUsd }) => [key, turns, costMicroUsd !== null]),
    [[sessionId, 1, true]],
  );
  assert.equal((await readJson(server.client.sessions[':key'].turns.$get({ param: keyParam(sessionId) }))).total, 1);
  await assert.rejects(readJson(server.client.search.$get({ query: { text: 'hello' } })), { status: 503 });
  assert.match(notices.join(), /the index cannot be written: .*; search is unavailable/);
  assert.deepEqual(server.faults, []);
});
