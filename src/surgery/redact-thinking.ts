// Signed thinking that holds a secret → the edits and drops that take it out. It cannot be altered, because the API
// rejects thinking that does not fit its signature; so all thinking of that message goes, and where nothing else stands
// in a line the line goes, with the chain mended around it.
import { asObject, isArray, isObject } from '../base/json.ts';
import type { Edit } from '../format/edit.ts';
import type { Node } from '../session/node.ts';
import { isThinking } from '../session/resume/filter.ts';
import type { Session } from '../session/session.ts';
import { relink } from './relink.ts';

export interface ThinkingTaken {
  readonly edits: ReadonlyMap<number, readonly Edit[]>;
  readonly drops: ReadonlyMap<number, string>;
  /** Messages that lost their thinking. */
  readonly messages: number;
}

export const thinkingReason = 'signed thinking that held a secret';

/** `session`: a main transcript, or that of a sub-agent; `signed`: its records with such thinking, by their index. */
export function takeThinking(session: Session, signed: Iterable<number>): ThinkingTaken {
  const { transcript } = session;
  const named = new Set([...signed].map((index) => messageKey(transcript.nodes[index] as Node)));
  const edits = new Map<number, Edit[]>();
  const drops = new Map<number, string>();
  for (const node of transcript.nodes) {
    if (node.type !== 'assistant' || !named.has(messageKey(node))) continue;
    const content = asObject(transcript.read(node).message)?.content;
    const blocks = isArray(content) ? content : [];
    const gone = blocks.flatMap((block, i) => (isObject(block) && isThinking(block) ? [i] : []));
    if (gone.length === 0) continue;
    if (gone.length === blocks.length) drops.set(node.index, thinkingReason);
    else
      edits.set(
        node.index,
        gone.map((i) => ({ path: ['message', 'content', i], remove: true as const })),
      );
  }
  if (drops.size > 0) {
    const relinked = relink(session, drops);
    for (const [index, reason] of relinked.drops) drops.set(index, reason);
    for (const [index, more] of relinked.edits) edits.set(index, [...(edits.get(index) ?? []), ...more]);
  }
  return { edits, drops, messages: named.size };
}

function messageKey(node: Node): string | Node {
  return node.message?.id || node;
}
