// Runs ripgrep from its npm package, or from PATH if the package has no binary for this platform.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isWithin, realPath } from '../../../base/files/index.ts';
import type { CallContext, Workspace } from '../../contract/index.ts';
import { refuseElsewhere } from '../files/index.ts';
import { describeMissing, limits, resolvePath, ToolFailure } from '../shared/index.ts';

export interface SearchOutput {
  readonly stdout: string;
  /** Whether output was dropped. */
  readonly isCut: boolean;
}

export interface Search {
  readonly rgPath: RipgrepPath;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The real path of the searched file or folder. */
  readonly place: string;
}

/** The path of ripgrep; `undefined` means the one from the npm package. */
export type RipgrepPath = string | undefined;

/** Returns an empty output without a match, and throws the message of ripgrep for an invalid pattern. */
export async function runRipgrep(search: Search, { workspace, signal }: CallContext): Promise<SearchOutput> {
  const program = search.rgPath ?? (await findRipgrep());
  const timeout = AbortSignal.timeout(limits.search.timeoutMs);
  // `--no-config`: the user's settings must not change the results.
  const start = confine([program, '--no-config', ...search.args], search, workspace);
  const result = await collect(start, search.cwd, AbortSignal.any([signal, timeout]));
  if (signal.aborted) throw new ToolFailure('The search was interrupted.');
  if (timeout.aborted)
    throw new ToolFailure(
      `The search took longer than ${limits.search.timeoutMs / 1000} s and was ended. Narrow it with path, glob or type.`,
    );
  if (result.code > 1 && result.stdout === '' && !result.stderr.includes(nothingSearched))
    throw new ToolFailure(`The search failed: ${result.stderr.trim()}`);
  return { stdout: result.stdout, isCut: result.isCut };
}

interface Start {
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Confines a search in the project, so that a new link leads nowhere. Elsewhere a rule or the user allowed it. */
function confine(words: readonly string[], { cwd, place }: Search, workspace: Workspace): Start {
  const isOwn = [workspace.projectDir, ...workspace.extraDirs].some((folder) => isWithin(realPath(folder), place));
  if (!isOwn || workspace.sandbox.mechanism === 'none') return { words, env: workspace.env };
  const { env, sessionDir } = workspace;
  // The sandbox shows the folder of the program, like those on PATH.
  const folder = path.dirname(words[0] ?? '');
  const searchPath = path.isAbsolute(folder) ? `${folder}:${env.PATH ?? ''}` : env.PATH;
  const launch = workspace.sandbox.launch('read-only', { cwd, env: { ...env, PATH: searchPath }, sessionDir });
  return { words: [...launch.prefix, ...words], env: launch.env };
}

async function findRipgrep(): Promise<string> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    if (existsSync(rgPath)) return rgPath;
  } catch {
    // Not installed for this platform.
  }
  return 'rg';
}

interface Collected extends SearchOutput {
  readonly stderr: string;
  readonly code: number;
}

function collect(
  { words: [program = 'rg', ...args], env }: Start,
  cwd: string,
  signal: AbortSignal,
): Promise<Collected> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const stop = (): void => void child.kill('SIGKILL');
    const stdout: Buffer[] = [];
    let size = 0;
    let stderr = '';
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    child.stdout.on('data', (bytes: Buffer) => {
      stdout.push(bytes);
      size += bytes.length;
      if (size > limits.search.outputBytes) stop();
    });
    child.stderr.on('data', (bytes: Buffer) => {
      if (stderr.length < maxStderrChars) stderr += bytes.toString('utf8');
    });
    child.once('error', (error) => {
      signal.removeEventListener('abort', stop);
      reject(isMissing(error) ? new ToolFailure(missingText) : error);
    });
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop);
      const text = Buffer.concat(stdout).toString('utf8').replaceAll('\r\n', '\n');
      resolve({ stdout: text, isCut: size > limits.search.outputBytes, stderr, code: code ?? 0 });
    });
  });
}

/** ripgrep fails if its filters leave no file; for us that is a search without a match. */
const nothingSearched = 'No files were searched';
const maxStderrChars = 2000;
const missingText =
  'ripgrep was not found, neither in the npm package @vscode/ripgrep nor on PATH. Use find and grep in Bash instead.';

function isMissing(error: Error): boolean {
  return 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES');
}

export interface SearchPlace {
  readonly absolute: string;
  /** The path after following links. */
  readonly realPath: string;
  readonly isFolder: boolean;
  /** The working directory, in which ripgrep starts. */
  readonly from: string;
  /** Empty for the working directory, so that ripgrep prints no `./`. */
  readonly args: readonly string[];
}

/** Searches hidden files, but neither files in .gitignore nor those in .git. */
export const visibilityArgs: readonly string[] = ['--hidden', '--glob', '!.git'];

/** Excludes files that may not be read. A file that the call names was checked before. */
export function hiddenArgs(
  { sandbox }: Workspace,
  { absolute, realPath, isFolder }: SearchPlace,
  from: string,
): readonly string[] {
  if (!isFolder) return [];
  return sandbox.hiddenBelow(realPath).map((file) => {
    if (file === realPath)
      throw new ToolFailure(`${absolute} may not be read: a rule denies it, or it may hold credentials.`);
    const relative = path.relative(from, file);
    const isBelow = isWithin(from, file);
    // A trailing blank of a pattern would be dropped.
    const name = (isBelow ? relative : file).replace(/[*?[\]{}\\!# ]/g, '\\$&');
    return isBelow ? `--glob=!/${name}` : `--glob=!**${name}`;
  });
}

export async function findPlace(context: CallContext, given: string | undefined): Promise<SearchPlace> {
  const { workspace } = context;
  const absolute = resolvePath(workspace, given === undefined || given === '' ? '.' : given);
  const stats = await stat(absolute).catch(() => undefined);
  if (stats === undefined) throw new ToolFailure(await describeMissing(workspace, absolute));
  // A pipe would block the search forever.
  if (!stats.isFile() && !stats.isDirectory()) throw new ToolFailure(`${absolute} is neither a file nor a folder.`);
  const [real, from] = await Promise.all([realpath(absolute), realpath(workspace.cwd)]);
  refuseElsewhere(context, 'read', absolute, real);
  const relative = path.relative(from, real);
  return {
    absolute,
    realPath: real,
    isFolder: stats.isDirectory(),
    from,
    args: relative === '' ? [] : [isWithin(from, real) ? relative : real],
  };
}
