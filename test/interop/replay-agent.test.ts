// Recorded sessions play the model (`clew replay`) for our agent and for the real client, in a scratch folder with
// everything allowed: both make the recorded calls again, the same names with the same inputs in the same order.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { openAgent } from '../../src/agent/agent.ts';
import { startReplayServer } from '../../src/api/server/replay-server.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { agentEnv } from '../support/agent-kit.ts';
import { filesBelow } from '../support/paths.ts';
import { realSessions } from '../support/surgery-kit.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { startSession } from './client.ts';
import { clientOf } from './live.ts';
import { blocksIn, callsIn, callsOf, copyInto, promptOf, recordedFolder } from './replay-kit.ts';

const current = '2.1.325';
const wanted = 20;
const concurrency = availableParallelism() + 1;
const workspace = { 'README.md': '# My Project\n\nA CLI tool for managing widgets.\n', 'src/a.js': 'export {};\n' };

/** One prompt and at least one call, of as many clients and scenarios as there are; none that was broken off on purpose. */
function chosenSessions(): readonly string[] {
  const scenarios = ['tools', 'agent', 'thinking', 'bgbash', 'readimage', 'big', 'slow'];
  const candidates = scenarios.flatMap((scenario) =>
    realSessions().filter((file) => file.includes(`/${scenario}/`) && isReplayable(file)),
  );
  return candidates.slice(0, wanted);
}

function isReplayable(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  const prompts = blocksIn(text, 'user').filter(({ type }) => type === 'text');
  const recordedCalls = callsOf(text);
  // Without its transcripts, what a sub-agent was answered is not known.
  const isWhole = !recordedCalls.some((call) => / (?:Task|Agent) /.test(call)) || hasAgents(file);
  return prompts.length === 1 && recordedCalls.length > 0 && isWhole && text.includes(`"cwd":"${recordedFolder}"`);
}

function hasAgents(file: string): boolean {
  return existsSync(path.join(file.replace(/\.jsonl$/, ''), 'subagents'));
}

test('our agent makes the calls of recorded sessions again', { concurrency }, async (t) => {
  const chosen = chosenSessions();
  assert.equal(chosen.length, wanted);
  await Promise.all(
    chosen.map((recorded) =>
      t.test(nameOf(recorded), async (context) => {
        const folder = temporaryFolder(context);
        const [cwd, root] = [path.join(folder, 'project'), path.join(folder, 'claude')];
        for (const made of [cwd, root]) mkdirSync(made);
        writeTree(cwd, workspace);
        const session = copyInto(context, recorded, cwd);
        await runOurs(context, session, cwd, root);
        const [main = ''] = filesBelow(root, '.jsonl').filter((file) => !file.includes('/subagents/'));
        assert.deepEqual(callsOf(readFileSync(main, 'utf8')), callsOf(readFileSync(session, 'utf8')));
        const made = filesBelow(root, '.jsonl').flatMap((file) => callsOf(readFileSync(file, 'utf8')));
        assert.deepEqual(made.sort(), callsIn(session).sort());
      }),
    ),
  );
});

test(`${current} makes the calls of recorded sessions again`, { concurrency }, async (t) => {
  await Promise.all(
    chosenSessions().map((recorded) =>
      t.test(nameOf(recorded), async (context) => {
        const env: Record<string, string> = {};
        let session = '';
        const run = await startSession({
          cli: await clientOf(current),
          prompt: promptOf(recorded),
          args: ['--dangerously-skip-permissions'],
          workspace,
          env,
          // Generous: several clients start at once.
          timeoutMs: 240_000,
          prepare: async (home) => {
            session = copyInto(context, recorded, path.join(path.dirname(home), 'project'));
            const server = await startReplayServer(await loadSession(session));
            context.after(() => server.close());
            env.ANTHROPIC_BASE_URL = server.url;
            env.ANTHROPIC_API_KEY = server.apiKey;
          },
        });
        assert.equal(run.exitCode, 0, run.stderr || run.stdout);
        const files = Object.entries(run.files).filter(([name]) => name.endsWith('.jsonl'));
        const made = files.flatMap(([, bytes]) => callsOf(bytes.toString()));
        assert.deepEqual(plainCalls(made).sort(), plainCalls(callsIn(session)).sort());
        const main = files.find(([name]) => !name.includes('/'))?.[1].toString() ?? '';
        assert.deepEqual(plainCalls(callsOf(main)), plainCalls(callsOf(readFileSync(session, 'utf8'))));
      }),
    ),
  );
});

/** The client writes a default of Edit into the input, where older ones left it out. */
function plainCalls(made: readonly string[]): string[] {
  return made.map((call) => call.replace(/"replace_all":false,|,"replace_all":false/, ''));
}

async function runOurs(t: TestContext, session: string, cwd: string, root: string): Promise<void> {
  const server = await startReplayServer(await loadSession(session));
  t.after(() => server.close());
  const agent = await openAgent({
    cwd,
    root,
    env: { ...agentEnv(path.dirname(cwd), server.url), ANTHROPIC_API_KEY: server.apiKey },
    session: { kind: 'new' },
    mode: 'bypassPermissions',
    isInteractive: false,
    isProjectTrusted: true,
    approve: async () => ({ kind: 'deny', message: 'nobody is here', isInterrupt: false }),
    askUser: async () => undefined,
    sinks: [],
  });
  const ended = await agent.prompt(promptOf(session));
  await agent.close('exit');
  assert.deepEqual([ended.outcome, ended.error], ['success', undefined]);
}

function nameOf(file: string): string {
  const [version = '', scenario = ''] = file.split('/real/')[1]?.split('/') ?? [];
  return `${version} ${scenario} ${path.basename(file).slice(0, 8)}`;
}
