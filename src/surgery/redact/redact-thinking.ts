// Removes signed thinking that holds a secret. It cannot be altered, because the API rejects thinking that does not match
// its signature; so all thinking of the message is removed, and lines that have nothing else are dropped.
import { asObject, isArray, isObject } from '../../base/json/json.ts';
import type { Edit } from '../../format/bytes/edit.ts';
import type { Session } from '../../session/load/session.ts';
import { isThinking } from '../../session/resume/messages/filter.ts';
import type { Node } from '../../session/transcript/node.ts';
import { withoutBlocks } from '../engine/trim-thinking.ts';

export interface ThinkingTaken {
  readonly edits: ReadonlyMap<number, readonly Edit[]>;
  readonly drops: ReadonlyMap<number, string>;
  /** The number of messages that lose their thinking. */
  readonly messages: number;
}

export const thinkingReason = 'signed thinking that held a secret';

/** `signed`: the indexes of records with such thinking. */
export function takeThinking(session: Session, signed: Iterable<number>): ThinkingTaken {
  const { transcript } = session;
  const named = new Set([...signed].map((index) => messageKey(transcript.nodes[index] as Node)));
  const blocks = new Map<Node, readonly number[]>();
  for (const node of transcript.nodes) {
    if (node.type !== 'assistant' || !named.has(messageKey(node))) continue;
    const content = asObject(transcript.read(node).message)?.content;
    const items = isArray(content) ? content : [];
    const removed = items.flatMap((block, i) => (isObject(block) && isThinking(block) ? [i] : []));
    if (removed.length > 0) blocks.set(node, removed);
  }
  return { ...withoutBlocks(session, blocks, thinkingReason), messages: named.size };
}

function messageKey(node: Node): string | Node {
  return node.message?.id || node;
}
