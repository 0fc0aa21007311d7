// The output and exit code of a hook → its verdict, by the published contract: exit code 2 blocks with stderr as the
// reason, JSON on stdout decides, other failures are only reported. Several verdicts are merged; the strictest wins.

import { asObject, asString, isObject, type JsonObject, parseJson } from '../../base/json/json.ts';
import type { HookName, HookVerdict } from '../contract/hook.ts';
import type { HookCommand } from './hook-config.ts';
import type { HookResult } from './hook-process.ts';

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

export function readAnswer(name: HookName, { command, timeoutMs }: HookCommand, result: HookResult): HookVerdict {
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

export function mergeVerdicts(verdicts: readonly HookVerdict[]): HookVerdict {
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
