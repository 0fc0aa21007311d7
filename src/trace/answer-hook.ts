// A hook's event → what is to be traced because of it, and in which order: a session that this one goes on from first,
// then this one; a new session finishes what earlier runs left behind.
import { existsSync } from 'node:fs';
import type { TraceConfig } from './config.ts';
import { createTraceContext, type TraceContext } from './context.ts';
import { logFailure } from './log.ts';
import { findPreviousSession } from './previous-session.ts';
import { recoverSessions } from './recover.ts';
import { settle } from './settle.ts';
import { readState } from './state.ts';
import { traceSession } from './trace-session.ts';

export interface HookEvent {
  readonly name: string;
  readonly sessionId: string;
  readonly file: string;
  readonly lastAnswer: string | undefined;
}

export interface AnswerOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly nowMs: number;
}

/** Stop waits for the last line; the client gives SessionEnd a second and a half for everything. */
const settleMs = { Stop: 2_000, SessionEnd: 500 } as const;

export async function answerHook(event: HookEvent, config: TraceConfig, options: AnswerOptions): Promise<void> {
  const context = createTraceContext(options.env, config);
  const { name, file, sessionId, lastAnswer } = event;
  if (name === 'SessionStart') {
    // Whoever started this session did not start those that earlier runs left.
    await recoverSessions(createTraceContext(options.env, { ...config, parent: undefined }));
    return;
  }
  await recoverPrevious(event, context);
  const isEnd = name === 'SessionEnd';
  // Sub-agents and other events are not the end of a turn: what is complete by then is taken, and nothing is waited for.
  const isStop = name === 'Stop' || isEnd;
  if (isStop) await settle(file, { lastAnswer, mostMs: isEnd ? settleMs.SessionEnd : settleMs.Stop });
  // A session that nothing was said in has no file at its end.
  if (name === 'Stop' && !existsSync(file)) throw new Error(`there is no transcript ${file}`);
  const atEnd = isEnd ? 'session' : isStop ? 'turn' : undefined;
  const endMs = name === 'Stop' ? options.nowMs : undefined;
  await traceSession({ file, sessionId, atEnd, endMs, fromStart: false }, context);
}

/** No Stop was fired for it. Whatever happens here, the current session is traced. */
async function recoverPrevious({ file, sessionId }: HookEvent, context: TraceContext): Promise<void> {
  if (readState(context.places, sessionId) !== undefined) return;
  const previous = findPreviousSession(file, sessionId);
  if (previous === undefined) return;
  try {
    await traceSession({ ...previous, atEnd: 'session', endMs: undefined, fromStart: false }, context);
  } catch (error) {
    logFailure(context.places.log, `recover ${previous.sessionId}`, error);
  }
}
