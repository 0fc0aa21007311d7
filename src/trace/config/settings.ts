// Adds our hooks to the text of the client's settings.json, or removes them. Everything else stays as it is.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { UserError } from '../../base/errors/index.ts';
import {
  asObject,
  asString,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../base/json/index.ts';
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
export function withHooks(text: string | undefined, plans: readonly HookPlan[], command: string, name: string): string {
  const settings = parseSettings(text, name);
  const hooks = withoutOurs(settings, name);
  for (const { event, isAsync, timeoutS } of plans) {
    const own = { type: 'command', command, timeout: timeoutS, ...(isAsync ? { async: true } : {}) };
    hooks[event] = [...(hooks[event] ?? []), { hooks: [own] }];
  }
  return changed(text, settings, hooks);
}

export function withoutHooks(text: string, name: string): string {
  const settings = parseSettings(text, name);
  return changed(text, settings, withoutOurs(settings, name));
}

export function installedEvents(text: string | undefined, name: string): readonly string[] {
  const hooks = asObject(parseSettings(text, name).hooks) ?? {};
  return Object.keys(hooks).filter((event) => listOf(hooks[event]).some((group) => commandsOf(group).some(isOurs)));
}

function withoutOurs(settings: JsonObject, name: string): Record<string, readonly JsonValue[]> {
  const hooks = settings.hooks === undefined ? {} : asObject(settings.hooks);
  if (hooks === undefined) throw new UserError(`"hooks" in ${name} is not an object`, 'correct it first');
  const rest: Record<string, readonly JsonValue[]> = {};
  for (const [event, groups] of Object.entries(hooks)) {
    if (!isArray(groups)) throw new UserError(`the hooks of ${event} in ${name} are not a list`, 'correct it first');
    const kept = groups.flatMap((group) => groupWithoutOurs(group));
    if (kept.length > 0 || groups.length === 0) rest[event] = kept;
  }
  return rest;
}

function groupWithoutOurs(group: JsonValue): readonly JsonValue[] {
  if (!isObject(group) || !commandsOf(group).some(isOurs)) return [group];
  const hooks = listOf(group.hooks).filter((hook) => !isOurs(hook));
  return hooks.length === 0 ? [] : [{ ...group, hooks }];
}

function commandsOf(group: JsonValue): readonly JsonValue[] {
  return isObject(group) ? listOf(group.hooks) : [];
}

function isOurs(hook: JsonValue): boolean {
  const command = isObject(hook) ? asString(hook.command) : undefined;
  return command !== undefined && /trace-hook\.js['"]?$|\bclew(?:\.js)?['"]? trace hook$/.test(command.trim());
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

function parseSettings(text: string | undefined, name: string): JsonObject {
  if (text === undefined || text.trim() === '') return {};
  const settings = asObject(parseJson(text.replace(/^\uFEFF/, '')));
  if (settings === undefined)
    throw new UserError(`${name} is not a JSON object`, 'correct it first; nothing was changed');
  return settings;
}

function changed(
  text: string | undefined,
  settings: JsonObject,
  hooks: Readonly<Record<string, readonly JsonValue[]>>,
): string {
  const { hooks: before, ...rest } = settings;
  const isEmpty = Object.keys(hooks).length === 0;
  if (text !== undefined && JSON.stringify(before ?? {}) === JSON.stringify(hooks)) return text;
  const indent = /^\s*\{\s*\n([ \t]+)"/.exec(text ?? '')?.[1] ?? '  ';
  // At the old position, so that a diff shows only the change.
  const next = before === undefined || isEmpty ? { ...rest, ...(isEmpty ? {} : { hooks }) } : { ...settings, hooks };
  return `${JSON.stringify(next, null, indent)}\n`;
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
