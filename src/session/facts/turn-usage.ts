// A turn → its tokens: its own messages, and those of the sub-agents that its calls started, and theirs. A message
// that a prompt interrupts counts in the turn it began in, so that the turns of a branch add up.
import { type AgentSource, agentsStartedBy } from '../load/agents.ts';
import type { Session } from '../load/session.ts';
import type { Node } from '../transcript/node.ts';
import { loadReadable } from '../transcript/transcript.ts';
import { toolCallsOf } from '../turns/tool-calls.ts';
import type { Turn } from '../turns/turns.ts';
import { type CountedMessage, countUsage, totalUsage, type UsageLine, type UsageTotals } from '../usage/usage.ts';
import { type LoadAgent, linesWithUsage } from './session-usage.ts';

/** Counts the tokens of one turn, sub-agents included. */
export function turnUsage(session: Session, turn: Turn): UsageTotals {
  return totalUsage(countTurn(session, turn));
}

/** The messages of the turn, each once, for callers that need more than their sum, such as the cost. */
export function countTurn(session: Session, turn: Turn, load: LoadAgent = loadReadable): readonly CountedMessage[] {
  return countUsage(turnLines(session, turn, load)).messages;
}

function* turnLines(session: Session, turn: Turn, load: LoadAgent): Generator<UsageLine> {
  const { path } = session.transcript;
  yield* linesWithUsage({ path, nodes: linesBegunIn(session, turn) }, session.id);
  const started = new Set(toolCallsOf(session, turn).flatMap((call) => call.agentId ?? []));
  const waiting = session.agents.filter((agent) => started.has(agent.agentId));
  const seen = new Set(waiting);
  for (const agent of waiting) {
    if (agent.path === undefined) {
      yield* linesWithUsage({ path, nodes: agent.nodes }, session.id);
      continue;
    }
    const transcript = load(agent.path);
    yield* linesWithUsage(transcript, session.id);
    const below: readonly AgentSource[] = session.agents.filter((each) => !seen.has(each));
    for (const nested of agentsStartedBy(transcript, below)) {
      const source = below.find((each) => each.path === nested.path);
      if (source === undefined) continue;
      seen.add(source);
      waiting.push(source);
    }
  }
}

/** All lines, anywhere in the file, of the messages that begin in the turn: the last of them has the full usage. */
function linesBegunIn(session: Session, turn: Turn): readonly Node[] {
  const lines = new Set<Node>();
  const seen = new Set<string>();
  for (const node of turn.nodes) {
    const id = node.type === 'assistant' ? node.message?.id : undefined;
    if (id === undefined) lines.add(node);
    else if (!turn.continued.has(id) && !seen.has(id)) {
      seen.add(id);
      for (const line of session.relatives.linesOf(node)) lines.add(line);
    }
  }
  return [...lines].sort((a, b) => a.index - b.index);
}
