// A branch → the lines of its conversation in order, with the part before a fork, and the requests among them.
import { type Usage, windowTokensOf } from '../../format/entry/index.ts';
import type { Branch, Session } from '../../session/load/index.ts';
import type { Node } from '../../session/transcript/index.ts';
import { type Turn, turnsOf } from '../../session/turns/index.ts';
import { isLarger } from '../../session/usage/index.ts';

export interface ConversationLine {
  readonly node: Node;
  /** The turn of the branch, from 1; 0 before its fork. */
  readonly turn: number;
}

export interface Conversation {
  readonly turns: readonly Turn[];
  readonly lines: readonly ConversationLine[];
}

export function conversationOf(session: Session, branch: Branch | undefined): Conversation {
  const turns = turnsOf(session, branch);
  const own = turns.flatMap(({ index, nodes }) => nodes.map((node) => ({ node, turn: index })));
  const before = branch?.fork === undefined ? [] : linesUpTo(session, branch.fork);
  return { turns, lines: [...before.map((node) => ({ node, turn: 0 })), ...own] };
}

/** From the beginning of the conversation to a line, over all branches on the way. */
function linesUpTo(session: Session, last: Node): readonly Node[] {
  const parts: (readonly Node[])[] = [];
  let end: Node | undefined = last;
  for (const branch of session.branches.toReversed()) {
    if (end === undefined) break;
    const lines: readonly Node[] = branch.nodes.flatMap((node) => [node, ...(branch.sideLines.get(node) ?? [])]);
    const at = lines.indexOf(end);
    if (at < 0) continue;
    parts.push(lines.slice(0, at + 1));
    end = branch.fork;
  }
  return parts.reverse().flat();
}

/** The answer that a line belongs to, and what the API counted for its request. */
export interface Answer {
  readonly id: string;
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** No line of it says how it ended: its output is what had arrived when the line was written. */
  readonly isPartial: boolean;
}

/** `undefined` for a line that no model wrote. */
export function answerOf(session: Session, node: Node): Answer | undefined {
  const { message } = node;
  if (node.type !== 'assistant' || message === undefined || message.model === '<synthetic>') return undefined;
  const lines = message.id === undefined ? [node] : session.relatives.linesOf(node);
  let usage: Usage | undefined;
  let isPartial = true;
  for (const line of lines) {
    const own = line.message?.usage;
    if (line.message?.stopReason !== undefined) isPartial = false;
    if (own !== undefined && (usage === undefined || isLarger({ usage: own }, { usage }))) usage = own;
  }
  if (usage === undefined) return undefined;
  // A request with searches on the server is counted once for each of its steps.
  const inputTokens = usage.webSearches > 0 ? 0 : windowTokensOf({ ...usage, outputTokens: 0 });
  return {
    id: message.id ?? node.uuid ?? `line ${node.index}`,
    model: message.model,
    inputTokens,
    outputTokens: usage.outputTokens,
    isPartial,
  };
}
