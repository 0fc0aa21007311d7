// The `hooks` of the settings → hooks by event. What cannot run is a problem that is shown to the user.
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { type HookCallback, type HookName, HookUnanswered, isHookName } from '../contract/index.ts';
import { failedHook, type Hook, printedJson, withinTime } from './hook.ts';
import { runCommand } from './hook-process.ts';
import { type AskHookModel, askAboutEvent, postEvent } from './hook-request.ts';

export interface HookGroup {
  readonly matches: (subject: string) => boolean;
  readonly hooks: readonly Hook[];
}

export interface HookConfig {
  readonly groups: ReadonlyMap<HookName, readonly HookGroup[]>;
  readonly problems: readonly string[];
}

const commandTimeoutMs = 600_000;
const promptTimeoutMs = 30_000;
const maxTimeoutMs = 3_600_000;

/** Events without a matcher: a matcher is ignored. */
const withoutMatcher: ReadonlySet<HookName> = new Set<HookName>([
  ...(['UserPromptSubmit', 'Stop', 'PostToolBatch', 'CwdChanged', 'MessageDisplay', 'TaskCreated'] as const),
  ...(['TaskCompleted', 'TeammateIdle', 'WorktreeCreate', 'WorktreeRemove'] as const),
]);

/** Events that Clew knows, but that never happen in it. */
export const neverFired: ReadonlySet<HookName> = new Set<HookName>([
  ...(['PermissionDenied', 'Setup', 'TeammateIdle', 'TaskCreated', 'TaskCompleted', 'Elicitation'] as const),
  ...(['ElicitationResult', 'ConfigChange', 'WorktreeCreate', 'WorktreeRemove', 'InstructionsLoaded'] as const),
  ...(['FileChanged', 'DirectoryAdded', 'MessageDisplay', 'PreModelSwitch', 'PostModelSwitch'] as const),
]);

export function readHooks(hooks: JsonObject, ask: AskHookModel | undefined): HookConfig {
  const problems: string[] = [];
  const groups = new Map<HookName, readonly HookGroup[]>();
  for (const [name, list] of Object.entries(hooks)) {
    if (!isHookName(name)) {
      problems.push(`hooks for ${name} are not run: the event is not known`);
      continue;
    }
    if (neverFired.has(name)) {
      problems.push(`hooks for ${name} are not run: Clew has no such event`);
      continue;
    }
    const read = (isArray(list) ? list : []).flatMap((group) => readGroup(name, group, ask, problems));
    if (read.length > 0) groups.set(name, read);
  }
  return { groups, problems };
}

function readGroup(
  name: HookName,
  group: JsonValue,
  ask: AskHookModel | undefined,
  problems: string[],
): readonly HookGroup[] {
  if (!isObject(group) || !isArray(group.hooks)) {
    problems.push(`a group of hooks for ${name} is not run: it has no list of hooks`);
    return [];
  }
  const hooks = group.hooks.flatMap((hook) => {
    const read = readHook(asObject(hook) ?? {}, ask);
    if (typeof read !== 'string') return [read];
    problems.push(`a hook for ${name} is not run: ${read}`);
    return [];
  });
  const matcher = withoutMatcher.has(name) ? '' : (asString(group.matcher) ?? '');
  return hooks.length === 0 ? [] : [{ matches: makeMatcher(matcher, problems), hooks }];
}

