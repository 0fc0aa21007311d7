// A session → its lines with usage, in the order that `countUsage` wants: the main transcript before its sub-agents.

import type { Session } from './session.ts';
import { loadReadable, type Transcript } from './transcript.ts';
import { countUsage, totalUsage, type UsageLine, type UsageTotals } from './usage.ts';

/** Reads the transcript of a sub-agent; given by those who ask for the usage of many turns, and read each file once. */
export type LoadAgent = (path: string) => Transcript;

/** Agent transcripts are scanned, not parsed: their usage is all that is wanted here. */
export function* usageLinesOf(session: Session, load: LoadAgent = loadReadable): Generator<UsageLine> {
  yield* linesWithUsage(session.transcript, session.id);
  for (const agent of session.agents) {
    if (agent.path !== undefined) yield* linesWithUsage(load(agent.path), session.id);
  }
}

/** The usage of one session by itself. Over several sessions, count their lines together: forks share messages. */
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
    };
  }
}
