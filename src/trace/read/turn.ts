// A turn as it is read from a transcript; spans are made from it.
import { asObject, asString, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { type Block, isServerCall, isToolUse, type Usage } from '../../format/entry/index.ts';
import type { ImagePlaceholder, TraceCompaction, TraceUsage } from '../span/index.ts';
import type { TraceLine } from './trace-line.ts';

export interface TraceTurn {
  /** First assistant message id of the turn, else the prompt's uuid, else session and line. */
  readonly key: string;
  readonly sessionId: string;
  /** From 1; counts only turns with an answer, and no repetitions. */
  readonly number: number;
  /** The turn was returned by an earlier run; this holds only what is new. */
  readonly isContinuation: boolean;
  readonly prompt: TracePrompt | undefined;
  /** The time of the prompt, else the start of the first answer. */
  readonly startMs: number | undefined;
  /** Of the first message that names one. */
  readonly model: string | undefined;
  /** From its first line; also known for a continuation. */
  readonly about: AboutTurn;
  readonly messages: readonly TraceMessage[];
  /** By the id of the call. */
  readonly results: ReadonlyMap<string, TraceResult>;
  /** By the id of the call that started a sub-agent. */
  readonly agentRuns: ReadonlyMap<string, AgentRun>;
  /** Calls whose result may still come; a later run makes their spans. */
  readonly waitingCalls: ReadonlySet<string>;
  /** Background sub-agents that have finished, of this turn or an earlier one. */
  readonly finishedAgents: readonly BackgroundAgent[];
  /** Lines of sub-agents in the main transcript (1.0.x). */
  readonly sideLines: readonly TraceLine[];
  readonly endMs: number | undefined;
  readonly isInterrupted: boolean;
}

/** Facts that every run needs to make spans of a turn. */
export interface AboutTurn {
  readonly promptId: string | undefined;
  readonly cwd: string | undefined;
  readonly version: string | undefined;
}

export interface TracePrompt {
  readonly text: string;
  readonly images: readonly ImagePlaceholder[];
  /** Without the slash. */
  readonly command: string | undefined;
  /** The client's `promptId`. */
  readonly id: string | undefined;
  readonly uuid: string | undefined;
  readonly timeMs: number | undefined;
  /** Where its line is, to read it again when the turn continues after a Stop. */
  readonly place: LinePlace;
  readonly version: string | undefined;
  readonly cwd: string | undefined;
  readonly gitBranch: string | undefined;
  readonly slug: string | undefined;
}

export interface LinePlace {
  readonly offset: number;
  readonly line: number;
  readonly length: number;
}

/** One API response: all its lines in the turn, merged. */
export interface TraceMessage {
  readonly id: string | undefined;
  /** Its place in the turn, from 0. */
  readonly index: number;
  /** An earlier run returned its generation; this holds only later calls. */
  readonly isSent: boolean;
  /** A second response with the same id. */
  readonly isRepeatedId: boolean;
  readonly requestId: string | undefined;
  readonly model: string | undefined;
  readonly stopReason: string | undefined;
  /** Of its first line. */
  readonly timeMs: number | undefined;
  /** When its request was sent, else the time of the line that caused it, see response-times.ts. */
  readonly startMs: number | undefined;
  /** Of its last line. */
  readonly endMs: number | undefined;
  readonly blocks: readonly Block[];
  readonly blockTimes: ReadonlyMap<Block, number>;
  readonly usage: TraceUsage | undefined;
  readonly pricedUsage: readonly Usage[];
  /** The results since the previous message. */
  readonly answers: readonly TraceAnswer[];
  readonly compactions: readonly TraceCompaction[];
  readonly isApiError: boolean;
}

export interface TraceAnswer {
  readonly toolUseId: string;
  readonly content: JsonValue | undefined;
  readonly isError: boolean;
}

export interface TraceResult {
  readonly timeMs: number | undefined;
  readonly content: JsonValue | undefined;
  readonly isError: boolean;
  readonly agentId: string | undefined;
  /** The sub-agent continues in the background. */
  readonly isBackground: boolean;
}

/** A sub-agent can be called again: the part of its transcript that belongs to one call. */
export interface AgentRun {
  /** From 0. */
  readonly run: number;
  /** When the previous run returned. */
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
}

export interface BackgroundAgent extends AgentRun {
  readonly agentId: string;
  readonly toolUseId: string;
  /** The turn that started it. */
  readonly turnKey: string;
  readonly turnNumber: number;
  /** Absent in the state files of earlier versions, like the next three. */
  readonly agentType?: string | undefined;
  readonly promptId?: string | undefined;
  readonly cwd?: string | undefined;
  readonly startMs?: number | undefined;
}

export function resultOf(line: TraceLine, block: JsonObject): TraceResult {
  const report = asObject((line.entry as { readonly toolUseResult?: unknown }).toolUseResult);
  return {
    timeMs: line.timeMs,
    content: block.content,
    isError: block.is_error === true,
    agentId: asString(report?.agentId) ?? asString(report?.agent_id),
    isBackground: report?.isAsync === true,
  };
}

export function compactionOf({ entry, timeMs }: TraceLine): TraceCompaction {
  const metadata = asObject((entry as { readonly compactMetadata?: unknown }).compactMetadata);
  const preTokens = metadata?.preTokens;
  return {
    timeMs,
    trigger: asString(metadata?.trigger),
    preTokens: typeof preTokens === 'number' && Number.isFinite(preTokens) ? preTokens : undefined,
  };
}

export function callId(block: Block): string | undefined {
  return isToolUse(block) || isServerCall(block) ? block.id : undefined;
}

export function serverCalls(blocks: readonly Block[]): readonly string[] {
  return blocks.filter(isServerCall).map((block) => block.id);
}

export function blockKey(block: Block): string {
  const id = callId(block);
  if (id !== undefined) return `call ${id}`;
  const { text, thinking, data, tool_use_id } = block as JsonObject;
  const texts = [text, thinking, data, tool_use_id].map(asString);
  const said = texts.find((each) => each !== undefined && each !== '');
  // A block without any content to compare is never a copy.
  return said === undefined ? `new ${unnamed++}` : `${String(block.type)} ${said}`;
}

let unnamed = 0;
