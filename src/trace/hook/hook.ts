// The input of Claude Code's hook → the session's new turns in the outbox, and a background sender. It never fails: errors
// go to trace.log. The first check needs only a few file calls, so that an idle session costs little more than starting
// Node; everything else is loaded lazily.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { asObject, asString, parseJson } from '../../base/json/index.ts';
import { refuseUnlessTranscript } from '../../store/index.ts';
import { readTraceConfig } from '../config/index.ts';
import { hasOnlyGrown, logFailure, readState, type TracePlaces, tracePlaces } from '../state/index.ts';
import type { HookEvent } from './answer-hook.ts';

export interface HookOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Starts a sender that outlives the hook. */
  readonly startSender: () => void;
  readonly nowMs?: number;
}

export async function runHook(input: string, { env, startSender, nowMs = Date.now() }: HookOptions): Promise<void> {
  const places = tracePlaces(env);
  let name = 'hook';
  try {
    const config = readTraceConfig(env);
    if (config.isOff) return;
    if (config.destinations.length === 0)
      throw new Error(
        'no destination is set up in the environment of the client; see docs/tracing.md, or run `clew trace uninstall`',
      );
    const event = parseEvent(input);
    name = `hook ${event.name} ${event.sessionId}`;
    if (existsSync(event.file)) refuseUnlessTranscript(event.file);
    if (event.name !== 'SessionStart' && isIdle(places, event)) return;
    const { answerHook, needsSender } = await import('./work.ts');
    await answerHook(event, config, { env, nowMs });
    if (needsSender(places, config.destinations)) startSender();
  } catch (error) {
    logFailure(places.log, name, error, nowMs);
  }
}

function parseEvent(input: string): HookEvent {
  const value = asObject(parseJson(input));
  const file = asString(value?.transcript_path);
  if (value === undefined || file === undefined || !path.isAbsolute(file))
    throw new Error('the input of the hook does not name a transcript');
  return {
    name: asString(value.hook_event_name) ?? 'Stop',
    // The client uses the file name.
    sessionId: path.basename(file, '.jsonl'),
    file,
    lastAnswer: asString(value.last_assistant_message),
  };
}

/** Nothing was written since the last run with the same end. */
function isIdle(places: TracePlaces, { name, sessionId, file }: HookEvent): boolean {
  const state = readState(places, sessionId);
  if (state === undefined || state.atEnd === undefined || state.file !== file) return false;
  if (name === 'SessionEnd' && state.atEnd !== 'session') return false;
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  return size === state.identity.sizeBytes && hasOnlyGrown(state.identity, file);
}
