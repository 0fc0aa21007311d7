// A transcript and the position of the last run → the turns since then, and the new position. Reads only new bytes; an
// incomplete last line or turn is left for the next run.
import path from 'node:path';
import type { Diagnostic } from '../../base/errors/index.ts';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { type Block, contentOf, isToolResult, isToolUse } from '../../format/entry/index.ts';
import { scanRecord } from '../../format/scan/index.ts';
import { type Line, readLineBatches } from '../../store/index.ts';
import type { AnswerPlace, DraftStart, OpenTurn, ReadBlock } from './draft.ts';
import { LineOrder } from './line-order.ts';
import { type Cause, type TraceLine, traceLinesOf } from './trace-line.ts';
import type { BackgroundAgent, LinePlace, TraceAnswer, TraceTurn } from './turn.ts';
import { TurnReader, type TurnState } from './turn-reader.ts';

/** Plain JSON, stored between runs. */
export interface TraceCursor {
  /** Of the next byte to read. */
  readonly offset: number;
  /** The number of lines before it. */
  readonly line: number;
  readonly turnCount: number;
  readonly sessionId: string;
  /** The last turn that was returned: it may continue. */
  readonly openTurn?: OpenTurn;
  /** Short keys of all turns that were returned. */
  readonly seen: readonly string[];
  /** Background sub-agents that have not finished. */
  readonly running: readonly BackgroundAgent[];
  /** How often each sub-agent was called, and when it last returned. */
  readonly agentRuns: readonly (readonly [agentId: string, runs: number, endMs: number | null])[];
  readonly cause?: Cause;
}

export interface ReadTurnsOptions {
  /** Default: the cursor's, else the file name. */
  readonly sessionId?: string;
  /** The turn has ended (Stop): return the last turn as it is. Calls without a result still wait. */
  readonly isFinal?: boolean;
  /** Nothing more will come (SessionEnd, backfill): return also what waits. Implies `isFinal`. */
  readonly isOver?: boolean;
  /** Seed 002 to the letter: every user line that is not a tool result starts a turn; only adjacent lines merge. */
  readonly strictSeed?: boolean;
}

export interface ReadTurns {
  readonly turns: readonly TraceTurn[];
  readonly cursor: TraceCursor;
  readonly bytesRead: number;
  readonly diagnostics: readonly Diagnostic[];
}

export function readTurns(file: string, cursor: TraceCursor | undefined, options: ReadTurnsOptions = {}): ReadTurns {
  const turns: TraceTurn[] = [];
  const steps = streamTurns(file, cursor, options);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return { ...step.value, turns };
    turns.push(step.value.turn);
  }
}

/** The same for files of any size: yields each turn as soon as it is read, with the cursor after it. */
export function* streamTurns(
  file: string,
  cursor: TraceCursor | undefined,
  options: ReadTurnsOptions = {},
): Generator<{ readonly turn: TraceTurn; readonly cursor: TraceCursor }, Omit<ReadTurns, 'turns'>> {
  const sessionId = options.sessionId ?? cursor?.sessionId ?? path.basename(file, '.jsonl');
  const diagnostics: Diagnostic[] = [];
  const reader = new TurnReader(stateOf(cursor), {
    sessionId,
    strictSeed: options.strictSeed ?? false,
    readCall: (call) => readBlock(file, call, (block) => isToolUse(block) && block.id === call.id),
    readAnswer: (place) => readAnswer(file, place),
    readLine: (place, role) => readAgain(file, place).find((line) => line.role === role),
    report: (code, line, message) => {
      if (diagnostics.length < maxDiagnostics) diagnostics.push({ code, line, offset: 0, message });
    },
  });
  const from = { offset: cursor?.offset ?? 0, line: cursor?.line ?? 0 };
  const order = new LineOrder();
  const next = (): TraceCursor => cursorOf(reader, sessionId, reader.unfinished ?? heldPlace(order) ?? end);
  let end = from;
  let bytesRead = 0;
  for (const line of linesFrom(file, from)) {
    bytesRead += line.length + (line.terminated ? 1 : 0);
    // The client may still be writing it. If nothing more will come, a complete record needs no newline.
    if (!line.terminated && (options.isOver !== true || scanRecord(line.bytes) === undefined)) break;
    for (const each of order.read(line)) {
      const turn = reader.read(each);
      if (turn !== undefined) yield { turn, cursor: next() };
    }
    end = { offset: line.offset + line.length + (line.terminated ? 1 : 0), line: line.number };
  }
  const isOver = options.isOver === true;
  // A Stop may come before the prompt of the first answer is written: the answer waits for the prompt.
  if (isOver || (options.isFinal === true && (reader.hasBegun || order.firstHeld === undefined))) {
    for (const each of order.rest()) {
      const turn = reader.read(each);
      if (turn !== undefined) yield { turn, cursor: next() };
    }
    const turn = reader.finish(isOver);
    if (turn !== undefined) yield { turn, cursor: next() };
  }
  return { cursor: next(), bytesRead, diagnostics };
}

