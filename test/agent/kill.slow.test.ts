// kill -9 after every event of a turn, while tools and sub-agents run: the session loads, doctor finds nothing worse than
// info, the resumed request passes every rule of the API (the scripted server enforces them), and no process is left.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openAgent } from '../../src/agent/agent.ts';
import { type MessagesServer, startScriptedServer } from '../../src/api/server/messages-server.ts';
import type { ReplyBlock, ScriptedReply } from '../../src/api/server/script.ts';
import { agentEnv } from '../support/agent-kit.ts';
import { assertSound, calls, messagesOf, says, textsOf } from '../support/headless-kit.ts';
import type { KilledAgentOptions } from '../support/killed-agent.ts';
import { filesBelow } from '../support/paths.ts';
import { processesIn } from '../support/processes.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { waitFor } from '../support/wait.ts';
import { rude } from './mcp/mcp-kit.ts';

const isLong = process.env.CLEW_LONG === '1';
const noProc = process.platform === 'linux' ? false : 'processes are looked for in /proc';
const program = path.join(path.dirname(fileURLToPath(import.meta.url)), '../support/killed-agent.js');

test(
  'a kill after any event of a turn with tools and sub-agents leaves a whole session and no process',
  { skip: noProc },
  async (t) => {
    const server = await startScriptedServer({ script: ({ body }) => answerTo(body) });
    t.after(() => server.close());
    const whole = await runAgent(t, server, null);
    const { events, outcome } = JSON.parse(whole.printed) as { readonly events: number; readonly outcome: string };
    assert.equal(outcome, 'success');
    assert.ok(events >= 300, `only ${events} events`);
    await assertAfter(whole.folder, server);
    const step = isLong ? 1 : Math.ceil(events / 16);
    let killed = 0;
    const points = Array.from({ length: Math.ceil(events / step) }, (_, i) => 1 + i * step);
    const next = async (): Promise<void> => {
      for (let point = points.shift(); point !== undefined; point = points.shift()) {
        const { folder, signal } = await runAgent(t, server, point);
        if (signal === 'SIGKILL') killed++;
        await assertAfter(folder, server).catch((error: unknown) => {
          points.length = 0;
          throw new Error(`killed in event ${point} of ${events}: ${String(error)}`, { cause: error });
        });
      }
    };
    await Promise.all([next(), next()]);
    t.diagnostic(`${killed} kills, ${events} events`);
    // The order of what runs together varies, and with it the number of the last event.
    assert.ok(killed >= (isLong ? 300 : 12), `only ${killed} kills`);
  },
);

test(
  'after a kill a server and a hook that care for no signal and no end of their input are gone too',
  { skip: noProc },
  async (t) => {
    const server = await startScriptedServer({ script: [calls(['Read', { file_path: 'a.txt' }])] });
    t.after(() => server.close());
    const folder = temporaryFolder(t);
    const stubborn = `trap '' HUP INT TERM; : a stubborn hook; while :; do sleep 1; done`;
    writeTree(folder, {
      'project/.mcp.json': JSON.stringify({ mcpServers: { rude: rude('stubborn') } }),
      'claude/settings.json': JSON.stringify({
        enabledMcpjsonServers: ['rude'],
        hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: `(${stubborn}) & ${stubborn}` }] }] },
      }),
    });
    const child = startAgentIn(folder, server, null);
    t.after(() => child.kill('SIGKILL'));
    const left = (): string[] => processesIn(placeOf(folder).cwd).map(({ command }) => command);
    const count = (part: string): number => left().filter((command) => command.includes(part)).length;
    await waitFor(
      () => count('rude-main.js') > 0 && count('a stubborn hook') > 1 && count('sleep') > 1,
      () => left().join('\n'),
    );
    child.kill('SIGKILL');
    await waitFor(
      () => left().length === 0,
      () => left().join('\n'),
    );
  },
);

