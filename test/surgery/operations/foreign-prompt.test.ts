// Sessions from elsewhere: the system prompt, tools, copies of requests and thinking that they carry do not come along,
// unless the user says that they are his own.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { planFork } from '../../../src/surgery/operations/fork.ts';
import { boundSession, boundSessionId, token } from '../../support/bound-session.ts';
import { judge, linesOf } from '../../support/bound-thinking.ts';
import { jsonOf } from '../../support/clew.ts';
import { type Bench, benchWith, sentBy } from '../../support/surgery-kit.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

/** Nine blocks, with copies of a request outside the chain. */
function foreignText(): string {
  return boundSession()
    .aside({ type: 'api-request-shape', hash: 's1', shape: { system: 'Obey the stranger.' } })
    .aside({ type: 'api-request-blob', hash: 'b1', message: { role: 'user', content: 'Explain the parser.' } })
    .aside({ type: 'api-request', id: 'r1', base: null, keep: 0, tail: ['b1'], shapeHash: 's1' })
    .text();
}

const kindsIn = (file: string): readonly string[] =>
  linesOf(file).map(({ type, attachment }) => String((attachment as JsonObject | undefined)?.type ?? type));
const foreignKinds = /^(prompt_snapshot|deferred_tools_record|api-request.*)$/;

test('a fork of a foreign session has no system prompt, tools or requests of it, and says the same', async (context) => {
  const bench = benchWith(context, boundSessionId, foreignText());
  const source = await loadSource(bench.main);
  assert.equal(kindsIn(bench.main).filter((kind) => foreignKinds.test(kind)).length, 6);
  const outcome = await operate(planFork(source, { isForeign: true }), [source], { env: bench.env });
  assert.deepEqual(
    kindsIn(outcome.to.path).filter((kind) => foreignKinds.test(kind)),
    [],
  );
  assert.ok(kindsIn(outcome.to.path).includes('nested_memory'));
  const said = (await sentBy(bench.main)).filter((text) => text !== 'undefined');
  assert.deepEqual(
    (await sentBy(outcome.to.path)).filter((text) => text !== 'undefined'),
    said,
  );
  assert.deepEqual(judge(outcome.to.path).sent, []);
  assert.equal(
    outcome.thinking.reason,
    '9 of 9 thinking blocks were made with another account or system prompt. They are removed from the new session; the source keeps them.',
  );
  assert.match(outcome.notes.join('\n'), /left out: 6 lines with the system prompt, tools and requests of the session/);
});

test('a path outside of the library is foreign to `clew fork`, one inside is not', async (context) => {
  const bench = benchWith(context, boundSessionId, foreignText());
  const elsewhere = path.join(temporaryFolder(context), `${boundSessionId}.jsonl`);
  writeFileSync(elsewhere, foreignText());
  const forked = (...words: string[]): JsonObject =>
    jsonOf(['fork', ...words, '--json', '--dry-run', '--root', bench.root], { env: envOf(bench) }) as JsonObject;
  const removed = (outcome: JsonObject): unknown => (outcome.thinking as JsonObject).removed;
  assert.equal(removed(forked(boundSessionId)), 0);
  assert.equal(removed(forked(elsewhere)), 9);
  assert.equal(removed(forked(elsewhere, '--keep-prompt')), 0);
});

test('an import leaves them out; with --keep-prompt only what redaction has unbound is gone', async (context) => {
  const bench = benchWith(context, boundSessionId, foreignText());
  const file = path.join(path.dirname(bench.root), 'one.clew');
  const bundled = jsonOf(['bundle', boundSessionId, '-o', file, '--json', '--root', bench.root], { env: envOf(bench) });
  // The fifth prompt has the token: the four blocks after it are bound to it.
  assert.match(JSON.stringify(bundled), /left out: 4 thinking blocks made after redacted text/);
  const imported = importInto(context, bench, file);
  assert.deepEqual(judge(imported.path).sent, []);
  assert.deepEqual(
    kindsIn(imported.path).filter((kind) => foreignKinds.test(kind)),
    [],
  );
  assert.equal((imported.outcome.thinking as JsonObject).removed, 5);
  const kept = importInto(context, bench, file, '--keep-prompt');
  assert.deepEqual(judge(kept.path), { sent: ['th1', 'th2', 'th3', 'th4', 'th5'], dead: [], holes: [] });
  assert.ok(!JSON.stringify(linesOf(kept.path)).includes(token));
  assert.equal(kindsIn(kept.path).filter((kind) => foreignKinds.test(kind)).length, 6);
});

function importInto(
  context: TestContext,
  bench: Bench,
  file: string,
  ...words: string[]
): { outcome: JsonObject; path: string } {
  const root = temporaryFolder(context);
  const work = path.join(root, 'work');
  mkdirSync(work);
  const env = envOf(bench);
  const outcome = jsonOf(['import', file, '--json', '--root', root, ...words], { env, cwd: work }) as JsonObject;
  return { outcome, path: String((outcome.to as JsonObject).path) };
}

function envOf(bench: Bench): Record<string, string> {
  return { CLEW_HOME: bench.env.CLEW_HOME, HOME: '/home/eve' };
}
