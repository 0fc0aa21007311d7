// The real client with the plugin of this repository, against the mock: it accepts and installs the plugin, the model
// searches and reads an earlier session through it, and the hooks archive and trace the session.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { asObject, asString, isArray, type JsonObject, type JsonValue } from '../../src/base/json/json.ts';
import { clientEnvironment, clientPath } from '../../src/doctor/client-probe/client-run.ts';
import { isSending } from '../../src/trace/outbox/send.ts';
import { tracePlaces } from '../../src/trace/state/places.ts';
import { jsonOf } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { assistant, sessionText, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { traceEnv } from '../support/trace-kit.ts';
import { startReceiver } from '../support/trace-receiver.ts';
import { waitFor } from '../support/wait.ts';
import { startSession } from './client.ts';
import { clientOf } from './live.ts';
import type { Step } from './mock-reply.ts';

const repository = path.resolve(import.meta.dirname, '../../..');
const tool = (name: string): string => `mcp__plugin_clew_clew__${name}`;
const [earlier, other] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];

test('2.1.325: the plugin is valid', async (context) => {
  const cli = await clientOf('2.1.325');
  const home = temporaryFolder(context);
  for (const place of [repository, path.join(repository, 'plugin')]) {
    const { stdout } = await runClient(cli, home, ['plugin', 'validate', '--strict', place]);
    assert.match(stdout, /✔ Validation passed\n/);
  }
});

test('2.1.325: the model searches and reads an earlier session; the hooks archive and trace this one', async (context) => {
  const cli = await clientOf('2.1.325');
  const outside = temporaryFolder(context);
  const receiver = await startReceiver(context);
  symlinkSync(clew, path.join(outside, 'clew'));
  const state = path.join(outside, 'state');
  const { HOME: _home, PATH: _path, ...tracing } = traceEnv(outside, receiver.url, { CLEW_HOME: state });
  const results: JsonObject[] = [];
  const run = await startSession({
    cli,
    prompt: 'How did we fix the zeppelin timeout? [[recall]]',
    args: ['--dangerously-skip-permissions'],
    env: { ...tracing, PATH: `${outside}${path.delimiter}${clientPath(cli)}` },
    scripts: () => ({ recall: recall(results) }),
    finish: async () => {
      for (let tries = 0; tries < 60 && archivedIds(state).length === 0; tries++) await setTimeout(200);
      await waitFor(() => receiver.spans.length >= 4);
      await waitFor(() => !isSending(tracePlaces({ CLEW_HOME: state }), 'default'));
    },
    prepare: async (home) => {
      writeEarlierSessions(home);
      const add = await runClient(cli, home, ['plugin', 'marketplace', 'add', repository]);
      assert.match(add.stdout, /Successfully added marketplace: clew/);
      const install = await runClient(cli, home, ['plugin', 'install', 'clew@clew']);
      assert.match(install.stdout, /Successfully installed plugin: clew@clew/);
      const { stdout } = await runClient(cli, home, ['plugin', 'list', '--json']);
      const [listed] = JSON.parse(stdout) as readonly JsonObject[];
      assert.deepEqual([listed?.id, listed?.enabled], ['clew@clew', true]);
    },
  });
  assert.equal(run.exitCode, 0, run.stderr);
  assert.equal(run.stderr, '');
  const [searched, read] = results.map((result) => JSON.stringify(result));
  assert.ok(searched !== undefined && read !== undefined, JSON.stringify(results));
  // The excerpt of the hit, and the whole answer; nothing of the other project, nothing of this session.
  assert.match(searched, new RegExp(`clew:${earlier.slice(0, 8)}`));
  assert.match(read, /raised ZEPPELIN_TIMEOUT_MS to 4500/);
  for (const result of [searched, read]) {
    assert.doesNotMatch(result, /secret plan of another project/);
    assert.doesNotMatch(result, /How did we fix/);
  }
  const own = Object.keys(run.files).find((name) => name.endsWith('.jsonl') && !name.startsWith(earlier));
  assert.ok(own !== undefined);
  assert.deepEqual(archivedIds(state), [path.basename(own, '.jsonl')]);
  const names = receiver.spans.map(({ name }) => name);
  assert.ok(names.includes(tool('search')) && names.includes(tool('read')), JSON.stringify(names));
});

/** Two sessions: one of the client's folder, which is next to its home, and one of another folder. */
function writeEarlierSessions(home: string): void {
  const folder = path.join(path.dirname(home), 'project');
  const slug = (cwd: string): string => cwd.replace(/[^A-Za-z0-9]/g, '-');
  const text = (sessionId: string, cwd: string, prompt: string, answer: string): string =>
    sessionText([user(prompt), assistant(answer)], { sessionId, cwd });
  writeTree(path.join(home, '.claude', 'projects'), {
    [`${slug(folder)}/${earlier}.jsonl`]: text(
      earlier,
      folder,
      'The zeppelin timeout is back, please fix it',
      'Fixed: I raised ZEPPELIN_TIMEOUT_MS to 4500 in src/zeppelin.ts.',
    ),
    [`-elsewhere/${other}.jsonl`]: text(
      other,
      '/elsewhere',
      'zeppelin timeout',
      'The secret plan of another project fixed the zeppelin timeout.',
    ),
  });
}

/** Loads the tools, searches, reads the first reference of the answer, ends. */
function recall(results: JsonObject[]): readonly Step[] {
  const call = (name: string, input: JsonObject) => ({ blocks: [{ type: 'tool_use', name, input }] });
  return [
    call('ToolSearch', { query: `select:${tool('search')},${tool('read')}` }),
    call(tool('search'), { query: 'zeppelin timeout' }),
    (request) => {
      const result = lastResult(request);
      results.push(result);
      const reference = /clew:[\w-]+#\w+/.exec(JSON.stringify(result))?.[0] ?? 'none';
      return call(tool('read'), { reference });
    },
    (request) => {
      results.push(lastResult(request));
      return { blocks: [{ type: 'text', text: 'The timeout was raised.' }] };
    },
  ];
}

function lastResult(request: JsonObject): JsonObject {
  const messages = isArray(request.messages) ? request.messages : [];
  const blocks = messages.flatMap((message) => listOf(asObject(message)?.content));
  return blocks.findLast((block) => asObject(block)?.type === 'tool_result') as JsonObject;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

function archivedIds(state: string): readonly string[] {
  return listOf(jsonOf(['archive', '--list', '--json'], { env: { CLEW_HOME: state } })).map(
    (each) => asString(asObject(each)?.sessionId) ?? '',
  );
}

function runClient(cli: string, home: string, args: readonly string[]) {
  // An address where nobody listens: otherwise the client asks for the address of its API, for 15 seconds.
  const env = clientEnvironment(cli, home, { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' });
  return promisify(execFile)(cli, [...args], { env });
}
