// A session → its lines with usage, in the order that `countUsage` wants: the main transcript before its sub-agents.

import type { Session } from '../load/session.ts';
import { loadReadable, type Transcript } from '../transcript/transcript.ts';
import { countUsage, totalUsage, type UsageLine, type UsageTotals } from '../usage/usage.ts';

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
