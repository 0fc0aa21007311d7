// Handles a hook event: traces first the session that this one continues, then this one. The start of a session finishes
// killed runs.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { asObject, asString, isArray, isObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import type { TraceConfig } from '../config/index.ts';
import { createTraceContext, recoverSessions, settle, type TraceContext, traceSession } from '../session/index.ts';
import { logFailure, readEdge, readState } from '../state/index.ts';

export interface PreviousSession {
  readonly sessionId: string;
  readonly file: string;
}

const mostBytes = 256 * 1024;
const mostLines = 20;

function findPreviousSession(file: string, sessionId: string): PreviousSession | undefined {
  const entries = firstEntries(file);
  const ids = [asString(entries[0]?.sessionId), ...entries.map(planSource)];
  for (const id of ids) {
    // Only a file in the same folder is opened, whatever path a transcript names.
    if (id === undefined || id === sessionId || !/^[\w-]{1,100}$/.test(id)) continue;
    const previous = path.join(path.dirname(file), `${id}.jsonl`);
    if (statSync(previous, { throwIfNoEntry: false })?.isFile() === true) return { sessionId: id, file: previous };
  }
  return undefined;
}

function planSource(entry: JsonObject): string | undefined {
  if (entry.type !== 'user' || typeof entry.planContent !== 'string') return undefined;
  const named = /read the full transcript at: (\S.*?\.jsonl)/.exec(promptTextOf(asObject(entry.message)))?.[1];
  return named === undefined ? undefined : path.basename(named, '.jsonl');
}

function promptTextOf(message: JsonObject | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  if (!isArray(content)) return '';
  return content.map((block) => (isObject(block) ? (asString(block.text) ?? '') : '')).join('\n');
}

function firstEntries(file: string): readonly JsonObject[] {
  const lines = readEdge(file, 'start', mostBytes)?.text.split('\n').slice(0, mostLines) ?? [];
  return lines.map((line) => parseJson(line)).filter(isObject);
}

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

/** The client gives SessionEnd only 1.5 seconds. */
const settleMs = { Stop: 2_000, SessionEnd: 500 } as const;

export async function answerHook(event: HookEvent, config: TraceConfig, options: AnswerOptions): Promise<void> {
  const context = createTraceContext(options.env, config);
  const { name, file, sessionId, lastAnswer } = event;
  if (name === 'SessionStart') {
    // The parent span of this session is not the parent of the recovered ones.
    await recoverSessions(createTraceContext(options.env, { ...config, parent: undefined }));
    return;
  }
  await recoverPrevious(event, context);
  const isEnd = name === 'SessionEnd';
  // Other events are not the end of a turn: take only what is complete.
  const isStop = name === 'Stop' || isEnd;
  if (isStop) await settle(file, { lastAnswer, mostMs: isEnd ? settleMs.SessionEnd : settleMs.Stop });
  // A session without a prompt has no file at SessionEnd.
  if (name === 'Stop' && !existsSync(file)) throw new Error(`transcript not found: ${file}`);
  const atEnd = isEnd ? 'session' : isStop ? 'turn' : undefined;
  const endMs = name === 'Stop' ? options.nowMs : undefined;
  await traceSession({ file, sessionId, atEnd, endMs, fromStart: false }, context);
}

/** No Stop was fired for it. A failure here must not stop the current session. */
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
