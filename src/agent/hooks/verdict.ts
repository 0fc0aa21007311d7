// The output and exit code of a hook → its verdict, by the published contract: exit code 2 blocks with stderr as the
// reason, JSON on stdout decides, other failures are only reported. Several verdicts are merged; the strictest wins.
import { asObject, asString, isArray, isObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import {
  guardEvents,
  type HookName,
  type HookVerdict,
  notTakenText,
  type PermissionAnswer,
  refusal,
} from '../contract/index.ts';
import type { Hook, HookResult } from './hook.ts';

const maxContext = 30_000;
/** For other events, exit code 2 comes too late to block anything. */
const blockable: ReadonlySet<HookName> = new Set<HookName>([
  ...(['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch', 'PermissionRequest'] as const),
  ...(['UserPromptSubmit', 'UserPromptExpansion', 'Stop', 'SubagentStop', 'PreCompact'] as const),
]);
const speaking: ReadonlySet<HookName> = new Set<HookName>(['UserPromptSubmit', 'UserPromptExpansion', 'SessionStart']);

export function readAnswer(name: HookName, hook: Hook, result: HookResult): HookVerdict {
  const { exitCode, ended } = result;
  if (ended === 'abort') return verdict({});
  const stderr = result.stderr.trim();
  const isSilent = ended === 'unanswered' || (ended === 'timeout' && hook.blocksOnSilence === true);
  if (isSilent && guardEvents.has(name)) return verdict(block(name, unansweredText(name)));
  // The only reader of a message would be the program that is gone.
  if (ended === 'unanswered') return verdict({});
  const failure = failureOf(hook, result, stderr);
  if (failure !== undefined)
    return verdict({
      // A failure never keeps a turn from ending.
      ...(hook.blocksOnFailure && guardEvents.has(name) ? block(name, failure) : {}),
      messages: [cut(failure)],
    });
  if (exitCode === 2) {
    const reason = cut(stderr === '' ? `blocked by the hook ${hook.label}` : stderr);
    return verdict(blockable.has(name) ? block(name, reason) : { messages: [reason] });
  }
  const text = result.stdout.trim();
  const json = text.startsWith('{') && !result.isCut ? lastObject(text) : undefined;
  if (isObject(json)) return readJson(name, hook.label, json);
  return verdict({ context: speaking.has(name) && text !== '' ? [cut(text)] : [] });
}

function unansweredText(name: HookName): string {
  return `${name} hook did not respond before its timeout (host client may be unreachable). ${notTakenText(name)}`;
}

function failureOf({ label, timeoutMs }: Hook, result: HookResult, stderr: string): string | undefined {
  const { exitCode, ended } = result;
  if (ended === 'timeout') return `the hook ${label} did not end within ${timeoutMs / 1000} s`;
  if (exitCode === undefined) return `the hook ${label} failed: ${result.problem ?? 'it was killed'}`;
  if (exitCode === 0 || exitCode === 2) return undefined;
  return `the hook ${label} failed (exit code ${exitCode})${stderr === '' ? '' : `: ${cut(stderr)}`}`;
}

/** An async hook prints `{"async": true}` on its first line and its answer on the last one. */
function lastObject(text: string): JsonObject | undefined {
  const whole = asObject(parseJson(text));
  if (whole !== undefined) return whole;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return asObject(parseJson(lines[0] ?? ''))?.async === true ? asObject(parseJson(lines.at(-1) ?? '')) : undefined;
}

function block(name: HookName, reason: string): Partial<HookVerdict> {
  return refusal(name, cut(reason));
}

function readJson(name: HookName, label: string, json: JsonObject): HookVerdict {
  const specific = asObject(json.hookSpecificOutput) ?? {};
  const event = asString(specific.hookEventName);
  if (event !== undefined && event !== name) return readForeign(name, label, event);
  const own = specific;
  const systemMessage = asString(json.systemMessage);
  const context = asString(own.additionalContext);
  const isBlocked = json.decision === 'block' && blockable.has(name);
  return verdict({
    ...(isBlocked ? block(name, cut(asString(json.reason) ?? `blocked by the hook ${label}`)) : {}),
    ...decisionOf(name, label, json, own),
    ...(json.continue === false ? { stop: cut(asString(json.stopReason) ?? `stopped by the hook ${label}`) } : {}),
    context: context === undefined || context === '' ? [] : [cut(context)],
    messages: systemMessage === undefined ? [] : [cut(systemMessage)],
  });
}

/** Whatever it decided was meant for another event. As in the client, a guard that answers so refuses. */
function readForeign(name: HookName, label: string, event: string): HookVerdict {
  const problem = `the hook ${label} answered for ${event}, not for ${name}`;
  if (!guardEvents.has(name)) return verdict({ messages: [`${problem}; the answer is ignored`] });
  return verdict(block(name, `${problem}. ${notTakenText(name)}`));
}

/** What only one kind of event can decide. */
function decisionOf(name: HookName, label: string, json: JsonObject, own: JsonObject): Partial<HookVerdict> {
  switch (name) {
    case 'PreToolUse': {
      const permission = readPermission(json, own, label);
      const updatedInput = asObject(own.updatedInput);
      return {
        ...(permission === undefined ? {} : { permission }),
        ...(updatedInput === undefined ? {} : { updatedInput }),
      };
    }
    case 'PermissionRequest': {
      const request = readRequest(asObject(own.decision));
      return request === undefined ? {} : { request };
    }
    case 'PostToolUse': {
      const updatedOutput = own.updatedToolOutput ?? own.updatedMCPToolOutput;
      return updatedOutput === undefined ? {} : { updatedOutput };
    }
    default:
      return {};
  }
}

function readPermission(json: JsonObject, specific: JsonObject, label: string): HookVerdict['permission'] {
  const decision = asString(specific.permissionDecision);
  const reason = asString(specific.permissionDecisionReason) ?? `the hook ${label} says so`;
  if (decision === 'allow' || decision === 'deny') return { decision, reason: cut(reason) };
  // An unknown decision must not skip the question to the user.
  if (decision !== undefined) return { decision: 'ask', reason: cut(reason) };
  if (json.decision !== 'approve') return undefined;
  return { decision: 'allow', reason: cut(asString(json.reason) ?? reason) };
}

/** An unknown decision counts as none: the user is asked. */
export function readRequest(decision: JsonObject | undefined): PermissionAnswer | undefined {
  if (decision?.behavior === 'deny') {
    const message = asString(decision.message);
    const isInterrupt = decision.interrupt === true;
    return { behavior: 'deny', isInterrupt, ...(message === undefined ? {} : { message: cut(message) }) };
  }
  if (decision?.behavior !== 'allow') return undefined;
  const updatedInput = asObject(decision.updatedInput);
  const { updatedPermissions } = decision;
  return {
    behavior: 'allow',
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(isArray(updatedPermissions) ? { updatedPermissions: updatedPermissions.filter(isObject) } : {}),
  };
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
  const requests = verdicts.flatMap((each) => each.request ?? []);
  const request = requests.find(({ behavior }) => behavior === 'deny') ?? requests[0];
  const updatedInput = verdicts.map((each) => each.updatedInput).findLast((each) => each !== undefined);
  const updatedOutput = verdicts.map((each) => each.updatedOutput).findLast((each) => each !== undefined);
  const stop = verdicts.flatMap((each) => each.stop ?? [])[0];
  return verdict({
    ...(blocked.length === 0 ? {} : { blocked: blocked.join('\n') }),
    ...(permission === undefined ? {} : { permission }),
    ...(request === undefined ? {} : { request }),
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(updatedOutput === undefined ? {} : { updatedOutput }),
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
