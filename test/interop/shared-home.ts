// One home and one project folder in which our agent and real clients take turns: the sessions of the one are where the
// others look for them. All of them talk to one mock, which answers by the markers in the prompts (mock-reply.ts).
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { clientEnvironment, clientSettings } from '../../src/doctor/client-probe/client-run.ts';
import { cleanEnv } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { filesBelow } from '../support/paths.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { clientOf } from './live.ts';
import { type ApiRequest, type MockApiOptions, startMockApi } from './mock-api.ts';
import type { Scripts } from './mock-reply.ts';

/** Our agent, or a version of the client. */
export type Program = 'clew' | '2.1.45' | '2.1.325';

export interface Turn {
  readonly prompt: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Written to stdin, with `--input-format stream-json` instead of `-p PROMPT`. */
  readonly messages?: readonly object[];
  /** Ends the program when this resolves to a signal. */
  readonly stop?: (running: RunningTurn) => Promise<NodeJS.Signals | undefined>;
}

export interface RunningTurn {
  readonly requests: readonly ApiRequest[];
  stdout(): string;
  send(message: object): void;
}

export interface TurnRun {
  readonly program: Program;
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** All requests for a message, in order. */
  readonly requests: readonly ApiRequest[];
}

export interface SharedHome {
  readonly cwd: string;
  /** The folder of the project's sessions. */
  readonly folder: string;
  /** The transcripts, without those of sub-agents. */
  transcripts(): readonly string[];
  /** Their text. */
  lines(): readonly string[];
  /** Whether a file exists in the project folder. */
  has(name: string): boolean;
  run(program: Program, turn: Turn): Promise<TurnRun>;
}

export interface SharedHomeOptions {
  /** Files below the project folder. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** Files below `~/.claude`. */
  readonly claude?: Readonly<Record<string, string>>;
  readonly scripts: (folder: string) => Scripts;
  readonly answer?: MockApiOptions['answer'];
  readonly model: string;
  /** Without it, every call is allowed. */
  readonly asks?: true;
}

export async function openSharedHome(t: TestContext, options: SharedHomeOptions): Promise<SharedHome> {
  const root = realpathSync(temporaryFolder(t));
  const [home, cwd] = [path.join(root, 'home'), path.join(root, 'project')];
  const folder = path.join(home, '.claude/projects', cwd.replace(/[^A-Za-z0-9]/g, '-'));
  for (const made of [cwd, folder]) mkdirSync(made, { recursive: true });
  writeTree(cwd, options.files ?? {});
  writeTree(path.join(home, '.claude'), options.claude ?? {});
  writeFileSync(path.join(home, '.claude.json'), clientSettings(cwd));
  let requests: ApiRequest[] = [];
  const api = await startMockApi({
    scripts: options.scripts(cwd),
    onRequest: (request) => {
      if (request.path === '/v1/messages') requests.push(request);
    },
    ...(options.answer === undefined ? {} : { answer: options.answer }),
  });
  t.after(() => api.close());
  const url = `http://127.0.0.1:${api.port}`;
  const start = async (program: Program, turn: Turn): Promise<TurnRun> => {
    requests = [];
    const own = requests;
    const { command, args, env } = await launchOf(program, home, url);
    const said = turn.messages === undefined ? ['-p', turn.prompt] : streamFlags;
    const argv = [
      ...args,
      ...said,
      '--model',
      options.model,
      ...(options.asks === true ? [] : ['--dangerously-skip-permissions']),
      ...(turn.args ?? []),
    ];
    const ended = await runProgram(command, argv, { cwd, env: { ...env, ...turn.env } }, turn, own);
    return { program, ...ended, requests: own };
  };
  const transcripts = (): readonly string[] =>
    filesBelow(folder, '.jsonl').filter((file) => !file.includes('/subagents/'));
  return {
    cwd,
    folder,
    run: start,
    transcripts,
    lines: () => transcripts().map((file) => readFileSync(file, 'utf8')),
    has: (name) => existsSync(path.join(cwd, name)),
  };
}

const streamFlags = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
const key = ['test', 'key'].join('-');

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

async function launchOf(program: Program, home: string, url: string): Promise<Launch> {
  if (program !== 'clew') {
    const cli = await clientOf(program);
    return { command: cli, args: [], env: clientEnvironment(cli, home, { ANTHROPIC_BASE_URL: url }) };
  }
  const state = path.join(path.dirname(home), 'state');
  const env = { ...cleanEnv(), HOME: home, CLEW_HOME: state, ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url };
  return { command: process.execPath, args: [clew], env: { ...env, TZ: 'UTC' } };
}

type Ended = Pick<TurnRun, 'exitCode' | 'stdout' | 'stderr'>;

const timeoutMs = 90_000;

async function runProgram(
  command: string,
  argv: readonly string[],
  where: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  { messages, stop }: Turn,
  requests: readonly ApiRequest[],
): Promise<Ended> {
  const child = spawn(command, argv, { ...where, stdio: 'pipe' });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  child.stdin.on('error', () => undefined); // it may exit without reading its input
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  for (const message of messages ?? []) send(message);
  if (stop === undefined || messages === undefined) child.stdin.end();
  const late = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const signal = await stop?.({ requests, stdout: () => texts.stdout, send });
  if (signal !== undefined) child.kill(signal);
  if (stop !== undefined) child.stdin.end();
  const exitCode = await closed;
  clearTimeout(late);
  assert.ok(child.signalCode !== 'SIGKILL' || signal === 'SIGKILL', `${command} took longer than ${timeoutMs} ms`);
  return {
    exitCode,
    stdout: texts.stdout,
    stderr: texts.stderr
      .split('\n')
      .filter((l) => l.length < 400)
      .join('\n'),
  };
}
