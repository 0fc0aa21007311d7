// One run of a client: what it finds around it, and that nothing of it is left, however the run ends.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type ClientRunOptions, runClient } from '../../../src/doctor/client-probe/client-run.ts';
import { probeSessionId } from '../../../src/doctor/client-probe/probe-lines.ts';
import { probeSessions } from '../../../src/doctor/client-probe/probe-sessions.ts';
import { type FakeClient, type FakeClientOptions, writeFakeClient } from '../../support/fake-client.ts';
import { isAlive } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait.ts';

function optionsFor({ path: client }: FakeClient, more: Partial<ClientRunOptions> = {}): ClientRunOptions {
  const transcript = probeSessions()[0]?.transcript ?? '';
  const { signal } = new AbortController();
  return { client, sessionId: probeSessionId, transcript, prompt: 'next', timeoutMs: 600_000, signal, ...more };
}

function fake(context: Parameters<typeof temporaryFolder>[0], options: Partial<FakeClientOptions> = {}): FakeClient {
  return writeFakeClient(temporaryFolder(context), { version: '2.1.325', ...options });
}

test('the client finds nothing of the user: a home and a folder of its own, and only these variables', async (context) => {
  process.env.CLEW_PROBE_SECRET = 'of the user';
  context.after(() => delete process.env.CLEW_PROBE_SECRET);
  const client = fake(context);
  const outcome = await runClient(optionsFor(client));
  assert.ok('messages' in outcome);
  const noted = client.noted();
  assert.ok(noted !== undefined);
  const own = ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC'];
  const silent = ['CLAUDE_CODE_MAX_RETRIES', 'DISABLE_AUTOUPDATER', 'DISABLE_ERROR_REPORTING', 'DISABLE_TELEMETRY'];
  const system = [
    'HOME',
    'HTTPS_PROXY',
    'HTTP_PROXY',
    'IS_SANDBOX',
    'LANG',
    'NO_PROXY',
    'PATH',
    'SHELL',
    'TERM',
    'TZ',
    'USER',
  ];
  // The shell that guards the process adds its own.
  const shell = new Set(['PWD', 'OLDPWD', 'SHLVL', '_']);
  assert.deepEqual(
    Object.keys(noted.env)
      .filter((name) => !shell.has(name))
      .sort(),
    [...own, ...silent, ...system].sort(),
  );
  assert.equal(noted.env.ANTHROPIC_API_KEY, 'dummy-key');
  assert.match(noted.env.ANTHROPIC_BASE_URL ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(noted.env.HTTPS_PROXY, noted.env.ANTHROPIC_BASE_URL);
  assert.equal(path.dirname(noted.env.HOME ?? ''), path.dirname(noted.cwd));
  assert.ok(!existsSync(path.dirname(noted.cwd)));
});

test('a client that sends nothing is ended at the end of its time', async (context) => {
  const client = fake(context, { hangs: true });
  assert.deepEqual(await runClient(optionsFor(client, { timeoutMs: 2_000 })), { late: true });
  const noted = client.noted();
  assert.ok(noted !== undefined);
  assert.ok(!isAlive(noted.pid));
  assert.ok(!existsSync(path.dirname(noted.cwd)));
});

test('a stop ends the client and removes what it had', async (context) => {
  const client = fake(context, { hangs: true });
  const controller = new AbortController();
  const run = runClient(optionsFor(client, { signal: controller.signal }));
  const noted = await waitFor(() => client.noted());
  controller.abort(new Error('stopped'));
  await assert.rejects(run, /stopped/);
  assert.ok(!isAlive(noted.pid));
  assert.ok(!existsSync(path.dirname(noted.cwd)));
});

test('what a client says that refuses a session is the reason', async (context) => {
  const client = fake(context, { instead: { plain: null } });
  assert.deepEqual(await runClient(optionsFor(client)), { refused: 'No conversation found' });
});
