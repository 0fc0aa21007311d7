// A transcript → the spans of its session. Nothing is sent or written.

import { findAgentTranscripts } from '../read/agents.ts';
import { readTurns } from '../read/cursor.ts';
import type { TraceSpan } from '../span/span.ts';
import { looseAgentSpans } from './agent-spans.ts';
import { spansOfTurn } from './spans.ts';

/** Options of `sessionSpans`. */
export interface SessionSpansOptions {
  /** Follow the original description of cc-langfuse: every user line that is not a tool result starts a turn. */
  readonly strictSeed?: boolean;
}

/** Returns the spans of all turns of a session, sub-agents included, without sending or writing anything. */
export async function sessionSpans(path: string, options: SessionSpansOptions = {}): Promise<readonly TraceSpan[]> {
  const strictSeed = options.strictSeed === true;
  const { turns, cursor } = readTurns(path, undefined, { isOver: true, strictSeed });
  const context = { sessionId: cursor.sessionId, agents: await findAgentTranscripts(path), strictSeed };
  const inTurns = turns.flatMap((turn) => spansOfTurn(turn, context));
  const started = new Set(inTurns.flatMap(({ detail }) => (detail.kind === 'subagent' ? [detail.agentId] : [])));
  return [...inTurns, ...looseAgentSpans(context.agents, started, context).flatMap(({ spans }) => spans)];
}
