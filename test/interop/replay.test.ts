// The real client driven by `clew replay`: run again in a scratch folder with the recorded prompt, it makes the tool
// calls that were recorded, sub-agents included.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { startScriptedServer } from '../../src/api/server/messages-server.ts';
import { isSideRequest } from '../../src/api/server/replay-server.ts';
import { asObject, asString, isArray, isObject, parseJson } from '../../src/base/json/json.ts';
import { startClew } from '../support/running-clew.ts';
import { realSessions } from '../support/surgery-kit.ts';
import { startSession } from './client.ts';
import { clientOf } from './live.ts';
import { callsIn, callsOf, copyInto, promptOf } from './replay-kit.ts';

const current = '2.1.325';

for (const [scenario, calls] of [
  ['tools', 15],
  ['agent', 4],
] as const) {
  test(`${current} makes the calls of the recorded session "${scenario}" again`, async (t) => {
    const recorded = realSessions().find((file) => file.includes(`/${current}/${scenario}/`)) ?? '';
    const env: Record<string, string> = {};
    let expected: readonly string[] = [];
    let replay: ReturnType<typeof startClew> | undefined;
    const run = await startSession({
      cli: await clientOf(current),
      prompt: promptOf(recorded),
      args: ['--dangerously-skip-permissions'],
      workspace: { 'README.md': '# My Project\n\nA CLI tool for managing widgets.\n', 'src/a.js': 'export {};\n' },
      env,
      prepare: async (home) => {
        const session = copyInto(t, recorded, path.join(path.dirname(home), 'project'));
        expected = callsIn(session);
        replay = startClew(t, ['replay', session, '--json']);
        const listening = parseJson((await replay.prints(/\n/)).split('\n')[0] ?? '');
        env.ANTHROPIC_BASE_URL = asString(asObject(listening)?.url) ?? '';
        env.ANTHROPIC_API_KEY = asString(asObject(listening)?.apiKey) ?? '';
      },
    });
    assert.equal(run.exitCode, 0, run.stderr || run.stdout);
    assert.deepEqual(await replay?.end('SIGTERM'), [0, null]);
    const lines = (replay?.stdout() ?? '').trim().split('\n').map(parseJson).filter(isObject);
    const made = Object.entries(run.files).flatMap(([name, bytes]) =>
      name.endsWith('.jsonl') ? callsOf(bytes.toString()) : [],
    );
    assert.equal(expected.length, calls);
    assert.deepEqual(made.sort(), [...expected].sort());
    const summary = lines.at(-1);
    const mismatches = lines.flatMap((line) => (isArray(line.mismatches) ? line.mismatches : []));
    t.diagnostic(`${JSON.stringify(summary)} ${JSON.stringify(mismatches).slice(0, 400)}`);
    assert.equal(summary?.event, 'end');
    assert.deepEqual(
      mismatches.filter((each) => asObject(each)?.kind !== 'result'),
      [],
    );
  });
}

test(`${current} keeps to the rules of the scripted server, and survives its faults`, async (t) => {
  const seen: string[] = [];
  const server = await startScriptedServer({
    script: ({ body }) => {
      const request = asObject(body) ?? {};
      if (isSideRequest(request)) return { blocks: [{ type: 'text', text: 'OK.' }] };
      const turns = isArray(request.messages)
        ? request.messages.filter((each) => asObject(each)?.role === 'assistant')
        : [];
      const isRetry = seen.at(-1) === `${turns.length}`;
      seen.push(`${turns.length}`);
      if (turns.length === 0 && !isRetry)
        return { status: 529, type: 'overloaded_error', message: 'Overloaded', headers: { 'retry-after': '0' } };
      if (turns.length > 0) return { blocks: [{ type: 'text', text: 'It is done.' }] };
      return { blocks: [{ type: 'tool_use', name: 'Bash', input: { command: 'echo 42', description: 'Say it' } }] };
    },
  });
  t.after(() => server.close());
  const run = await startSession({
    cli: await clientOf(current),
    prompt: 'do it',
    args: ['--dangerously-skip-permissions'],
    env: { ANTHROPIC_BASE_URL: server.url, CLAUDE_CODE_MAX_RETRIES: '3' },
  });
  const result = asObject(parseJson(run.stdout));
  assert.deepEqual([run.exitCode, result?.result, seen], [0, 'It is done.', ['0', '0', '1']], run.stderr || run.stdout);
});
