// The private lines of Clew's agent (`clew-prompt`, `clew-thinking`) in the operations: a copy of one's own keeps them, a
// foreign session drops them, and secrets in them are redacted.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { asObject, type JsonObject } from '../../src/base/json/json.ts';
import { diagnoseSession } from '../../src/doctor/diagnosis/diagnose.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { planFork } from '../../src/surgery/operations/fork.ts';
import { BoundWriter, boundSessionId, text, token } from '../support/bound-session.ts';
import { linesOf } from '../support/bound-thinking.ts';
import { jsonOf, runClew } from '../support/clew.ts';
import { type Bench, benchWith } from '../support/surgery-kit.ts';

const tools = [{ name: 'Bash', description: 'Runs a command.', input_schema: { type: 'object' } }];
const thinking = (words: string): JsonObject => ({ type: 'thinking', thinking: words, signature: 'c2lnbmF0dXJl' });
const plain = { system: 'Work.', thought: 'Hm.' };

/** A session of both programs, with our own prompt and thinking outside the chain. */
function bench(t: TestContext, { system, thought } = plain): Bench {
  const writer = new BoundWriter()
    .user('One.')
    .answer('th1', text('Two.'))
    .aside({ type: 'clew-prompt', hash: 'h', system: [system], tools })
    .aside({ type: 'clew-thinking', messageId: 'msg_x', model: 'claude-opus-5-5', at: 0, content: [thinking(thought)] })
    .aside({ type: 'cost-state', totalCostUSD: 0.1 })
    .pin();
  return benchWith(t, boundSessionId, writer.text());
}

function privateLines(file: string): JsonObject[] {
  return linesOf(file)
    .filter(({ type }) => String(type).startsWith('clew-'))
    .map(({ sessionId: _, ...line }) => line as JsonObject);
}

function operation({ env, main }: Bench, ...words: readonly string[]): string {
  const done = asObject(jsonOf([...words, main, '--json'], { env: env as Record<string, string> }));
  const to = asObject(done?.to)?.path ?? done?.path;
  assert.equal(typeof to, 'string', JSON.stringify(done));
  return String(to);
}

test('a fork of one’s own keeps them as they are, that of a foreign session has none', async (t) => {
  const { main, env } = bench(t);
  const source = await loadSource(main);
  assert.equal(privateLines(main).length, 2);
  const own = await operate(planFork(source, {}), [source], { env });
  assert.deepEqual(privateLines(own.to.path), privateLines(main));
  const foreign = await operate(planFork(source, { isForeign: true }), [source], { env });
  assert.deepEqual(privateLines(foreign.to.path), []);
});

test('a secret in either is found and taken out, and signed thinking that holds one goes whole', (t) => {
  for (const held of [
    { ...plain, system: `Use ${token}.` },
    { ...plain, thought: `Use ${token}.` },
  ]) {
    const planted = bench(t, held);
    const env = planted.env as Record<string, string>;
    assert.equal(runClew(['redact', '--check', planted.main], { env }).status, 1);
    const cleaned = operation(planted, 'redact');
    assert.doesNotMatch(JSON.stringify(linesOf(cleaned)), new RegExp(token));
    const left = privateLines(cleaned).map(({ type }) => type);
    assert.deepEqual(left, held.thought === plain.thought ? ['clew-prompt', 'clew-thinking'] : ['clew-prompt']);
  }
});

test('strip takes the thought where it takes thinking, and never the prompt', (t) => {
  const types = (file: string) => privateLines(file).map(({ type }) => type);
  assert.deepEqual(types(operation(bench(t), 'strip', '--thinking')), ['clew-prompt']);
  assert.deepEqual(types(operation(bench(t), 'strip', '--bookkeeping')), ['clew-prompt', 'clew-thinking']);
});

test('doctor has nothing to say about them', async (t) => {
  const { findings } = await diagnoseSession(await loadSession(bench(t).main));
  assert.deepEqual(
    findings.filter(({ severity }) => severity !== 'info' && severity !== 'warn'),
    [],
  );
  assert.doesNotMatch(findings.map(({ message }) => message).join('\n'), /clew-|type/);
});

test('a search finds the thought, not the prompt', (t) => {
  const { env, main } = bench(t, { system: 'Work marvellously.', thought: 'A splendid idea.' });
  const root = path.resolve(main, '../../..');
  const found = (words: string): number => {
    const { status, stdout } = runClew(['find', words, '--root', root, '--json'], {
      env: env as Record<string, string>,
    });
    assert.ok(status === 0 || status === 1, stdout);
    return stdout.split('splendid').length - 1;
  };
  assert.ok(found('splendid') > 0);
  assert.equal(runClew(['find', 'marvellously', '--root', root], { env: env as Record<string, string> }).status, 1);
});
