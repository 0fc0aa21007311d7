// `clew -p` as a separate process in a test: a scripted model on loopback, and an otherwise empty home.
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { type MessagesServer, startScriptedServer } from '../../src/api/server/messages-server.ts';
import type { ReplyBlock, Script, ScriptedReply } from '../../src/api/server/script.ts';
import { asObject, isArray, isObject, type JsonObject, parseJson } from '../../src/base/json/json.ts';
import { diagnoseSession } from '../../src/doctor/diagnosis/diagnose.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { isReminder } from '../../src/session/resume/messages/normalise.ts';
import { cleanEnv } from './clew.ts';
import { clew } from './dist.ts';
import { filesBelow } from './paths.ts';
import { temporaryFolder, writeTree } from './temp-folder.ts';
import { waitFor } from './wait.ts';

export interface HeadlessOptions {
  /** Below the temporary folder; `project/…` is the working directory, `home/.claude/…` belongs to the user. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface PrintEnd {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Stdout as lines of JSON. */
  readonly messages: readonly JsonObject[];
  /** The last of them. */
  readonly result: JsonObject;
}

export interface RunningPrint {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<PrintEnd>;
  stdout(): string;
  /** Waits until stdout matches. */
  prints(wanted: RegExp): Promise<string>;
}

export interface HeadlessKit {
  readonly server: MessagesServer;
  readonly folder: string;
  readonly cwd: string;
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** Without a text, stdin is closed at once. */
  print(args: readonly string[], stdin?: string, env?: Readonly<Record<string, string>>): Promise<PrintEnd>;
  start(args: readonly string[], env?: Readonly<Record<string, string>>): RunningPrint;
  bodies(): readonly JsonObject[];
  /** The transcripts below the root, without sub-agents. */
  transcripts(): readonly string[];
}

/** With the price of Sonnet 4.5, but the API takes its answers to calls without thinking. */
export const testModel = 'claude-sonnet-4-6';
const key = ['test', 'key'].join('-');

export async function startHeadless(
  t: TestContext,
  script: Script,
  options: HeadlessOptions = {},
): Promise<HeadlessKit> {
  const { files = {}, folder = temporaryFolder(t) } = options;
  const server = await startScriptedServer({ script, apiKey: key });
  t.after(() => server.close());
  const [cwd, home] = [path.join(folder, 'project'), path.join(folder, 'home')];
  const root = path.join(home, '.claude');
  for (const made of [cwd, root]) mkdirSync(made, { recursive: true });
  writeTree(folder, files);
  const env = {
    ...cleanEnv(),
    HOME: home,
    CLEW_HOME: path.join(folder, 'state'),
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_MODEL: testModel,
    ...options.env,
  };
  const start = (args: readonly string[], more: Readonly<Record<string, string>> = {}): RunningPrint =>
    startPrint(t, args, cwd, { ...env, ...more });
  return {
    server,
    folder,
    cwd,
    root,
    env,
    start,
    print: (args, stdin = '', more = {}) => {
      const running = start(args, more);
      running.child.stdin.end(stdin);
      return running.ended;
    },
    bodies: () =>
      server.requests.filter((request) => request.path === '/v1/messages').map(({ body }) => asObject(body) ?? {}),
    transcripts: () => filesBelow(root, '.jsonl').filter((file) => !file.includes('/subagents/')),
  };
}

function startPrint(t: TestContext, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): RunningPrint {
  const child = spawn(process.execPath, [clew, ...args], { cwd, env, stdio: 'pipe' });
  t.after(() => void child.kill('SIGKILL'));
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  // It may exit without reading its input.
  child.stdin.on('error', () => undefined);
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const ended = closed.then(([status, signal]): PrintEnd => {
    const messages = texts.stdout.split('\n').map(parseJson).filter(isObject);
    return { status, signal, ...texts, messages, result: messages.at(-1) ?? {} };
  });
  return {
    child,
    ended,
    stdout: () => texts.stdout,
    prints: (wanted) =>
      waitFor(
        () => (wanted.test(texts.stdout) ? texts.stdout : undefined),
        () => `${wanted} in ${JSON.stringify(texts).slice(0, 2000)}`,
      ),
  };
}

export function says(text: string): ScriptedReply {
  return { blocks: [{ type: 'text', text }] };
}

export function calls(...made: readonly (readonly [name: string, input: JsonObject])[]): ScriptedReply {
  return { blocks: made.map(([name, input]): ReplyBlock => ({ type: 'tool_use', name, input })) };
}

export function messagesOf(body: unknown): readonly JsonObject[] {
  const messages = asObject(body)?.messages;
  return isArray(messages) ? messages.filter(isObject) : [];
}

/** The texts of a request's messages, joined per message, without the environment that Clew adds. */
export function textsOf(body: JsonObject | undefined): string[] {
  return messagesOf(body).flatMap(({ content }) => {
    if (typeof content === 'string') return [content];
    const blocks = isArray(content) ? content.filter((block) => !isReminder(block)) : [];
    const said = blocks.flatMap((block) => asObject(block)?.text ?? []);
    // Clew ends a prompt with a newline if another text follows.
    return said.length === 0 ? [] : [said.join('').trimEnd()];
  });
}

/** The `type/subtype` of messages, or their content. */
export function kindsOf(messages: readonly JsonObject[]): string[] {
  return messages.map((message) => {
    if (typeof message.subtype === 'string') return `${message.type}/${message.subtype}`;
    const content = asObject(message.message)?.content;
    const blocks = isArray(content) ? content.map((block) => asObject(block)?.type) : [typeof content];
    return message.type === 'stream_event'
      ? `stream_event ${asObject(message.event)?.type}`
      : `${message.type} ${blocks.join()}`;
  });
}

/** Doctor finds nothing but notes. */
export async function assertSound(file: string): Promise<void> {
  const { findings } = await diagnoseSession(await loadSession(file));
  const bad = findings.filter(({ severity }) => severity !== 'info');
  assert.deepEqual(bad, [], file);
}
