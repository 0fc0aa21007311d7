// Which predictions hold for a program in the place of Claude Code that sends what 2.1.325 was recorded to send.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probeClient } from '../../../src/doctor/client-probe/probe-client.ts';
import { writeFakeClient } from '../../support/fake-client.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

test('a rule that the client does not follow is found, and only that one', async (context) => {
  const other = [{ role: 'user', content: 'next' }];
  const client = writeFakeClient(temporaryFolder(context), { version: '2.1.325', instead: { pin: other } });
  const report = await probeClient(client.path, { signal: new AbortController().signal });
  assert.equal(report.results.length, 20);
  assert.deepEqual(
    report.results.filter(({ difference }) => difference !== undefined).map(({ name }) => name),
    ['pin'],
  );
});

test('an older client is held to the rules of its version', async (context) => {
  const client = writeFakeClient(temporaryFolder(context), { version: '2.1.200' });
  const { results } = await probeClient(client.path, { signal: new AbortController().signal });
  // What 2.1.325 sends is not what 2.1.200 sends.
  assert.deepEqual(
    results.filter(({ difference }) => difference !== undefined).map(({ name }) => name),
    ['parallel-calls', 'thinking-mark', 'rendered-attachment', 'interrupted-call', 'interrupted-turn'],
  );
});
