// Replays every linear session of the corpus.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadSession } from '../../../src/session/load/session.ts';
import { realSessions } from '../../support/surgery-kit.ts';
import { play, start, stepsOf } from './replay-kit.ts';

test('every linear session of the corpus is replayed as recorded', async (t) => {
  let sessions = 0;
  let messages = 0;
  let calls = 0;
  for (const file of realSessions()) {
    const session = await loadSession(file);
    const steps = stepsOf(file);
    const isLinear = session.branches.length === 1 && !session.transcript.mayRepeat;
    if (!isLinear || steps.length === 0 || readFileSync(file, 'utf8').includes('compact_boundary')) continue;
    const { server, served } = await start(t, session);
    await play(server, steps, file);
    assert.deepEqual(
      served.flatMap((each) => each.mismatches),
      [],
      file,
    );
    assert.deepEqual(server.counts, { messages: steps.length, side: 0, mismatches: 0 }, file);
    await server.close();
    sessions++;
    messages += steps.length;
    calls += served.flatMap((each) => each.tools).length;
  }
  t.diagnostic(`${sessions} sessions, ${messages} messages, ${calls} calls`);
  assert.ok(sessions >= 12 && calls >= 50, `${sessions} sessions, ${calls} calls`);
});
