// Sessions that `clew -p` writes, scenario by scenario, are resumed by the real clients, which send exactly what
// `clew messages` predicts, and read by the Agent SDK; sessions of every recorded client are continued by `clew -p`.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { openAgent } from '../../src/agent/agent.ts';
import type { Script } from '../../src/api/server/script.ts';
import { asObject, asString, type JsonObject } from '../../src/base/json/json.ts';
import { normalise, type SentMessage } from '../../src/session/resume/messages/normalise.ts';
import { encodeSlug } from '../../src/store/roots.ts';
import { sample } from '../agent/mcp/mcp-kit.ts';
import {
  assertSound,
  calls,
  type HeadlessKit,
  type HeadlessOptions,
  messagesOf,
  says,
  startHeadless,
  textsOf,
} from '../support/headless-kit.ts';
import { signature } from '../support/signature.ts';
import { realSessions } from '../support/surgery-kit.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { tinyImage } from '../support/tiny-images.ts';
import { waitFor } from '../support/wait.ts';
import { importPackage } from './client.ts';
import { describeDifference } from './difference.ts';
import { assertPredicted, assertPredictedByOld } from './live.ts';
import { predict } from './predict.ts';

const current = '2.1.325';
const old = '2.1.45';
const concurrency = availableParallelism() + 1;
const all = '--dangerously-skip-permissions';

interface Scenario extends HeadlessOptions {
  readonly script: Script;
  /** `clew -p go` with everything allowed, unless said. */
  readonly run?: (kit: HeadlessKit) => Promise<void>;
  /** Must be in the transcript, so that the scenario is what it says. */
  readonly holds: RegExp;
}

const look = { description: 'look', prompt: 'Look at it', subagent_type: 'general-purpose' };
const half = { blocks: [{ type: 'text', text: 'It begins and' }] };

const scenarios: Readonly<Record<string, Scenario>> = {
  plain: { script: [says('Hello.')], holds: /Hello/ },
  'all tools in parallel': {
    script: [
      calls(['Read', { file_path: 'a.txt' }]),
      calls(
        ['Read', { file_path: 'a.txt' }],
        ['Glob', { pattern: '*.txt' }],
        ['Grep', { pattern: 'one' }],
        ['Bash', { command: 'echo hi', description: 'Say hi' }],
        ['Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }],
        ['Write', { file_path: 'b.txt', content: 'new\n' }],
        ['TodoWrite', { todos: [{ content: 'Work', status: 'pending', activeForm: 'Working' }] }],
      ),
      says('All done.'),
    ],
    files: { 'project/a.txt': 'one\n' },
    holds: /structuredPatch/,
  },
  'failing tools': {
    script: [
      calls(
        ['Read', { file_path: 'missing.txt' }],
        ['Bash', { command: 'exit 3' }],
        ['Edit', { file_path: 'x', old_string: 'a', new_string: 'b' }],
        ['NoSuchTool', { a: 1 }],
      ),
      says('All failed.'),
    ],
    holds: /"is_error":true/,
  },
  thinking: {
    script: [
      {
        blocks: [
          { type: 'thinking', thinking: 'Let me see.', signature: signature(60) },
          ...calls(['Bash', { command: 'true' }]).blocks,
        ],
      },
      says('Seen.'),
    ],
    env: { MAX_THINKING_TOKENS: '2000' },
    holds: /"type":"thinking"/,
  },
  'sub-agents': {
    script: ({ body }) => {
      if (textsOf(asObject(body))[0] === 'Look at it') return says('It is blue.');
      return messagesOf(body).length === 1 ? calls(['Task', look], ['Task', look]) : says('Both say blue.');
    },
    holds: /totalToolUseCount/,
  },
  compaction: {
    script: [
      { ...calls(['Bash', { command: 'true' }]), usage: { input_tokens: 990_000 } },
      says('SUMMARY of it all'),
      says('Going on.'),
    ],
    holds: /compact_boundary.*\n.*isCompactSummary|isCompactSummary/,
  },
  resume: {
    script: () => says('Yes.'),
    run: async (kit) => {
      await printed(kit, ['-p', 'one']);
      await printed(kit, ['-p', 'two', '--continue']);
    },
    holds: /two/,
  },
  fork: {
    script: () => says('Yes.'),
    run: async (kit) => {
      await printed(kit, ['-p', 'one']);
      await printed(kit, ['-p', 'two', '--continue', '--fork-session']);
    },
    holds: /one/,
  },
  rewind: {
    script: ({ body }) => says(`Answer ${messagesOf(body).length}`),
    run: async (kit) => {
      for (const [i, prompt] of ['one', 'two', 'three'].entries())
        await printed(kit, ['-p', prompt, ...(i === 0 ? [] : ['--continue'])]);
      await rewindToSecond(kit);
    },
    holds: /three/,
  },
  'interrupt in text': {
    script: [{ ...half, hangAfterEvents: 4 }],
    run: async (kit) => interrupted(kit, /content_block_delta/),
    holds: /Request interrupted by user\]/,
  },
  'interrupt in a tool': {
    script: [calls(['Bash', { command: 'sleep 600' }], ['Read', { file_path: 'a.txt' }])],
    run: async (kit) => interrupted(kit, /"assistant".*"Read"/s),
    holds: /Request interrupted by user for tool use/,
  },
  'API errors with retries': {
    script: [
      { status: 529, type: 'overloaded_error', message: 'Overloaded', headers: { 'retry-after': '0' } },
      { blocks: [{ type: 'text', text: 'a first block' }, ...half.blocks], cutAfterEvents: 8 },
      calls(['Bash', { command: 'true' }]),
      { ...half, errorAfterEvents: 4 },
      says('At last.'),
    ],
    holds: /api_error/,
  },
  images: {
    script: [calls(['Read', { file_path: 'dot.png' }]), says('A dot.')],
    files: { 'project/dot.png': tinyImage('png', 4, 4) },
    holds: /"type":"image"/,
  },
  MCP: {
    script: [calls(['mcp__sample__echo', { text: 'hi' }], ['mcp__sample__pictures', {}]), says('Heard.')],
    files: { 'project/servers.json': JSON.stringify({ mcpServers: { sample: sample() } }) },
    run: (kit) => printed(kit, ['-p', 'go', all, '--mcp-config', 'servers.json']),
    holds: /mcp__sample__echo/,
  },
};

