// The `hooks` of the settings → the commands for an event. A hook that is not understood becomes a problem, never an
// exception.

import { asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import type { HookName } from '../contract/hook.ts';

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
