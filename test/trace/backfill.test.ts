// The command for history: it sends each turn once; with --keep-forks copies as well. Which spans these are
// is the matter of copies.test.ts; a library of real sessions is sent in backfill.slow.test.ts.
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { asObject, type JsonObject, parseJson } from '../../src/base/json.ts';
import { startClew } from '../support/running-clew.ts';
import { sessionText } from '../support/session-text.ts';
import { writeTree } from '../support/temp-folder.ts';
import { homeFor, toolTurn, traceEnv } from '../support/trace-kit.ts';
import { repeated, startReceiver } from '../support/trace-receiver.ts';

test('backfill sends each turn once, and copies only with --keep-forks', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const root = path.join(home, 'claude');
  for (const [i, sessionId] of ['origin', 'fork'].entries()) {
    const file = `projects/p/${sessionId}.jsonl`;
    writeTree(root, { [file]: sessionText([...toolTurn('a'), ...toolTurn('b')], { sessionId }) });
    // Sessions that nobody writes to any more are traced to their end, the older one first.
    utimesSync(path.join(root, file), 1_700_000_000 + i, 1_700_000_000 + i);
  }
  const env = { ...traceEnv(home, receiver.url), CLEW_ROOTS: root };
  const backfill = async (...flags: readonly string[]): Promise<JsonObject> => {
    // The receiver answers in this process, so that the command must not block it.
    const child = startClew(context, ['trace', 'backfill', ...flags, '--json'], env);
    const report = asObject(parseJson(await child.prints(/\n\}\n/)));
    assert.ok(report !== undefined);
    return report;
  };
  const counted = { destinations: 1, sessions: 2, openSessions: 0, turns: 4, spans: 8, copies: 8, failed: 0 };
  const expected = { ...counted, sentSpans: 8, waitingBatches: 0, parkedBatches: 0, unread: [] };
  assert.deepEqual(await backfill(), expected);
  assert.deepEqual([receiver.spans.length, repeated(receiver.spans)], [8, {}]);
  assert.equal((await backfill('--keep-forks')).sentSpans, 8);
  assert.deepEqual([receiver.spans.length, repeated(receiver.spans)], [16, {}]);
  assert.equal(new Set(receiver.spans.map(({ traceId }) => traceId)).size, 4);
});

test('a message is sent by the session that had it first, though its copy was written to earlier', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const root = path.join(home, 'claude');
  const copy = toolTurn('a').map((line) => ({ ...line, forkedFrom: { sessionId: 'origin', messageUuid: 'x' } }));
  writeTree(root, {
    'projects/p/copy.jsonl': sessionText([...copy, ...toolTurn('c')], { sessionId: 'copy' }),
    'projects/p/origin.jsonl': sessionText(toolTurn('a'), { sessionId: 'origin' }),
  });
  for (const [i, name] of ['copy', 'origin'].entries())
    utimesSync(path.join(root, `projects/p/${name}.jsonl`), 1_700_000_000 + i, 1_700_000_000 + i);
  const env = { ...traceEnv(home, receiver.url), CLEW_ROOTS: root };
  await startClew(context, ['trace', 'backfill', '--json'], env).prints(/\n\}\n/);
  const senders = receiver.spans.flatMap(({ attributes }) => {
    const id = attributes['langfuse.observation.metadata.message_id'];
    return id === undefined ? [] : [`${id} ${attributes['session.id']}`];
  });
  assert.deepEqual(senders.sort(), ['msg_aa origin', 'msg_ab origin', 'msg_ca copy', 'msg_cb copy']);
});
