// Runs the built command as a user would, in an environment without any value of the machine.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type JsonValue, parseJson } from '../../src/base/json/json.ts';
import { runInThread } from './clew-thread.ts';
import { clew } from './dist.ts';
import { ordinaryProgram } from './ordinary-user.ts';

export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** `ordinaryUser` (ordinary-user.ts). */
  readonly uid?: number;
  /** In a separate process, also in the fast tests: for state of a process, like an open database. */
  readonly isAlone?: boolean;
}

/** No home, no colours, 80 columns, UTC, unless `env` overrides it. */
export function runClew(args: readonly string[], { env = {}, cwd, uid, isAlone = false }: RunOptions = {}): Run {
  const call = { args, env: { ...cleanEnv(), ...env } };
  if (process.env.CLEW_FAST_TESTS === '1' && uid === undefined && !isAlone) return runInThread(call, cwd);
  const [node = '', ...program] = uid === undefined ? [process.execPath, clew] : ordinaryProgram();
  const { status, stdout, stderr, error } = spawnSync(node, [...program, ...args], {
    encoding: 'utf8',
    maxBuffer: 512 * 1024 * 1024,
    env: call.env,
    ...(cwd === undefined ? {} : { cwd }),
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  if (error !== undefined) throw error;
  return { status, stdout, stderr };
}

export function cleanEnv(): Record<string, string> {
  const home = path.join(tmpdir(), 'clew-no-such-home');
  return { PATH: process.env.PATH ?? '', HOME: home, CLEW_HOME: stateHome(), NO_COLOR: '1', COLUMNS: '80', TZ: 'UTC' };
}

let ownState: string | undefined;

/** One index for all calls of a test file, removed with its process. */
function stateHome(): string {
  if (ownState !== undefined) return ownState;
  const folder = mkdtempSync(path.join(tmpdir(), 'clew-state-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  ownState = folder;
  return folder;
}

/** The JSON that a successful call prints; anything else fails with its output. */
export function jsonOf(args: readonly string[], options?: RunOptions): JsonValue {
  const { status, stdout, stderr } = runClew(args, options);
  const value = status === 0 ? parseJson(stdout) : undefined;
  if (value === undefined) throw new Error(`clew ${args.join(' ')}: exit ${status}, ${stderr || stdout.slice(0, 200)}`);
  return value;
}