/** A stored cursor; `undefined` if it is not valid. */
export function parseCursor(value: unknown): TraceCursor | undefined {
  const cursor = asObject(value);
  if (cursor === undefined || !isCount(cursor.offset) || !isCount(cursor.line) || !isCount(cursor.turnCount)) {
    return undefined;
  }
  const sessionId = asString(cursor.sessionId);
  const { seen, running, agentRuns, openTurn } = cursor;
  if (sessionId === undefined || !isArray(seen) || !seen.every((key) => typeof key === 'string')) return undefined;
  if (!isArray(running) || !running.every(isBackgroundAgent)) return undefined;
  if (!isArray(agentRuns) || !agentRuns.every((run) => isArray(run) && isCount(run[1]))) return undefined;
  if (openTurn !== undefined && !isOpenTurn(openTurn)) return undefined;
  if (cursor.cause !== undefined && !isCause(cursor.cause)) return undefined;
  return cursor as unknown as TraceCursor; // every field was checked
}

const maxDiagnostics = 100;

function* linesFrom(file: string, { offset, line }: Place): Generator<Line> {
  for (const batch of readLineBatches(file, { from: { offset, number: line + 1 } })) yield* batch;
}

function stateOf(cursor: TraceCursor | undefined): TurnState {
  return {
    turnCount: cursor?.turnCount ?? 0,
    openTurn: cursor?.openTurn,
    seen: new Set(cursor?.seen),
    running: cursor?.running ?? [],
    agentRuns: new Map(cursor?.agentRuns.map(([agentId, runs, endMs]) => [agentId, [runs, endMs] as const])),
    cause: cursor?.cause ?? {},
  };
}

function heldPlace({ firstHeld }: LineOrder): Place | undefined {
  return firstHeld && { offset: firstHeld.offset, line: firstHeld.number - 1 };
}

type Place = Pick<DraftStart, 'offset' | 'line'>;

function cursorOf({ state }: TurnReader, sessionId: string, from: Place | DraftStart): TraceCursor {
  return {
    cause: state.cause,
    ...from,
    turnCount: state.turnCount,
    sessionId,
    ...(state.openTurn === undefined ? {} : { openTurn: state.openTurn }),
    seen: [...state.seen],
    running: state.running,
    agentRuns: [...state.agentRuns].map(([agentId, [runs, endMs]]) => [agentId, runs, endMs] as const),
  };
}

function readAnswer(file: string, place: AnswerPlace): TraceAnswer | undefined {
  const found = readBlock(file, place, (each) => isToolResult(each) && each.tool_use_id === place.id);
  if (found === undefined) return undefined;
  const { content, is_error } = found.block as JsonObject;
  return { toolUseId: place.id, content, isError: is_error === true };
}

function readBlock(file: string, place: LinePlace, isWanted: (block: Block) => boolean): ReadBlock | undefined {
  for (const { entry, timeMs } of readAgain(file, place)) {
    const block = contentOf(entry).find(isWanted);
    if (block !== undefined) return { block, timeMs };
  }
  return undefined;
}

function readAgain(file: string, { offset, line, length }: LinePlace): readonly TraceLine[] {
  const options = { from: { offset, number: line }, endOffset: offset + length + 1, chunkBytes: 64 * 1024 };
  return [...readLineBatches(file, options)].flatMap((batch) => batch.flatMap(traceLinesOf));
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isBackgroundAgent(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { agentId, toolUseId, turnKey } = value;
  return [agentId, toolUseId, turnKey].every((each) => typeof each === 'string') && isCount(value.turnNumber);
}

function isOpenTurn(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { key, number, isReplay, messages, calls, waiting } = value;
  return (
    typeof key === 'string' &&
    isCount(number) &&
    typeof isReplay === 'boolean' &&
    typeof value.endsWithoutId === 'boolean' &&
    isArray(messages) &&
    messages.every(isArray) &&
    isArray(calls) &&
    calls.every((id) => typeof id === 'string') &&
    isArray(waiting) &&
    waiting.every(isWaitingCall) &&
    isAbsentOr(value.root, isOpenRoot) &&
    isAbsentOr(value.answers, (answers) => isArray(answers) && answers.every(isAnswerPlace))
  );
}

function isAbsentOr(value: unknown, isRight: (value: JsonValue) => boolean): boolean {
  return value === undefined || isRight(value as JsonValue);
}

function isCause(value: unknown): boolean {
  return isObject(value) && [value.lastMs, value.inputMs].every((time) => time === undefined || Number.isFinite(time));
}

function isOpenRoot(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { first, hasPrompt, startMs, endMs, model } = value;
  return (
    (first === null || isPlace(first)) &&
    [startMs, endMs].every((time) => time === null || Number.isFinite(time)) &&
    (model === null || typeof model === 'string') &&
    [hasPrompt, value.isInterrupted].every((flag) => typeof flag === 'boolean')
  );
}

function isPlace(value: unknown): boolean {
  const place = (asObject(value) ?? {}) as JsonObject;
  return [place.offset, place.line, place.length].every(isCount);
}

function isAnswerPlace(value: unknown): boolean {
  return isPlace(value) && typeof asObject(value)?.id === 'string';
}

function isWaitingCall(value: unknown): boolean {
  const call = (asObject(value) ?? {}) as JsonObject;
  return typeof call.id === 'string' && isCount(call.messageIndex) && isPlace(call);
}
