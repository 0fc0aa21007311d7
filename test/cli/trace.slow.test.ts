// clew trace follow, as a process that runs on.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startClew } from '../support/running-clew.ts';
import { sessionText } from '../support/session-text.ts';
import { writeTree } from '../support/temp-folder.ts';
import { homeFor, toolTurn, traceEnv } from '../support/trace-kit.ts';
import { repeated, startReceiver } from '../support/trace-receiver.ts';
import { waitFor } from '../support/wait.ts';

test('follow sends turns as they are finished, and ends with what it began', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const root = path.join(home, 'claude');
  const file = path.join(root, 'projects/p/s.jsonl');
  writeTree(root, { 'projects/p/s.jsonl': sessionText(toolTurn('a'), { sessionId: 's' }) });
  const env = { ...traceEnv(home, receiver.url), CLEW_ROOTS: root };
  const following = startClew(context, ['trace', 'follow'], env);
  await following.says(/tracing sessions in/);
  appendFileSync(file, sessionText(toolTurn('b'), { sessionId: 's', startMinute: 1 }));
  // The first turn is closed by the second one's answer, the second one by nothing being written for a while.
  await waitFor(
    () => receiver.spans.length === 8,
    () => following.stderr(),
  );
  assert.deepEqual(repeated(receiver.spans), {});
  assert.deepEqual(await following.end('SIGINT'), [0, null]);
});
