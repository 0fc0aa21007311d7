// Secrets of every kind in every place of a session, and in real sessions: all found, none left in any form.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { planRedact } from '../../../src/surgery/redact/redact.ts';
import { plantedBench, plantSecrets } from '../../support/planted-session.ts';
import { benchOf, contentsOf, realSessions, undoLast } from '../../support/surgery-kit.ts';
import { redactBench } from '../redact-kit.ts';
import { fakeSecrets } from '../secrets/fake-secrets.ts';

const fakes = fakeSecrets(11);

test('every kind of secret is found in every place of a session, and none is left in the new one', async (context) => {
  assert.ok(new Set(fakes.map(({ kind }) => kind)).size >= 40);
  const bench = plantedBench(
    context,
    fakes.map(({ text }) => text),
  );
  const before = contentsOf(bench.root);
  const { outcome, secrets } = await redactBench(bench);
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
  await redactBench(bench, { isInPlace: true });
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
  await undoLast(bench);
  assert.deepEqual(contentsOf(bench.root), before);
});

test('a second redaction finds nothing', async (context) => {
  const bench = plantedBench(
    context,
    fakes.map(({ text }) => text),
  );
  await redactBench(bench, { isInPlace: true });
  assert.deepEqual((await planRedact(await loadSource(bench.main), { isInPlace: true })).secrets, []);
});

test('real sessions without secrets send what they sent, and their files stay as they are', async (context) => {
  let clean = 0;
  for (const file of realSessions().filter((_, i) => i % 3 === 0)) {
    const bench = benchOf(context, file);
    const before = contentsOf(bench.folder);
    const expected = requestMessages(await loadSession(bench.main));
    const { outcome, secrets } = await redactBench(bench, { isInPlace: true });
    clean++;
    assert.deepEqual(secrets, [], file);
    assert.deepEqual(contentsOf(bench.folder), before, file);
    assert.equal(outcome.changed, 0);
    assert.deepEqual(requestMessages(await loadSession(bench.main)), expected, file);
  }
  assert.ok(clean > 10, `${clean} sessions without secrets`);
});

test('secrets planted in real sessions are all gone from the result, in the portable form, too', async (context) => {
  const files = realSessions().filter((_, i) => i % 6 === 1);
  assert.ok(files.length >= 15, `${files.length} sessions`);
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
});

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
