// The real client as a black box: installs a version from npm, runs it on session files in a temporary home against
// the mock, and returns what it sent and wrote. The client is proprietary: it is run, never read.
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { systemErrorCode } from '../../src/base/errors/errors.ts';
import {
  clientEnvironment,
  clientPath,
  clientSettings,
  mainMessages,
} from '../../src/doctor/client-probe/client-run.ts';
import { type NormalMessage, normalise, type SentMessage } from '../../src/session/resume/messages/normalise.ts';
import { startDirectApi, startGateway } from './direct-api.ts';
import type { ApiRequest, MockApiOptions } from './mock-api.ts';
import type { Scripts } from './mock-reply.ts';

const execFileAsync = promisify(execFile);

/** Files by their path below some folder. */
export type FileSet = Readonly<Record<string, string | Uint8Array>>;

export interface ClientOptions {
  /** Path of the client's binary, see `installClient`. */
  readonly cli: string;
  readonly prompt: string;
  /** Where the client believes its requests go: to an address it is given (the default), or to api.anthropic.com. */
  readonly host?: 'anthropic' | 'gateway';
  readonly args?: readonly string[];
  /** The files of the client's working directory. */
  readonly workspace?: FileSet;
  /** What the mock answers, given the folder the client works in; without it, every answer is `MOCK-REPLY`. */
  readonly scripts?: (folder: string) => Scripts;
  /** See `MockApiOptions`. */
  readonly answer?: MockApiOptions['answer'];
  readonly timeoutMs?: number;
  /** Added to the client's small environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called with the client's home before it starts. */
  readonly prepare?: (home: string) => void | Promise<void>;
  /** Called after the client has ended, before its home is removed: its hooks may still be at work. */
  readonly finish?: () => Promise<void>;
}

export interface ResumeOptions extends ClientOptions {
  /** The project folder below `~/.claude/projects`: `<sessionId>.jsonl` and what belongs to it (`sessionFiles`). */
  readonly files: FileSet;
  readonly sessionId: string;
}

export interface ClientRun {
  /** `null` where the client was ended because it took too long. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The normalised messages of the first request with tools, `null` where the client sent none. */
  readonly sent: readonly NormalMessage[] | null;
  readonly rawMessages: readonly SentMessage[] | null;
  readonly requests: readonly ApiRequest[];
  /** The project folder after the run. */
  readonly files: Readonly<Record<string, Buffer>>;
}

export interface ResumeRun extends ClientRun {
  /** What the client appended to the transcript, `null` if it changed earlier bytes. */
  readonly appended: string | null;
}

/** Installs a version once, into `$CLEW_CLIENTS` or `~/.cache/clew-clients`, and returns the path of its binary. */
export async function installClient(version: string): Promise<string> {
  const cli = path.join(installFolder(version), 'node_modules', '.bin', 'claude');
  if (existsSync(cli) && (await versionProblem(cli, version)) === undefined) return cli;
  await install(version, async (folder) => {
    await npmInstall(folder, `@anthropic-ai/claude-code@${version}`);
    // The newer packages link their native binary in an install script, which npm 11 no longer runs automatically.
    const installer = path.join(folder, 'node_modules/@anthropic-ai/claude-code/install.cjs');
    if (existsSync(installer)) await execFileAsync(process.execPath, [installer], { cwd: path.dirname(installer) });
  });
  const problem = await versionProblem(cli, version);
  if (problem === undefined) return cli;
  const folder = path.dirname(cli);
  throw new Error(`the client ${version} in ${folder} does not run (${problem}); remove that folder and try again`);
}

/** Imports a package that only a test of this folder needs, installed once next to the clients. */
export async function importPackage(name: string, version: string, flags: readonly string[] = []): Promise<unknown> {
  return import(createRequire(await installPackage(name, version, flags)).resolve(name));
}

/** Installs such a package and returns the path of its package.json. */
export async function installPackage(name: string, version: string, flags: readonly string[] = []): Promise<string> {
  const folderName = `${name.replaceAll('/', '-')}-${version}`;
  const manifest = path.join(installFolder(folderName), 'node_modules', name, 'package.json');
  if (!existsSync(manifest)) await install(folderName, (folder) => npmInstall(folder, `${name}@${version}`, flags));
  return manifest;
}

function installFolder(name: string): string {
  return path.join(process.env.CLEW_CLIENTS ?? path.join(homedir(), '.cache', 'clew-clients'), name);
}

