// Runs the hooks of an event: all commands with a matching matcher at the same time, equal commands once. Their
// verdicts are merged into one.

import { asObject, asString, isObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import { type HookName, type HookRunner, type HookVerdict, namesOf } from '../contract/index.ts';
import { type HookCommand, type HookResult, readHooks, runHook } from './hook-process.ts';

// The output and exit code of a hook → its verdict, by the published contract: exit code 2 blocks with stderr as the
// reason, JSON on stdout decides, other failures are only reported. Several verdicts are merged; the strictest wins.

const maxContext = 30_000;
/** For other events, exit code 2 comes too late to block anything. */
const blockable: ReadonlySet<HookName> = new Set<HookName>([
  'PreToolUse',
  'PostToolUse',
  'UserPromptSubmit',
  'Stop',
  'SubagentStop',
  'PreCompact',
]);
const speaking: ReadonlySet<HookName> = new Set<HookName>(['UserPromptSubmit', 'SessionStart']);

function readAnswer(name: HookName, { command, timeoutMs }: HookCommand, result: HookResult): HookVerdict {
  const { exitCode, ended } = result;
  const stderr = result.stderr.trim();
  if (ended === 'abort') return verdict({});
  if (ended === 'timeout')
    return verdict({ messages: [`the hook ${command} did not end within ${timeoutMs / 1000} s`] });
  if (exitCode === undefined)
    return verdict({ messages: [`the hook ${command} failed: ${result.problem ?? 'it was killed'}`] });
  if (exitCode === 2) {
    const reason = stderr === '' ? `blocked by the hook ${command}` : stderr;
    return verdict(blockable.has(name) ? { blocked: cut(reason) } : { messages: [cut(reason)] });
  }
  if (exitCode !== 0)
    return verdict({
      messages: [`the hook ${command} failed (exit code ${exitCode})${stderr === '' ? '' : `: ${cut(stderr)}`}`],
    });
  const text = result.stdout.trim();
  const json = text.startsWith('{') && !result.isCut ? parseJson(text) : undefined;
  if (isObject(json)) return readJson(name, command, json);
  return verdict({ context: speaking.has(name) && text !== '' ? [cut(text)] : [] });
}

function readJson(name: HookName, command: string, json: JsonObject): HookVerdict {
  const specific = asObject(json.hookSpecificOutput) ?? {};
  const event = asString(specific.hookEventName);
  const isOurs = event === undefined || event === name;
  const messages = isOurs ? [] : [`the hook ${command} answered for ${event}, not for ${name}; that part is ignored`];
  const systemMessage = asString(json.systemMessage);
  const reason = asString(json.reason);
  const permission = name === 'PreToolUse' ? readPermission(json, isOurs ? specific : {}, command) : undefined;
  const updatedInput = isOurs && name === 'PreToolUse' ? asObject(specific.updatedInput) : undefined;
  const context = isOurs ? asString(specific.additionalContext) : undefined;
  const blocks = json.decision === 'block' && blockable.has(name);
  return verdict({
    ...(blocks ? { blocked: cut(reason ?? `blocked by the hook ${command}`) } : {}),
    ...(permission === undefined ? {} : { permission }),
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(json.continue === false ? { stop: cut(asString(json.stopReason) ?? `stopped by the hook ${command}`) } : {}),
    context: context === undefined || context === '' ? [] : [cut(context)],
    messages: [...messages, ...(systemMessage === undefined ? [] : [cut(systemMessage)])],
  });
}

function readPermission(json: JsonObject, specific: JsonObject, command: string): HookVerdict['permission'] {
  const decision = asString(specific.permissionDecision);
  const reason = asString(specific.permissionDecisionReason) ?? `the hook ${command} says so`;
  if (decision === 'allow' || decision === 'deny') return { decision, reason: cut(reason) };
  // An unknown decision must not skip the question to the user.
  if (decision !== undefined) return { decision: 'ask', reason: cut(reason) };
  if (json.decision !== 'approve') return undefined;
  return { decision: 'allow', reason: cut(asString(json.reason) ?? reason) };
}

function mergeVerdicts(verdicts: readonly HookVerdict[]): HookVerdict {
  const strictness = { deny: 2, ask: 1, allow: 0 } as const;
  const blocked = verdicts.flatMap((each) => each.blocked ?? []);
  const permission = verdicts
    .flatMap((each) => each.permission ?? [])
    .reduce<HookVerdict['permission']>(
      (worst, each) => (worst === undefined || strictness[each.decision] > strictness[worst.decision] ? each : worst),
      undefined,
    );
  const updatedInput = verdicts.map((each) => each.updatedInput).findLast((each) => each !== undefined);
  const stop = verdicts.flatMap((each) => each.stop ?? [])[0];
  return verdict({
    ...(blocked.length === 0 ? {} : { blocked: blocked.join('\n') }),
    ...(permission === undefined ? {} : { permission }),
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(stop === undefined ? {} : { stop }),
    context: verdicts.flatMap(({ context }) => context),
    messages: verdicts.flatMap(({ messages }) => messages),
  });
}

function verdict(part: Partial<HookVerdict>): HookVerdict {
  return { context: [], messages: [], ...part };
}

function cut(text: string): string {
  return text.length <= maxContext
    ? text
    : `${text.slice(0, maxContext).toWellFormed()}\n… (cut, ${text.length} characters)`;
}

export interface HookOptions {
  /** The `hooks` of the settings: event → groups. */
  readonly hooks: JsonObject;
  readonly projectDir: string;
  /** The current working directory of the shell. */
  readonly cwd: () => string;
  readonly env: NodeJS.ProcessEnv;
  /** Called for each command that ran, in the order of the settings. */
  readonly onRan?: (ran: RanHook) => void | Promise<void>;
}

export interface RanHook {
  readonly event: HookName;
  readonly command: string;
  /** `tool_use_id` of the input. */
  readonly callId?: string;
  /** A message for the user. */
  readonly message?: string;
}

/** `problems`: hooks that will not run, for a notice. */
export interface Hooks extends HookRunner {
  readonly problems: readonly string[];
}

export function makeHookRunner(options: HookOptions): Hooks {
  const { groups, problems } = readHooks(options.hooks);
  return {
    problems,
    has: (name) => groups.has(name),
    async run(name, subject, input, signal) {
      const subjects = name === 'PreToolUse' || name === 'PostToolUse' ? namesOf(subject) : [subject];
      const fitting = (groups.get(name) ?? []).filter((group) => subjects.some(group.matches));
      const commands = distinct(fitting.flatMap((group) => group.commands));
      if (commands.length === 0) return { context: [], messages: [] };
      const text = JSON.stringify({ cwd: options.cwd(), ...input, hook_event_name: name });
      const place = { cwd: options.cwd(), env: { ...options.env, CLAUDE_PROJECT_DIR: options.projectDir } };
      const verdicts = await Promise.all(
        commands.map(async (command) => readAnswer(name, command, await runHook(command, text, place, signal))),
      );
      for (const [i, { command }] of commands.entries())
        await options.onRan?.(ranHook(name, command, input, verdicts[i]));
      return mergeVerdicts(verdicts);
    },
  };
}

/** The longest timeout if the same command is listed twice. */
function distinct(commands: readonly HookCommand[]): readonly HookCommand[] {
  const byText = new Map<string, HookCommand>();
  for (const command of commands) {
    const known = byText.get(command.command);
    if (known === undefined || known.timeoutMs < command.timeoutMs) byText.set(command.command, command);
  }
  return [...byText.values()];
}

function ranHook(event: HookName, command: string, input: JsonObject, verdict: HookVerdict | undefined): RanHook {
  const message = [verdict?.blocked, verdict?.stop, ...(verdict?.messages ?? [])]
    .filter((each) => each !== undefined)
    .join('\n');
  const callId = input.tool_use_id;
  return {
    event,
    command,
    ...(typeof callId === 'string' ? { callId } : {}),
    ...(message === '' ? {} : { message }),
  };
}
