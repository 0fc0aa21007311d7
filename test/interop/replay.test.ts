// The real client driven by `clew replay`: run again in a scratch folder with the recorded prompt, it makes the tool
// calls that were recorded, sub-agents included.
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { startScriptedServer } from '../../src/api/server/scripted-server.ts';
import { isSideRequest } from '../../src/api/server/side-request.ts';
import { asObject, asString, isArray, isObject, type JsonObject, parseJson } from '../../src/base/json.ts';
import { filesBelow, skipWithoutShared } from '../support/paths.ts';
import { startClew } from '../support/running-clew.ts';
import { realSessions } from '../support/surgery-kit.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { startSession } from './client.ts';
import { clientOf } from './live.ts';

const current = '2.1.325';
/** Where the sessions of the corpus were recorded. */
const recordedFolder = '/home/dev/widgets';

for (const [scenario, calls] of [
  ['tools', 15],
  ['agent', 4],
] as const) {
  test(
    `${current} makes the calls of the recorded session "${scenario}" again`,
    { skip: skipWithoutShared },
    async (t) => {
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
    },
  );
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

/** The session and its sub-agents, with the scratch folder in place of the recorded one, which must not be touched. */
function copyInto(t: TestContext, recorded: string, folder: string): string {
  const target = path.join(temporaryFolder(t), path.basename(recorded));
  cpSync(recorded, target);
  const beside = recorded.replace(/\.jsonl$/, '');
  if (existsSync(beside)) cpSync(beside, target.replace(/\.jsonl$/, ''), { recursive: true });
  for (const file of filesBelow(path.dirname(target), '.jsonl')) {
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(recordedFolder, folder));
  }
  return target;
}

function callsIn(session: string): string[] {
  return filesBelow(path.dirname(session), '.jsonl').flatMap((file) => callsOf(readFileSync(file, 'utf8')));
}

/** `id name input` of every call. */
function callsOf(text: string): string[] {
  return blocksIn(text, 'assistant').flatMap((block) =>
    block.type === 'tool_use' ? [`${block.id} ${block.name} ${JSON.stringify(block.input)}`] : [],
  );
}

function promptOf(file: string): string {
  const [first] = blocksIn(readFileSync(file, 'utf8'), 'user').filter((block) => block.type === 'text');
  return asString(first?.text) ?? '';
}

function blocksIn(text: string, type: string): JsonObject[] {
  return text.split('\n').flatMap((line) => {
    const entry = asObject(parseJson(line));
    const content = entry?.type === type ? asObject(entry.message)?.content : undefined;
    if (typeof content === 'string') return [{ type: 'text', text: content }];
    return isArray(content) ? content.filter(isObject) : [];
  });
}
