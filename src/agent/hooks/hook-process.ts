// Runs one hook command with its input. It runs in a guarded process group: an abort, a timeout or the end of the agent
// also ends its child processes.
import { asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { startGuarded } from '../../base/process/index.ts';
import type { HookName } from '../contract/index.ts';

export interface HookCommand {
  readonly command: string;
  readonly timeoutMs: number;
}

export interface HookGroup {
  readonly matches: (subject: string) => boolean;
  readonly commands: readonly HookCommand[];
}

export interface HookConfig {
  readonly groups: ReadonlyMap<HookName, readonly HookGroup[]>;
  readonly problems: readonly string[];
}

const defaultTimeoutMs = 60_000;
const maxTimeoutMs = 3_600_000;

const names: ReadonlySet<string> = new Set<HookName>([
  ...(['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'Stop', 'SubagentStop', 'SessionStart', 'SessionEnd'] as const),
  ...(['PreCompact', 'Notification'] as const),
]);
/** Events without a matcher, by their documentation: a matcher is ignored. */
const withoutMatcher: ReadonlySet<string> = new Set(['UserPromptSubmit', 'Stop']);

export function readHooks(hooks: JsonObject): HookConfig {
  const problems: string[] = [];
  const groups = new Map<HookName, readonly HookGroup[]>();
  for (const [name, list] of Object.entries(hooks)) {
    if (!isHookName(name)) {
      problems.push(`hooks for ${name} are not run: the event is not known`);
      continue;
    }
    const read = (isArray(list) ? list : []).flatMap((group) => readGroup(name, group, problems));
    if (read.length > 0) groups.set(name, read);
  }
  return { groups, problems };
}

function isHookName(name: string): name is HookName {
  return names.has(name);
}

function readGroup(name: HookName, group: JsonValue, problems: string[]): readonly HookGroup[] {
  if (!isObject(group) || !isArray(group.hooks)) {
    problems.push(`a group of hooks for ${name} is not run: it has no list of hooks`);
    return [];
  }
  const commands = group.hooks.flatMap((hook) => readCommand(name, hook, problems));
  const matcher = withoutMatcher.has(name) ? '' : (asString(group.matcher) ?? '');
  return commands.length === 0 ? [] : [{ matches: makeMatcher(matcher, problems), commands }];
}

function readCommand(name: HookName, hook: JsonValue, problems: string[]): readonly HookCommand[] {
  const command = isObject(hook) && hook.type === 'command' ? asString(hook.command) : undefined;
  if (!isObject(hook) || command === undefined || command.trim() === '') {
    const type = isObject(hook) ? JSON.stringify(hook.type ?? null) : 'none';
    problems.push(`a hook for ${name} is not run: only the type "command" is known, not ${type}`);
    return [];
  }
  const seconds = typeof hook.timeout === 'number' && hook.timeout > 0 ? hook.timeout : defaultTimeoutMs / 1000;
  return [{ command, timeoutMs: Math.min(seconds * 1000, maxTimeoutMs) }];
}

/** Empty or `*`: everything; names separated by `|`: exactly these; otherwise a regular expression. */
function makeMatcher(matcher: string, problems: string[]): (subject: string) => boolean {
  if (matcher === '' || matcher === '*') return () => true;
  const list = matcher.split('|').map((name) => name.trim());
  if (/^[\w\s|-]+$/.test(matcher)) return (subject) => list.includes(subject);
  try {
    const pattern = new RegExp(matcher);
    return (subject) => pattern.test(subject);
  } catch {
    problems.push(`the matcher ${matcher} of a hook is not a regular expression; it is compared literally`);
    return (subject) => subject === matcher;
  }
}

export interface HookResult {
  /** `undefined` if it was killed or never started. */
  readonly exitCode: number | undefined;
  readonly ended?: 'timeout' | 'abort' | 'signal';
  /** Why it could not be started. */
  readonly problem?: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly isCut: boolean;
}

export interface HookPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const maxOutputBytes = 1 << 20;
/** For hooks that clean up; then they are killed. */
const graceMs = 1000;
/** A child process of the hook may hold its output open. */
const drainMs = 200;

export function runHook(
  { command, timeoutMs }: HookCommand,
  input: string,
  { cwd, env }: HookPlace,
  signal: AbortSignal,
): Promise<HookResult> {
  return new Promise((resolve) => {
    const empty = { stdout: '', stderr: '', isCut: false };
    if (signal.aborted) return resolve({ exitCode: undefined, ended: 'abort', ...empty });
    const hook = startGuarded('/bin/sh', ['-c', command], { cwd, env });
    const stdout = collect(hook.stdout);
    const stderr = collect(hook.stderr);
    let ended: 'timeout' | 'abort' | undefined;
    let isDone = false;
    let killer: NodeJS.Timeout | undefined;
    const end = (why: 'timeout' | 'abort'): void => {
      if (isDone || ended !== undefined) return;
      ended = why;
      hook.signal('SIGTERM');
      killer = setTimeout(() => hook.signal('SIGKILL'), graceMs);
    };
    const onAbort = (): void => end('abort');
    const timer = setTimeout(() => end('timeout'), timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    const finish = (exitCode: number | null, problem?: string): void => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      clearTimeout(killer);
      signal.removeEventListener('abort', onAbort);
      // Child processes that are still running end with the hook.
      if (ended !== undefined) hook.signal('SIGKILL');
      hook.stdout.destroy();
      hook.stderr.destroy();
      const why = ended ?? (exitCode === null && problem === undefined ? 'signal' : undefined);
      resolve({
        exitCode: why === undefined ? (exitCode ?? undefined) : undefined,
        ...(why === undefined ? {} : { ended: why }),
        ...(problem === undefined ? {} : { problem }),
        stdout: stdout.text(),
        stderr: stderr.text(),
        isCut: stdout.isCut() || stderr.isCut(),
      });
    };
    hook.child.on('error', (error) => finish(null, error.message));
    hook.child.on('close', (code) => finish(code));
    hook.child.on('exit', (code) => {
      if (ended === undefined) hook.release();
      setTimeout(() => finish(code), drainMs);
    });
    // Many hooks do not read their input.
    hook.stdin.on('error', () => undefined);
    hook.stdin.end(input);
  });
}

function collect(stream: NodeJS.ReadableStream): { text(): string; isCut(): boolean } {
  const pieces: Buffer[] = [];
  let size = 0;
  stream.on('error', () => undefined);
  stream.on('data', (piece: Buffer) => {
    if (size < maxOutputBytes) pieces.push(piece.subarray(0, maxOutputBytes - size));
    size += piece.length;
  });
  return { text: () => Buffer.concat(pieces).toString('utf8'), isCut: () => size > maxOutputBytes };
}