test('clients resume every session that clew -p writes as predicted, and the Agent SDK reads it', async (t) => {
  const files: string[] = [];
  await t.test('sessions', { concurrency }, async (group) => {
    await Promise.all(
      Object.entries(scenarios).map(([name, scenario]) =>
        group.test(name, async (context) => {
          // The kit's folder must outlive this test: the SDK reads all of them.
          const file = await writeScenario(context, t, scenario);
          files.push(file);
          await assertPredicted(current, file);
          await assertPredictedByOld(old, file);
        }),
      ),
    );
  });
  await t.test('the Agent SDK lists and reads them', async () => {
    assert.equal(files.length, Object.keys(scenarios).length);
    await assertReadBySdk(t, files);
  });
});

test('clew -p continues a session of every recorded client with the right messages', async (t) => {
  const versions = [...new Set(realSessions().map((file) => file.split('/real/')[1]?.split('/')[0] ?? ''))];
  assert.ok(versions.length >= 8, versions.join());
  for (const version of versions) {
    const session = realSessions().findLast((file) => file.includes(`/${version}/tools/`)) ?? '';
    assert.ok(session !== '', version);
    const kit = await startHeadless(t, [says('continued')]);
    const folder = path.join(kit.root, 'projects', encodeSlug(kit.cwd));
    mkdirSync(folder, { recursive: true });
    const id = path.basename(session, '.jsonl');
    const file = path.join(folder, `${id}.jsonl`);
    cpSync(session, file);
    const beside = session.replace(/\.jsonl$/, '');
    if (existsSync(beside)) cpSync(beside, file.replace(/\.jsonl$/, ''), { recursive: true });
    const predicted = await predict(file);
    const { status, result } = await kit.print(['-p', 'next', '--resume', id, '--output-format', 'json']);
    assert.deepEqual([status, result.result, result.session_id], [0, 'continued', id]);
    // The API's own schema: the server would have refused anything else.
    const sent = normalise(withoutNewline(messagesOf(kit.bodies()[0])) as unknown as readonly SentMessage[]);
    assert.ok('messages' in predicted, version);
    assert.equal(describeDifference(sent, predicted.messages), undefined, version);
  }
});

