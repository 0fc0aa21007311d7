// An undo that was killed half-way, and a client that wrote to the new session before or after: the copy loses all of its files
// or none, and no line of the client.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import {
  listRecords,
  markUnfinished,
  operationsFolder,
  writeRecord,
} from '../../../src/surgery/journal/operation-log.ts';
import { recoverOperations } from '../../../src/surgery/journal/recover-operations.ts';
import { planFork } from '../../../src/surgery/operations/fork.ts';
import { benchWith } from '../../support/surgery-kit.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';

const line = '{"type":"user","uuid":"late"}\n';

/** A fork whose undo was killed after it had set aside the first `count` of its files, the last of the record first. */
async function killedUndo(context: TestContext, count: number) {
  const { main, env } = benchWith(context, sessionId, transcript().user('one').assistant('two').text(), {
    [`${sessionId}/tool-results/out.txt`]: 'output',
    [`${sessionId}/tool-results/more.txt`]: 'more output',
  });
  const source = await loadSource(main);
  await operate(planFork(source), [source], { env });
  const operations = operationsFolder(env);
  const [record] = listRecords(operations);
  assert.ok(record !== undefined);
  const files = record.files.map((each) => ({ path: each.path, bytes: readFileSync(each.path, 'utf8') }));
  assert.equal(files.length, 3);
  await writeRecord(operations, { ...record, state: 'undoing' });
  markUnfinished(operations);
  for (const [i, file] of files.entries())
    if (i >= files.length - count)
      renameSync(file.path, path.join(path.dirname(file.path), `.clew-${record.id}-${i}.undone`));
  const fork = files.at(-1)?.path ?? '';
  assert.ok(fork.endsWith('.jsonl'));
  return {
    env,
    fork,
    files,
    look: () => ({
      state: listRecords(operations)[0]?.state,
      files: files.map((file) => (existsSync(file.path) ? readFileSync(file.path, 'utf8') : undefined)),
    }),
  };
}

for (const count of [0, 1, 2, 3])
  test(`with ${count} files set aside, a transcript that has grown keeps all files; without, none is left`, async (context) => {
    const quiet = await killedUndo(context, count);
    const [recovered] = await recoverOperations(quiet.env);
    assert.equal(recovered?.outcome, 'undone');
    assert.deepEqual(quiet.look(), { state: 'undone', files: quiet.files.map(() => undefined) });

    const { env, fork, files, look } = await killedUndo(context, count);
    // The client creates it again if it is gone.
    if (existsSync(fork)) appendFileSync(fork, line);
    else writeFileSync(fork, line);
    const [kept] = await recoverOperations(env);
    assert.equal(kept?.outcome, 'kept');
    assert.deepEqual(kept.doubts, [`${fork} was changed by another program, so it stays as it is`]);
    assert.deepEqual(look(), {
      state: 'done',
      files: files.map(({ path: file, bytes }) => (file === fork ? bytes + line : bytes)),
    });
    assert.deepEqual(await recoverOperations(env), [], 'nothing is left to do');
  });
