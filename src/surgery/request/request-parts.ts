// Compares what two sessions send if one is a part of the other, block by block. Ignores what the client adds at an end (a
// closing answer, results of open calls), unanswered calls, reminders, line breaks between joined lines, and thinking.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../base/json/json.ts';
import { scanRecord } from '../../format/scan/scan.ts';
import type { Session } from '../../session/load/session.ts';
import { texts } from '../../session/resume/client/client.ts';
import { normalise } from '../../session/resume/messages/normalise.ts';
import type { ResumeRequest } from '../../session/resume/request/request.ts';
import { Node, SharedValues } from '../../session/transcript/node.ts';
import { leanRequest } from './request.ts';

export type SentBlock = JsonObject & { readonly role: string };

export function sentBlocks(request: ResumeRequest): readonly SentBlock[] {
  if ('refused' in request) return [];
  const messages = normalise(request.messages);
  const results = messages.flatMap(({ content }) => content).filter(isPlaceholderResult);
  // An open call is sent at the end of a history, but not in the middle.
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

/** The request if the transcript had only these lines and ended at `leafUuid`. */
export function requestWithin({ transcript }: Session, kept: Iterable<Node>, leafUuid: string): ResumeRequest {
  const picked = transcript.pick([...kept].sort((a, b) => a.index - b.index));
  return pinnedRequest(picked, leafUuid);
}

/** The request if the transcript ended with a pin to this line. */
export function pinnedRequest(
  transcript: Pick<Session['transcript'], 'nodes' | 'read'>,
  leafUuid: string,
): ResumeRequest {
  const { nodes } = transcript;
  const pin = madeNode(pinTo(leafUuid, ''), nodes.length);
  const read = (node: Node): JsonObject => (node === pin ? {} : transcript.read(node));
  return leanRequest({ transcript: { nodes: [...nodes, pin], read } });
}

/** Makes exactly this line the end (RESUME rule 13). */
export function pinTo(leafUuid: string, sessionId: string): JsonObject {
  return { type: 'last-prompt', leafUuid, explicit: true, sessionId };
}

export function madeNode(entry: JsonObject, index: number): Node {
  const head = scanRecord(Buffer.from(JSON.stringify(entry)));
  if (head === undefined) throw new TypeError('the pin is not a record');
  return new Node(head, { index, line: index + 1, offset: 0, length: 0, hidden: false }, new SharedValues(), true);
}

function isAdded(block: JsonObject): boolean {
  if (block.type === 'thinking' || block.type === 'redacted_thinking') return true;
  if (block.type === 'text') return block.text === texts.noResponse;
  return isPlaceholderResult(block);
}

function isPlaceholderResult(block: JsonObject): boolean {
  return block.type === 'tool_result' && (block.content === texts.interrupted || block.content === texts.missingResult);
}

function comparable(block: JsonObject): JsonObject {
  return block.type === 'text' && typeof block.text === 'string' ? { ...block, text: block.text.trimEnd() } : block;
}
