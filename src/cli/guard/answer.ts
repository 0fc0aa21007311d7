// The input of a hook and the limits → the hook's answer to Claude Code: nothing, a notice to the user, or a block. It
// counts like `clew usage`, including the newest lines of the calling session.
import path from 'node:path';
import { asString, type JsonObject } from '../../base/json/index.ts';
import { type GuardState, NoticeLog } from '../../library/guard/index.ts';
import { stateFolder } from '../../store/index.ts';
import { type GuardQuestion, measureSpending } from './measure.ts';
import { forecastText, hardText, softText, unpricedText } from './text.ts';

export interface HookQuestion extends Omit<GuardQuestion, 'sessionId' | 'ownRoot'> {
  /** Whether the hard limit is in the command of the hook, not in Clew's own file. */
  readonly isHardInLine: boolean;
}

interface Notice {
  /** What a session shows only once. */
  readonly subject: string;
  readonly text: string;
}

/** `undefined` if there is nothing to say. */
export function answerHook(input: JsonObject | undefined, question: HookQuestion): object | undefined {
  const event = asString(input?.hook_event_name);
  const file = asString(input?.transcript_path);
  if (input === undefined || event === undefined || file === undefined)
    throw new Error('the input is not that of a hook: it has no hook_event_name or transcript_path');
  const place = hookPlace(path.resolve(file));
  const { limits, env, nowMs } = question;
  const { state, problems } = measureSpending({ ...question, ...place });
  if (state.level === 'hard' && isBlocking(event))
    return block(event, `clew guard: ${hardText(state, limits, { isInLine: question.isHardInLine, nowMs })}`);
  const notices = [...problems.map(problemNotice), ...limitNotices(state, question)];
  const log = new NoticeLog(stateFolder(env));
  const fresh = notices.filter(({ subject }) => log.isNew({ sessionId: place.sessionId, subject }, nowMs));
  return fresh.length === 0 ? undefined : { systemMessage: fresh.map(({ text }) => `clew guard: ${text}`).join('\n') };
}

function isBlocking(event: string): boolean {
  return event === 'PreToolUse' || event === 'UserPromptSubmit';
}

/** A denied call alone would go back to the model, and the model would send the next request: the turn ends too. */
function block(event: string, reason: string): object {
  if (event === 'UserPromptSubmit') return { decision: 'block', reason };
  return {
    continue: false,
    stopReason: reason,
    hookSpecificOutput: {
      hookEventName: event,
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  };
}

function limitNotices(state: GuardState, { limits, nowMs, isHardInLine }: HookQuestion): readonly Notice[] {
  const { level, step, unpricedTokens, periodKey } = state;
  const notices: Notice[] = [];
  if (level === 'hard')
    notices.push({
      subject: `hard ${limits.per} ${periodKey}`,
      text: hardText(state, limits, { isInLine: isHardInLine, nowMs }),
    });
  else if (level === 'soft') {
    const text = [softText(state, limits, nowMs), ...forecastText(state, limits, nowMs)].join('; ');
    notices.push({ subject: `soft ${limits.per} ${periodKey} ${step}`, text });
  }
  if (unpricedTokens > 0) notices.push({ subject: `unpriced ${limits.per} ${periodKey}`, text: unpricedText(state) });
  return notices;
}

function problemNotice(text: string): Notice {
  return { subject: `problem ${text.slice(0, 100)}`, text };
}

interface SessionPlace {
  readonly sessionId: string;
  /** The projects folder of the client, which may use another config folder than the environment of the hook says. */
  readonly ownRoot: string | undefined;
}

/** `…/projects/SLUG/SESSION.jsonl`, or the transcript of a sub-agent below `…/projects/SLUG/SESSION/`. */
function hookPlace(file: string): SessionPlace {
  const parts = file.split(path.sep);
  const at = parts.lastIndexOf('projects');
  const isPlace = at > 0 && parts.length >= at + 3;
  const name = isPlace ? parts[at + 2] : parts.at(-1);
  return {
    sessionId: (name ?? '').replace(/\.jsonl$/, ''),
    ownRoot: isPlace ? parts.slice(0, at + 1).join(path.sep) : undefined,
  };
}
