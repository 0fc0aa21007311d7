// A session → its lines with usage, in the order that `countUsage` wants: the main transcript before its sub-agents.

import { formatTokens } from '../../base/text/index.ts';
import { type AgentSource, agentsStartedBy, type Session } from '../load/index.ts';
import { loadReadable, type Node, type Transcript } from '../transcript/index.ts';
import { type Turn, toolCallsOf } from '../turns/index.ts';
import { type CountedMessage, countUsage, totalUsage, type UsageLine, type UsageTotals } from '../usage/index.ts';

/** Loads the transcript of a sub-agent. */
export type LoadAgent = (path: string) => Transcript;

/**
 * Yields the lines of a session that carry usage, sub-agents included. Transcripts of sub-agents are scanned, not
 * parsed.
 */
export function* usageLinesOf(session: Session, load: LoadAgent = loadReadable): Generator<UsageLine> {
  yield* linesWithUsage(session.transcript, session.id);
  for (const agent of session.agents) {
    if (agent.path !== undefined) yield* linesWithUsage(load(agent.path), session.id);
  }
}

/**
 * Counts the tokens of one session. To count several sessions, count their lines together, because forks share
 * messages.
 */
export function sessionUsage(session: Session): UsageTotals {
  return totalUsage(countUsage(usageLinesOf(session)).messages);
}

export function* linesWithUsage(
  transcript: Pick<Transcript, 'path' | 'nodes'>,
  sessionId: string,
): Generator<UsageLine> {
  for (const node of transcript.nodes) {
    const { message } = node;
    if (node.type !== 'assistant' || message?.usage === undefined) continue;
    yield {
      file: transcript.path,
      line: node.line,
      sessionId,
      uuid: node.uuid,
      isSidechain: node.isSidechain,
      messageId: message.id,
      requestId: message.requestId,
      model: message.model,
      stopReason: message.stopReason,
      time: node.time,
      usage: message.usage,
      isCopy: false, // of one session, all that it holds
    };
  }
}

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

/** `43.5k in, 574 out`; cached input counts as input, and a lower bound is marked. */
export function usageText(usage: UsageTotals): string {
  const read = usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  return `${formatTokens(read)} in, ${outputText(usage)}`;
}

export function outputText(usage: UsageTotals): string {
  return `${usage.outputIsLowerBound ? '≥ ' : ''}${formatTokens(usage.outputTokens)} out`;
}
