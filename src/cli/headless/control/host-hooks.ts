// Hooks that are functions of the program that started Clew: `initialize` registers them by id, and each event that one
// of them matches is a `hook_callback` request.
import { type HookCallback, HookUnanswered, isHookName, unreportedHooks } from '../../../agent/contract/index.ts';
import { UserError } from '../../../base/errors/index.ts';
import { asObject, isArray, type JsonObject, type JsonValue } from '../../../base/json/index.ts';
import { type HostChannel, HostError } from './channel.ts';

/** Fails with a `UserError` if a hook cannot be registered: a guard that is left out must never go unnoticed. */
export function readHostHooks(value: JsonValue | undefined, channel: HostChannel): readonly HookCallback[] {
  if (value === undefined || value === null) return [];
  const events = asObject(value);
  if (events === undefined) throw invalid('must map events to lists of matchers');
  return Object.entries(events).flatMap(([event, matchers]) => {
    if (!isHookName(event)) throw invalid(`name the event ${JSON.stringify(event)}, which is not known`);
    if (unreportedHooks.has(event)) throw invalid(`name the event ${event}, for which Clew runs no hooks`);
    if (!isArray(matchers)) throw invalid(`of ${event} must be a list of matchers`);
    return matchers.flatMap((matcher) => readMatcher(event, matcher, channel));
  });
}

function readMatcher(event: HookCallback['event'], value: JsonValue, channel: HostChannel): readonly HookCallback[] {
  const { matcher, hookCallbackIds, timeout, onFailure } = asObject(value) ?? {};
  if (!isArray(hookCallbackIds) || !hookCallbackIds.every((id) => typeof id === 'string'))
    throw invalid(`of ${event} need hookCallbackIds, a list of texts`);
  if (matcher !== undefined && matcher !== null && typeof matcher !== 'string')
    throw invalid(`of ${event} need a matcher that is a text`);
  if (typeof matcher === 'string' && !isPattern(matcher))
    throw invalid(`of ${event} have the matcher ${JSON.stringify(matcher)}, which is not a regular expression`);
  const seconds = typeof timeout === 'number' && timeout > 0 ? timeout : undefined;
  return hookCallbackIds.map((id) => ({
    event,
    label: id,
    call: (input, callId, signal) => callBack(channel, id, input, callId, signal),
    ...(typeof matcher === 'string' ? { matcher } : {}),
    ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }),
    ...(onFailure === 'block' ? { onFailure } : {}),
  }));
}

/** A guard with another matcher would never be called. */
function isPattern(matcher: string): boolean {
  if (matcher === '*') return true;
  try {
    new RegExp(matcher);
    return true;
  } catch {
    return false;
  }
}

async function callBack(
  channel: HostChannel,
  id: string,
  input: JsonObject,
  callId: string | undefined,
  signal: AbortSignal,
): Promise<JsonObject> {
  const request = { subtype: 'hook_callback', callback_id: id, input };
  try {
    const asked = { ...request, ...(callId === undefined ? {} : { tool_use_id: callId }) };
    return await channel.request(asked, signal, true);
  } catch (error) {
    if (error instanceof HostError) throw error;
    throw new HookUnanswered(error instanceof Error ? error.message : String(error));
  }
}

function invalid(what: string): UserError {
  return new UserError(`the hooks of initialize ${what}`, 'correct the request');
}
