// Counts the turns of a session and names the current prompt: the fields that client 2.1.325 writes on user lines.
import { randomUUID } from 'node:crypto';
import { asObject, type JsonObject } from '../../base/json/index.ts';
import type { Session } from '../../session/load/index.ts';
import type { PromptGiven, PromptOrigin } from '../contract/index.ts';

/** Of a session that a user types in a terminal. */
export const typedEntrypoint = 'cli';

/**
 * How the agent was started. A program that uses the agent, such as the Agent SDK, names itself. Other sessions of `-p`
 * have no entrypoint: the client's own `sdk-cli` would hide them in its list of sessions.
 */
export function entrypointOf(isInteractive: boolean, env: NodeJS.ProcessEnv): string | undefined {
  if (isInteractive) return typedEntrypoint;
  const named = env.CLAUDE_CODE_ENTRYPOINT ?? '';
  return /^[\w-]{1,40}$/.test(named) && named !== typedEntrypoint && named !== 'sdk-cli' ? named : undefined;
}

export interface TurnCounts {
  /** Prompts that a user typed, in a terminal. */
  readonly promptIndex: number;
  readonly turnIndex: number;
}

export const noTurns: TurnCounts = { promptIndex: 0, turnIndex: 0 };

/** The counts of the last prompt that has them or, in sessions of older clients, the number of prompts. */
export function readTurnCounts({ transcript }: Pick<Session, 'transcript'>): TurnCounts {
  const prompts = transcript.nodes.filter(({ promptKind }) => promptKind !== undefined);
  for (const node of prompts.toReversed()) {
    const position = asObject(transcript.read(node).turnPosition);
    const { promptIndex, turnIndex } = position ?? {};
    if (isCount(promptIndex) && isCount(turnIndex)) return { promptIndex, turnIndex };
  }
  return { promptIndex: 0, turnIndex: prompts.length };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** `turn`: of a turn that begins with this line. */
export interface PromptFacts {
  readonly promptId: string;
  readonly turn?: JsonObject;
}

export class TurnFacts {
  readonly #isTyped: boolean;
  #counts: TurnCounts;
  #promptId = '';

  /** `isTyped`: a user types the prompts; otherwise a program sends them. */
  constructor(counts: TurnCounts, isTyped: boolean) {
    this.#counts = counts;
    this.#isTyped = isTyped;
  }

  /** The id of the prompt that all user lines of its turn carry. */
  get promptId(): string {
    if (this.#promptId === '') this.#promptId = randomUUID();
    return this.#promptId;
  }

  begin({ isMeta, origin }: Pick<PromptGiven, 'isMeta' | 'origin'>): PromptFacts {
    const { promptId } = this;
    if (isMeta) return { promptId };
    const isTyped = this.#isTyped && origin === undefined;
    const { promptIndex, turnIndex } = this.#counts;
    this.#counts = { promptIndex: promptIndex + (isTyped ? 1 : 0), turnIndex: turnIndex + 1 };
    const source = isTyped ? typed : origin === undefined ? sent : notified(origin);
    return { promptId, turn: { ...source, turnPosition: { ...this.#counts } } };
  }

  end(): void {
    this.#promptId = '';
  }
}

const typed: JsonObject = { origin: { kind: 'human' }, promptSource: 'typed', turnOrigin: 'human' };
const sent: JsonObject = { promptSource: 'sdk', turnOrigin: 'sdk' };

function notified({ kind, runId }: PromptOrigin): JsonObject {
  const run = runId === undefined ? {} : { runId };
  return {
    origin: { kind, producer: 'session-task', ...run },
    promptSource: 'system',
    turnOrigin: 'task_notification',
  };
}
