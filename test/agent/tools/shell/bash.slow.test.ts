// // The time limit of the Bash tool, which is waited for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAlive } from '../../../support/processes.ts';
import { waitFor } from '../../../support/wait.ts';
import { makeBench } from '../tool-kit.ts';

test('the timeout ends the command and all its processes', async (t) => {
  const bench = makeBench(t);
  const command = 'sleep 1000 & echo $! $$; sleep 1000';
  const text = await bench.refusal('Bash', { command, timeout: 4_000 });
  assert.match(text, /^Exit code 143\nCommand timed out after [^\n]*\n\d+ \d+$/);
  for (const pid of text.match(/\d+(?= |$)/g)?.slice(-2) ?? []) await waitFor(() => !isAlive(Number(pid)));
});