/** The hook, or why it cannot run. */
function readHook(hook: JsonObject, ask: AskHookModel | undefined): Hook | string {
  const rule = asString(hook.if);
  const common = {
    isOnce: hook.once === true,
    blocksOnFailure: hook.onFailure === 'block',
    ...(rule === undefined ? {} : { rule }),
  };
  switch (hook.type) {
    case 'command':
      return readCommand(hook, common);
    case 'http': {
      const url = asString(hook.url) ?? '';
      if (!/^https?:\/\//.test(url)) return 'a hook of the type "http" needs a url';
      const headers = Object.entries(asObject(hook.headers) ?? {}).flatMap(([header, value]) =>
        typeof value === 'string' ? [[header, value] as const] : [],
      );
      const target = { url, headers: Object.fromEntries(headers), allowedEnvVars: textsIn(hook.allowedEnvVars) };
      const timeoutMs = timeoutOf(hook, commandTimeoutMs);
      return { ...common, label: url, key: keyOf(hook), timeoutMs, run: (call) => postEvent(target, call) };
    }
    case 'prompt': {
      const prompt = asString(hook.prompt) ?? '';
      if (prompt.trim() === '') return 'a hook of the type "prompt" needs a prompt';
      if (ask === undefined) return 'there is no model to ask';
      const model = asString(hook.model);
      const continueOnBlock = hook.continueOnBlock === true;
      const target = { prompt, continueOnBlock, ...(model === undefined ? {} : { model }) };
      const timeoutMs = timeoutOf(hook, promptTimeoutMs);
      const label = prompt.length > 60 ? `${prompt.slice(0, 60)}…` : prompt;
      return { ...common, label, key: keyOf(hook), timeoutMs, run: (call) => askAboutEvent(target, ask, call) };
    }
    case 'agent':
    case 'mcp_tool':
      return `hooks of the type "${hook.type}" are not supported; use the type "command"`;
    default:
      return `its type is ${JSON.stringify(hook.type ?? null)}, not "command", "http" or "prompt"`;
  }
}

function readCommand(hook: JsonObject, common: Pick<Hook, 'isOnce' | 'blocksOnFailure'>): Hook | string {
  const command = asString(hook.command) ?? '';
  if (command.trim() === '') return 'a hook of the type "command" needs a command';
  if (hook.shell !== undefined && hook.shell !== 'bash')
    return `its shell is ${JSON.stringify(hook.shell)}; only "bash" is supported`;
  const args = isArray(hook.args) ? textsIn(hook.args) : undefined;
  const isAsync = hook.asyncRewake === true ? 'wake' : hook.async === true ? 'late' : undefined;
  return {
    ...common,
    label: [command, ...(args ?? [])].join(' '),
    key: JSON.stringify([command, args ?? null, hook.if ?? null]),
    timeoutMs: timeoutOf(hook, commandTimeoutMs),
    ...(isAsync === undefined ? {} : { isAsync }),
    run: (call) => runCommand(command, args, call),
  };
}

function timeoutOf({ timeout }: JsonObject, defaultMs: number): number {
  return Math.min(typeof timeout === 'number' && timeout > 0 ? timeout * 1000 : defaultMs, maxTimeoutMs);
}

function keyOf(hook: JsonObject): string {
  return JSON.stringify(hook);
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  return isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** Callbacks are told apart by identity: two equal ones both run. */
export function groupOfCallback(callback: HookCallback, index: number, problems: string[]): HookGroup {
  const { matcher = '', label, timeoutMs = commandTimeoutMs, onFailure, event } = callback;
  const run: Hook['run'] = (call) =>
    withinTime(call, async (signal) => {
      const callId = asString(call.input.tool_use_id);
      try {
        const json = await callback.call(call.input, callId, signal);
        return printedJson(json.async === true ? {} : json);
      } catch (error) {
        if (!(error instanceof HookUnanswered)) throw error;
        return { ...failedHook(error.message), ended: 'unanswered' };
      }
    });
  const hook: Hook = {
    label,
    key: `callback ${index}`,
    timeoutMs,
    isOnce: false,
    blocksOnFailure: onFailure === 'block',
    blocksOnSilence: true,
    run,
  };
  return { matches: makeMatcher(withoutMatcher.has(event) ? '' : matcher, problems), hooks: [hook] };
}

/** Empty or `*`: everything; names separated by `|` or `,`: exactly these; otherwise a regular expression. */
export function makeMatcher(matcher: string, problems: string[]): (subject: string) => boolean {
  if (matcher === '' || matcher === '*') return () => true;
  const list = matcher.split(/[|,]/).map((name) => name.trim());
  if (/^[\w\s|,-]+$/.test(matcher)) return (subject) => list.includes(subject);
  try {
    const pattern = new RegExp(matcher);
    return (subject) => pattern.test(subject);
  } catch {
    problems.push(`the matcher ${matcher} of a hook is not a regular expression; it is compared literally`);
    return (subject) => subject === matcher;
  }
}
