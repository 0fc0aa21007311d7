// Runs the hooks of an event: all commands with a matching matcher at the same time, equal commands once. Their
// verdicts are merged into one.

import type { JsonObject } from '../../base/json/json.ts';
import type { HookName, HookRunner, HookVerdict } from '../contract/hook.ts';
import { namesOf } from '../contract/tool.ts';
import { mergeVerdicts, readAnswer } from './hook-answer.ts';
import { type HookCommand, readHooks } from './hook-config.ts';
import { runHook } from './hook-process.ts';

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
