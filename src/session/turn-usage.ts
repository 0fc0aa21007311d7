// A turn → its tokens: its own messages, and those of the sub-agents that its calls started.

import type { Session } from './session.ts';
import { toolCallsOf } from './tool-calls.ts';
import { loadTranscript } from './transcript.ts';
import type { Turn } from './turns.ts';
import { countUsage, totalUsage, type UsageLine, type UsageTotals } from './usage.ts';
import { linesWithUsage } from './usage-lines.ts';

export function turnUsage(session: Session, turn: Turn): UsageTotals {
  return totalUsage(countUsage(turnLines(session, turn)).messages);
}

function* turnLines(session: Session, turn: Turn): Generator<UsageLine> {
  const { path } = session.transcript;
  yield* linesWithUsage({ path, nodes: turn.nodes }, session.id);
  const started = new Set(toolCallsOf(session, turn).flatMap((call) => call.agentId ?? []));
  for (const agent of session.agents) {
    if (!started.has(agent.agentId)) continue;
    const nodes = agent.path === undefined ? agent.nodes : loadTranscript(agent.path).nodes;
    yield* linesWithUsage({ path: agent.path ?? path, nodes }, session.id);
  }
}