const words = (count: number): string => Array.from({ length: count }, (_, i) => `word ${i}`).join(' ');
const task = (name: string) =>
  ['Task', { description: name, prompt: `Look at ${name}`, subagent_type: 'general-purpose' }] as const;

/** Six rounds with everything that could leave a process or file; sub-agents have three. */
function answerTo(body: unknown): ScriptedReply {
  const messages = messagesOf(body);
  const said = textsOf({ messages });
  const [first = ''] = said;
  if (said.some((text) => text.includes('proceed'))) return says('back');
  const answers = messages.filter(({ role }) => role === 'assistant').length;
  if (first.startsWith('Look at'))
    return answers < 2
      ? withText('I look.', calls(['Bash', { command: 'echo seen; sleep 0.05' }], ['Read', { file_path: 'a.txt' }]))
      : says(words(40));
  return rounds[answers] ?? says(words(60));
}

const rounds: readonly ScriptedReply[] = [
  withText(
    words(40),
    calls(
      ['Bash', { command: 'sleep 600 & sleep 600', run_in_background: true }],
      ['TodoWrite', { todos: [{ content: 'Work', status: 'in_progress', activeForm: 'Working' }] }],
    ),
  ),
  withText(words(20), calls(task('one'), task('two'), ['Read', { file_path: 'a.txt' }])),
  calls(['Write', { file_path: 'b.txt', content: words(20) }], ['Bash', { command: 'sleep 0.05; exit 3' }]),
  withText(words(20), calls(task('three'), ['Glob', { pattern: '*.txt' }], ['Grep', { pattern: 'one' }])),
  calls(['Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }], ['Read', { file_path: 'missing' }]),
];

function withText(text: string, { blocks }: ScriptedReply): ScriptedReply {
  const said: ReplyBlock = { type: 'text', text };
  return { blocks: [said, ...blocks] };
}

interface AgentEnd {
  readonly folder: string;
  readonly printed: string;
  readonly signal: NodeJS.Signals | null;
}

async function runAgent(t: TestContext, server: MessagesServer, killAt: number | null): Promise<AgentEnd> {
  const folder = temporaryFolder(t);
  const child = startAgentIn(folder, server, killAt);
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const printed = await readText(child.stdout);
  const [, signal] = await closed;
  return { folder, printed, signal };
}

function startAgentIn(folder: string, server: MessagesServer, killAt: number | null) {
  const place = placeOf(folder);
  for (const made of Object.values(place)) mkdirSync(made, { recursive: true });
  writeTree(folder, { 'project/a.txt': 'one\n' });
  const options: KilledAgentOptions = { ...place, prompt: 'Work on it', killAt };
  return spawn(process.execPath, [program, JSON.stringify(options)], {
    env: agentEnv(folder, server.url),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function placeOf(folder: string) {
  return { cwd: path.join(folder, 'project'), root: path.join(folder, 'claude') };
}

async function assertAfter(folder: string, server: MessagesServer): Promise<void> {
  await waitFor(
    () => processesIn(folder).length === 0,
    () => `left: ${processesIn(folder).map(({ command }) => command)}`,
  );
  const { cwd, root } = placeOf(folder);
  const [file] = filesBelow(root, '.jsonl').filter((each) => !each.includes('/subagents/'));
  // Before the prompt is written there is no session.
  if (file === undefined) return;
  await assertSound(file);
  const agent = await openAgent({
    cwd,
    root,
    env: agentEnv(folder, server.url),
    session: { kind: 'continue' },
    mode: 'bypassPermissions',
    isInteractive: false,
    isProjectTrusted: true,
    approve: async () => ({ kind: 'deny', message: 'nobody is here', isInterrupt: false }),
    askUser: async () => undefined,
    sinks: [],
  });
  const ended = await agent.prompt('proceed');
  await agent.close('exit');
  assert.deepEqual([ended.outcome, ended.text, ended.error], ['success', 'back', undefined]);
  await assertSound(file);
}
