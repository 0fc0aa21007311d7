// Adds our hooks to the text of the client's settings.json, or removes them. Everything else stays as it is.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installedHooks, withHooks, withoutHooks } from '../../settings/index.ts';
import { discoverSessions } from '../../store/index.ts';
import { readEdge } from '../state/index.ts';

export interface ClientVersion {
  readonly numbers: readonly number[];
  readonly from: 'claude --version' | 'the newest transcript';
}

export async function detectClientVersion(
  roots: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ClientVersion | undefined> {
  try {
    const { stdout } = await promisify(execFile)('claude', ['--version'], { env, timeout: 15_000 });
    const numbers = numbersOf(/^\s*v?(\d+\.\d+\.\d+)/.exec(stdout)?.[1]);
    if (numbers !== undefined) return { numbers, from: 'claude --version' };
  } catch {
    // not on the PATH, or not executable
  }
  const { sessions } = await discoverSessions(roots);
  const newest = [...sessions].sort((a, b) => b.mtimeMs - a.mtimeMs).slice(0, 5);
  for (const { path } of newest) {
    const tail = readEdge(path, 'end', 256 * 1024)?.text ?? '';
    const numbers = numbersOf([...tail.matchAll(/"version":"(\d+\.\d+\.\d+)"/g)].at(-1)?.[1]);
    if (numbers !== undefined) return { numbers, from: 'the newest transcript' };
  }
  return undefined;
}

function numbersOf(text: string | undefined): readonly number[] | undefined {
  return text?.split('.').map(Number);
}

export interface HookPlan {
  readonly event: string;
  readonly isAsync: boolean;
  readonly timeoutS: number;
}

/** Old clients run no hook at all if the file has an event that they do not know (measured, see docs/tracing.md). */
export function plannedHooks(version: readonly number[] | undefined): readonly HookPlan[] {
  const isAtLeast = (...wanted: readonly number[]): boolean => version !== undefined && compare(version, wanted) >= 0;
  const stop = { event: 'Stop', isAsync: isAtLeast(2, 1), timeoutS: 20 };
  if (!isAtLeast(2, 0, 50)) return [stop];
  return [
    stop,
    { event: 'SessionEnd', isAsync: false, timeoutS: 3 },
    { event: 'SessionStart', isAsync: isAtLeast(2, 1), timeoutS: 10 },
  ];
}

/** `text`: `undefined` if there is no file. Returns the same text if nothing changes. */
export function withTraceHooks(
  text: string | undefined,
  plans: readonly HookPlan[],
  command: string,
  name: string,
): string {
  const entries = plans.map((plan) => ({ ...plan, command }));
  return withHooks(text, entries, isTraceHook, name);
}

export function withoutTraceHooks(text: string, name: string): string {
  return withoutHooks(text, isTraceHook, name);
}

export function installedEvents(text: string | undefined, name: string): readonly string[] {
  const ours = installedHooks(text, name).filter(({ command }) => isTraceHook(command));
  return [...new Set(ours.map(({ event }) => event))];
}

export function isTraceHook(command: string): boolean {
  return /trace-hook\.js['"]?$|\bclew(?:\.js)?['"]? trace hook$/.test(command);
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