/** Two processes may install at once: each into its own folder, the first to finish gives it the name. */
async function install(name: string, fill: (folder: string) => Promise<void>): Promise<void> {
  const folder = installFolder(name);
  await mkdir(path.dirname(folder), { recursive: true });
  const own = await mkdtemp(path.join(path.dirname(folder), `.installing-${name}-`));
  try {
    await fill(own);
    await rename(own, folder).catch((error: unknown) => {
      if (!['ENOTEMPTY', 'EEXIST'].includes(systemErrorCode(error) ?? '')) throw error;
    });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

/** Resumes a session with a prompt. */
export async function resume(options: ResumeOptions): Promise<ResumeRun> {
  const { sessionId, files, args = [] } = options;
  const run = await runClient(options, files, ['--resume', sessionId, ...args]);
  const before = Buffer.from(files[`${sessionId}.jsonl`] ?? '');
  const after = run.files[`${sessionId}.jsonl`] ?? Buffer.alloc(0);
  const untouched = after.subarray(0, before.length).equals(before);
  return { ...run, appended: untouched ? after.subarray(before.length).toString() : null };
}

/** Starts a new session with a prompt. */
export async function startSession(options: ClientOptions): Promise<ClientRun> {
  return runClient(options, {}, options.args ?? []);
}

/** A transcript and its side folder (`subagents/`, `tool-results/`). */
export async function sessionFiles(transcript: string): Promise<FileSet> {
  const sessionId = path.basename(transcript, '.jsonl');
  const beside = path.join(path.dirname(transcript), sessionId);
  const files: Record<string, Uint8Array> = { [`${sessionId}.jsonl`]: await readFile(transcript) };
  if (!existsSync(beside)) return files;
  for (const [name, bytes] of Object.entries(await readFolder(beside))) files[path.join(sessionId, name)] = bytes;
  return files;
}

/** Why the client does not run as this version; `undefined` if it does. */
async function versionProblem(cli: string, version: string): Promise<string | undefined> {
  // A home of its own: old clients write their settings there, and fail on those that another one is just writing.
  const home = await mkdtemp(path.join(tmpdir(), 'clew-client-home-'));
  try {
    const { stdout } = await execFileAsync(cli, ['--version'], { env: { PATH: clientPath(cli), HOME: home } });
    return stdout.startsWith(`${version} `) ? undefined : `it calls itself ${stdout.trim()}`;
  } catch (error) {
    return String(error);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function npmInstall(folder: string, spec: string, flags: readonly string[] = []): Promise<void> {
  // In the folder itself, so that the settings of this checkout do not apply.
  const options = { cwd: folder, maxBuffer: 16 * 1024 * 1024 };
  await execFileAsync(
    'npm',
    ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', ...flags, spec],
    options,
  );
}

async function runClient(options: ClientOptions, files: FileSet, args: readonly string[]): Promise<ClientRun> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'clew-interop-')));
  const home = path.join(root, 'home');
  const workspace = path.join(root, 'project');
  // Not `src/store`: what places the files for the oracle must not depend on what the oracle judges.
  const projectFolder = path.join(home, '.claude/projects', workspace.replace(/[^A-Za-z0-9]/g, '-'));
  const requests: ApiRequest[] = [];
  const scripts = options.scripts?.(workspace) ?? {};
  const startApi = options.host === 'anthropic' ? startDirectApi : startGateway;
  const answer = options.answer === undefined ? {} : { answer: options.answer };
  const mock = await startApi({ scripts, onRequest: (request) => requests.push(request), ...answer });
  try {
    await writeFiles(workspace, options.workspace ?? {});
    await writeFiles(projectFolder, files);
    await writeFile(path.join(home, '.claude.json'), clientSettings(workspace));
    await options.prepare?.(home);
    const argv = [...args, '-p', options.prompt, '--output-format', 'json'];
    const { timeoutMs = 60_000 } = options;
    const env = { ...clientEnvironment(options.cli, home, mock.env), ...options.env };
    const ended = await runToEnd(options.cli, argv, workspace, env, timeoutMs);
    await options.finish?.();
    const rawMessages = firstMessages(requests);
    return {
      ...ended,
      sent: rawMessages === null ? null : normalise(rawMessages),
      rawMessages,
      requests,
      files: await readFolder(projectFolder),
    };
  } finally {
    await mock.close();
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

type EndedProcess = Pick<ClientRun, 'exitCode' | 'stdout' | 'stderr'>;

async function runToEnd(
  cli: string,
  argv: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  timeoutMs: number,
): Promise<EndedProcess> {
  const child = spawn(cli, argv, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(late ? null : code));
  });
  // The client's tools run in sessions of their own and only the client can end them: ask first, kill later.
  let late = false;
  const ask = setTimeout(() => {
    late = true;
    child.kill('SIGTERM');
  }, timeoutMs);
  const kill = setTimeout(() => child.kill('SIGKILL'), timeoutMs + 5000);
  try {
    const [exitCode, stdout, stderr] = await Promise.all([exit, readText(child.stdout), readText(child.stderr)]);
    return { exitCode, stdout, stderr: withoutLongLines(stderr) };
  } finally {
    clearTimeout(ask);
    clearTimeout(kill);
  }
}

/** A crash prints the client's own packed source as one enormous line. */
function withoutLongLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.length < 400);
  return lines.join('\n').trim();
}

function firstMessages(requests: readonly ApiRequest[]): readonly SentMessage[] | null {
  const asked = requests.filter(({ path }) => path === '/v1/messages');
  return asked.map(({ body }) => mainMessages(body)).find((messages) => messages !== undefined) ?? null;
}

async function writeFiles(folder: string, files: FileSet): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, data] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, data);
  }
}

async function readFolder(folder: string): Promise<Record<string, Buffer>> {
  const files: Record<string, Buffer> = {};
  for (const name of await readdir(folder, { recursive: true })) {
    const file = path.join(folder, name);
    if ((await stat(file)).isFile()) files[name] = await readFile(file);
  }
  return files;
}
