// Sessions that `clew recover --session` writes for those that the real client has deleted: the same client resumes them, and
// sends exactly what `clew messages` predicts, with every prompt that was typed.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { findDeletedSession, readDeleted } from '../../src/library/deleted/index.ts';
import { operate } from '../../src/surgery/engine/operate.ts';
import { planRecover } from '../../src/surgery/recover/index.ts';
import { recordedSessions, writeDeletedLibrary } from '../support/deleted-library.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { assertPredicted, resumeLive } from './live.ts';

const client = '2.1.325';
const gone = recordedSessions.filter(({ isDeleted }) => isDeleted);
/** One with edits, one with pasted texts and one with a name; all 20 with CLEW_LONG=1. */
const tried = process.env.CLEW_LONG === '1' ? gone : [gone[1], gone[5], gone[6]];

for (const recorded of tried) {
  assert.ok(recorded !== undefined);
  const { sessionId, typed, pasted } = recorded;
  test(`client ${client} resumes ${sessionId}, recovered from its prompts`, async (context) => {
    const root = temporaryFolder(context);
    writeDeletedLibrary(root);
    const env = { CLEW_HOME: path.join(root, 'state') };
    const options = { roots: [root], env };
    const plan = planRecover(readDeleted(findDeletedSession(sessionId, options), options));
    const { to } = await operate(plan, [], { env });
    assert.equal(to.sessionId, sessionId);
    await assertPredicted(client, to.path);
    const live = await resumeLive(client, to.path);
    assert.ok('messages' in live, JSON.stringify(live).slice(0, 300));
    const sent = JSON.stringify(live.messages);
    const prompts = typed.filter((text) => !text.startsWith('/rename'));
    for (const text of [...prompts, ...pasted]) assert.ok(sent.includes(JSON.stringify(text).slice(1, -1)), text);
    assert.match(sent, /Recovered session\. The transcript of this session was deleted/);
    // The note and the first prompt are one message; then an answer after each prompt, and `next`.
    assert.equal(live.messages.length, prompts.length * 2 + 1);
  });
}
