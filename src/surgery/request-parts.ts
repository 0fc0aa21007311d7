// Compares what two sessions send where one is a part of the other, block by block: what the client adds by itself at
// an end (a closing answer, results of open calls), calls that nothing answered, reminders, line breaks between joined lines, and thinking, which
// goes with the model of the last answer, may differ.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../base/json.ts';
import { scanRecord } from '../format/scan.ts';
import { Node, SharedValues } from '../session/node.ts';
import { texts } from '../session/resume/client.ts';
import { normalise } from '../session/resume/normalise.ts';
import type { ResumeRequest } from '../session/resume/request.ts';
import type { Session } from '../session/session.ts';
import { leanRequest } from './lean-request.ts';

export type SentBlock = JsonObject & { readonly role: string };

export function sentBlocks(request: ResumeRequest): readonly SentBlock[] {
  if ('refused' in request) return [];
  const messages = normalise(request.messages);
  const results = messages.flatMap(({ content }) => content).filter(isMadeUp);
  // At the end of a history an open call is sent, in the middle of one it is not.
  const open = new Set(results.map((block) => block.tool_use_id));
  return messages.flatMap(({ role, content }) =>
    content
      .filter((block) => !isAdded(block) && !(block.type === 'tool_use' && open.has(block.id)))
      .map((block) => ({ ...comparable(block), role })),
  );
}

export function isBeginning(part: readonly SentBlock[], whole: readonly SentBlock[]): boolean {
  return isDeepStrictEqual(part, whole.slice(0, part.length));
}

/** What would be sent if the transcript held only these lines and ended at one of them. */
export function requestWithin({ transcript }: Session, kept: Iterable<Node>, leafUuid: string): ResumeRequest {
  const picked = transcript.pick([...kept].sort((a, b) => a.index - b.index));
  return pinnedRequest(picked, leafUuid);
}

/** What would be sent if a pin to this line were written at the end of the transcript. */
export function pinnedRequest(
  transcript: Pick<Session['transcript'], 'nodes' | 'read'>,
  leafUuid: string,
): ResumeRequest {
  const { nodes } = transcript;
  const pin = madeNode(pinTo(leafUuid, ''), nodes.length);
  const read = (node: Node): JsonObject => (node === pin ? {} : transcript.read(node));
  return leanRequest({ transcript: { nodes: [...nodes, pin], read } });
}

/** The line that makes exactly this line the end (RESUME rule 13). */
export function pinTo(leafUuid: string, sessionId: string): JsonObject {
  return { type: 'last-prompt', leafUuid, explicit: true, sessionId };
}

export function madeNode(entry: JsonObject, index: number): Node {
  const head = scanRecord(Buffer.from(JSON.stringify(entry)));
  if (head === undefined) throw new TypeError('the pin is no record');
  return new Node(head, { index, line: index + 1, offset: 0, length: 0, hidden: false }, new SharedValues(), true);
}

function isAdded(block: JsonObject): boolean {
  if (block.type === 'thinking' || block.type === 'redacted_thinking') return true;
  if (block.type === 'text') return block.text === texts.noResponse;
  return isMadeUp(block);
}

function isMadeUp(block: JsonObject): boolean {
  return block.type === 'tool_result' && (block.content === texts.interrupted || block.content === texts.missingResult);
}

function comparable(block: JsonObject): JsonObject {
  return block.type === 'text' && typeof block.text === 'string' ? { ...block, text: block.text.trimEnd() } : block;
}
