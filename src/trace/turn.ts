// A turn as it is read from a transcript, piece by piece: what the spans are made of.
import type { JsonValue } from '../base/json.ts';
import type { Block } from '../format/block.ts';
import type { Usage } from '../format/usage.ts';
import type { ImagePlaceholder, TraceCompaction, TraceUsage } from './span.ts';
import type { TraceLine } from './trace-line.ts';

export interface TraceTurn {
  /** First assistant message id of the turn, else the prompt's uuid, else session and line. */
  readonly key: string;
  readonly sessionId: string;
  /** From 1; only turns with an answer count, and repeated ones do not. */
  readonly number: number;
  /** The turn itself was handed out before: only what is new is in here. */
  readonly isContinuation: boolean;
  readonly prompt: TracePrompt | undefined;
  /** When the prompt was written; without a time there, when the first answer began. */
  readonly startMs: number | undefined;
  /** Of the first message that names one. */
  readonly model: string | undefined;
  /** What the line it begins with says, known also of a continuation. */
  readonly about: AboutTurn;
  readonly messages: readonly TraceMessage[];
  /** By the id of the call. */
  readonly results: ReadonlyMap<string, TraceResult>;
  /** By the id of the call, for those of sub-agents. */
  readonly agentRuns: ReadonlyMap<string, AgentRun>;
  /** Calls whose result may still come: their spans are made in a later run. */
  readonly waitingCalls: ReadonlySet<string>;
  /** Background sub-agents that are done by now, of this turn or an earlier one. */
  readonly finishedAgents: readonly BackgroundAgent[];
  /** Lines of sub-agents that stand in the main transcript (1.0.x). */
  readonly sideLines: readonly TraceLine[];
  /** The latest time among its messages and results. */
  readonly endMs: number | undefined;
  readonly isInterrupted: boolean;
}

/** What must be known of a turn in every run that makes spans of it. */
export interface AboutTurn {
  readonly promptId: string | undefined;
  readonly cwd: string | undefined;
  readonly version: string | undefined;
}

export interface TracePrompt {
  readonly text: string;
  readonly images: readonly ImagePlaceholder[];
  /** The slash command that it is, without the slash. */
  readonly command: string | undefined;
  /** The client's own id of it (`promptId`). */
  readonly id: string | undefined;
  readonly uuid: string | undefined;
  readonly timeMs: number | undefined;
  /** Where its line is, to be read again when the turn goes on after a Stop. */
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
  /** Its generation was handed out before, and only calls that came later are in here. */
  readonly isSent: boolean;
  /** Of a second response that goes by the same id. */
  readonly isRepeatedId: boolean;
  readonly requestId: string | undefined;
  readonly model: string | undefined;
  readonly stopReason: string | undefined;
  /** Of its first line. */
  readonly timeMs: number | undefined;
  /** When its request was sent, else the time of the line that caused it: a prompt or the last result before it. */
  readonly startMs: number | undefined;
  /** Of its last line. */
  readonly endMs: number | undefined;
  readonly blocks: readonly Block[];
  /** When the lines of the blocks were written. */
  readonly blockTimes: ReadonlyMap<Block, number>;
  readonly usage: TraceUsage | undefined;
  readonly pricedUsage: readonly Usage[];
  /** The results that came between the message before it and this one. */
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
  /** The sub-agent went on in the background. */
  readonly isBackground: boolean;
}

/** A sub-agent can be asked again: which part of its transcript is of one call. */
export interface AgentRun {
  /** From 0. */
  readonly run: number;
  /** When the run before it came back. */
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
}

export interface BackgroundAgent extends AgentRun {
  readonly agentId: string;
  readonly toolUseId: string;
  /** The turn that started it. */
  readonly turnKey: string;
  readonly turnNumber: number;
  /** As the call named it; absent in states of earlier versions, like the next three. */
  readonly agentType?: string | undefined;
  /** Of the turn that started it. */
  readonly promptId?: string | undefined;
  readonly cwd?: string | undefined;
  readonly startMs?: number | undefined;
}
