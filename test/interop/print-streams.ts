// The same scripted run by the real client and by `clew -p`, on the same mock: the messages that each prints.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isObject, type JsonObject, parseJson } from '../../src/base/json/json.ts';
import { clientEnvironment, clientSettings } from '../../src/doctor/client-probe/client-run.ts';
import { clew } from '../support/dist.ts';
import type { FileSet } from './client.ts';
import { startGateway } from './direct-api.ts';
import type { ScriptBlock, Scripts } from './mock-reply.ts';

export interface PrintScenario {
  /** The prompt of `-p`; with several, they are sent as stream-json, each after the result of the one before. */
  readonly prompts: readonly string[];
  readonly scripts?: Scripts;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Below the working directory. */
  readonly files?: FileSet;
  /** `~/.claude/settings.json`. */
  readonly settings?: JsonObject;
  /** Interrupts when a printed line matches. */
  readonly interruptOn?: RegExp;
}

export interface PrintStream {
  readonly exitCode: number | null;
  readonly messages: readonly JsonObject[];
}

const timeoutMs = 120_000;

export function say(text: string): ScriptBlock {
  return { type: 'text', text };
}

export function bash(command: string): ScriptBlock {
  return { type: 'tool_use', name: 'Bash', input: { command, description: 'A command' } };
}

/** `client`: the path of the real client; without it Clew runs. */
export async function printStream(
  scenario: PrintScenario,
  client: string,
  who: 'client' | 'clew',
): Promise<PrintStream> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'clew-stream-')));
  const [home, workspace] = [path.join(root, 'home'), path.join(root, 'project')];
  const mock = await startGateway({ scripts: scenario.scripts ?? {}, onRequest: () => undefined });
  try {
    await writeFiles(workspace, scenario.files ?? {});
    const settings =
      scenario.settings === undefined ? {} : { '.claude/settings.json': JSON.stringify(scenario.settings) };
    await writeFiles(home, { '.claude.json': clientSettings(workspace), ...settings });
    const env = {
      ...clientEnvironment(client, home, mock.env),
      CLEW_HOME: path.join(root, 'state'),
      ...scenario.env,
    };
    return await run(scenario, who === 'client' ? [client] : [process.execPath, clew], workspace, env);
  } finally {
    await mock.close();
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function run(
  { prompts, args = [], interruptOn }: PrintScenario,
  [program = '', ...before]: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<PrintStream> {
  const [first = '', ...rest] = prompts;
  const isOne = rest.length === 0 && interruptOn === undefined;
  const format = ['--output-format', 'stream-json', '--verbose', ...(isOne ? [] : ['--input-format', 'stream-json'])];
  const argv = [...before, '-p', ...(isOne ? [first] : []), ...format, ...args];
  const child = spawn(program, argv, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => undefined);
  const send = (line: JsonObject): void => void child.stdin.write(`${JSON.stringify(line)}\n`);
  const prompt = (content: string): void => send({ type: 'user', message: { role: 'user', content } });
  const waiting = [...rest];
  if (isOne) child.stdin.end();
  else prompt(first);
  const messages: JsonObject[] = [];
  let isInterrupted = false;
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    const lines = `${text}${piece}`.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const message = parseJson(line);
      if (isObject(message)) messages.push(message);
      if (interruptOn?.test(line) === true && !isInterrupted) {
        isInterrupted = true;
        send({ type: 'control_request', request_id: 'interrupt', request: { subtype: 'interrupt' } });
      }
      if (isOne || !isObject(message) || message.type !== 'result') continue;
      const next = waiting.shift();
      if (next === undefined) child.stdin.end();
      else prompt(next);
    }
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  clearTimeout(timer);
  return { exitCode, messages };
}

async function writeFiles(folder: string, files: FileSet): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, data] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, data);
  }
}