/** Clew adds its environment after the prompt, which then ends with a newline. */
function withoutNewline(messages: readonly JsonObject[]): readonly JsonObject[] {
  return JSON.parse(JSON.stringify(messages).replace('"text":"next\\n"', '"text":"next"')) as readonly JsonObject[];
}

async function writeScenario(context: TestContext, keeper: TestContext, scenario: Scenario): Promise<string> {
  const kit = await startHeadless(context, scenario.script, { ...scenario, folder: temporaryFolder(keeper) });
  await (scenario.run ?? ((made) => printed(made, ['-p', 'go', all])))(kit);
  const file = newest(kit);
  assert.match(readFileSync(file, 'utf8'), scenario.holds);
  await assertSound(file);
  return file;
}

/** Of two, the fork is the one that was written last. */
function newest(kit: HeadlessKit): string {
  const files = kit.transcripts().map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const times = files.map(({ file, text }) => ({ file, lines: text.split('\n').length }));
  return times.sort((a, b) => b.lines - a.lines)[0]?.file ?? '';
}

async function printed(kit: HeadlessKit, args: readonly string[]): Promise<void> {
  const { status, stderr } = await kit.print(args);
  assert.equal(status, 0, stderr);
}

async function interrupted(kit: HeadlessKit, after: RegExp): Promise<void> {
  const run = kit.start(['-p', 'go', all, '--output-format', 'stream-json', '--include-partial-messages']);
  run.child.stdin.end();
  await run.prints(after);
  await waitFor(() => kit.bodies().length === 1);
  run.child.kill('SIGINT');
  assert.equal((await run.ended).status, 130);
}

async function rewindToSecond(kit: HeadlessKit): Promise<void> {
  const agent = await openAgent({
    cwd: kit.cwd,
    root: kit.root,
    env: kit.env,
    session: { kind: 'continue' },
    isInteractive: false,
    isProjectTrusted: true,
    approve: async () => ({ kind: 'deny', message: 'nobody is here', isInterrupt: false }),
    askUser: async () => undefined,
    sinks: [],
  });
  const [, second] = await agent.rewindPoints();
  assert.ok(second !== undefined);
  await agent.rewind(second, 'chat');
  await agent.close('exit');
}

interface AgentSdk {
  listSessions(options?: JsonObject): Promise<readonly { readonly sessionId: string }[]>;
  getSessionMessages(
    id: string,
    options?: JsonObject,
  ): Promise<readonly { readonly uuid: string; readonly type: string }[]>;
}

/** Without its optional packages, which hold the whole client. */
async function assertReadBySdk(t: TestContext, files: readonly string[]): Promise<void> {
  const root = temporaryFolder(t);
  const folder = path.join(root, 'projects', '-home-dev-work');
  mkdirSync(folder, { recursive: true });
  for (const file of files) cpSync(file, path.join(folder, path.basename(file)));
  process.env.CLAUDE_CONFIG_DIR = root;
  const sdk = (await importPackage('@anthropic-ai/claude-agent-sdk', current.replace(/^2\.1/, '0.3'), [
    '--omit=optional',
  ])) as AgentSdk;
  const listed = (await sdk.listSessions({})).map(({ sessionId }) => sessionId);
  const ids = files.map((file) => path.basename(file, '.jsonl'));
  assert.deepEqual([...listed].sort(), [...ids].sort());
  for (const file of files) {
    const messages = await sdk.getSessionMessages(path.basename(file, '.jsonl'), {});
    const known = new Set(readFileSync(file, 'utf8').split('\n').flatMap(uuidOf));
    assert.ok(messages.length > 0 && messages.every(({ uuid }) => known.has(uuid)), file);
    assert.ok(
      messages.some(({ type }) => type === 'assistant'),
      file,
    );
  }
}

function uuidOf(line: string): string[] {
  const uuid = line === '' ? undefined : asString((JSON.parse(line) as JsonObject).uuid);
  return uuid === undefined ? [] : [uuid];
}
