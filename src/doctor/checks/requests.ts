// A session → the request that a resume with a prompt sends, and for each block of it the line it comes from: the rules
// of the API speak of messages, people need a line. Blocks carry their line along on a symbol, which no rule sees.
import { asObject, asString, isArray, isObject, type JsonObject } from '../../base/json/json.ts';
import type { Session } from '../../session/load/session.ts';
import type { WireBlock, WireMessage } from '../../session/resume/messages/draft.ts';
import { requestMessages } from '../../session/resume/request/request.ts';
import type { Node } from '../../session/transcript/node.ts';
import { noteImages } from '../../session/transcript/note-images.ts';

export interface TracedRequest {
  readonly messages: readonly WireMessage[];
  readonly model: string;
  /** The line that a block comes from; of a block that the client made, a line of the same message. */
  originOf(messageIndex: number | undefined, blockIndex: number | undefined): Node | undefined;
}

/** `onRead` sees every line of the chain as it is stored. `undefined`: the client refuses the file. */
export function traceRequest(
  session: Pick<Session, 'transcript'>,
  prompt: string,
  onRead: (node: Node, entry: JsonObject) => void,
): TracedRequest | undefined {
  const { transcript } = session;
  const typed = new Map<string, Node>();
  const pictured = new Map<string, Node>();
  const read = (node: Node): JsonObject => {
    const entry = transcript.read(node);
    const content = asObject(entry.message)?.content;
    if (typeof content === 'string' && !typed.has(content)) typed.set(content, node);
    for (const image of noteImages(entry)) pictured.set(imageData(image), node);
    onRead(node, entry);
    return withOrigins(entry, node);
  };
  const request = requestMessages({ transcript: { nodes: transcript.nodes, read } }, prompt, { host: 'anthropic' });
  if ('refused' in request) return undefined;
  const originOf = (messageIndex: number | undefined, blockIndex: number | undefined): Node | undefined => {
    const content = request.messages[messageIndex ?? 0]?.content ?? [];
    const block = content[blockIndex ?? 0];
    return (
      lineOf(block, typed) ??
      pictured.get(imageData(block)) ??
      content.map((each) => lineOf(each, typed)).find((node) => node !== undefined)
    );
  };
  return { ...request, originOf };
}

function imageData(block: WireBlock | undefined): string {
  return asString(asObject(block?.source)?.data) ?? '';
}

const origin: unique symbol = Symbol('line');

function withOrigins(entry: JsonObject, node: Node): JsonObject {
  const message = asObject(entry.message);
  if (!isArray(message?.content)) return entry;
  const content = message.content.map((block) =>
    isObject(block) ? Object.assign({ ...block }, { [origin]: node }) : block,
  );
  return { ...entry, message: { ...message, content } };
}

/** A content that is one string has no block to carry the line; there the text itself tells. */
function lineOf(block: WireBlock | undefined, typed: ReadonlyMap<string, Node>): Node | undefined {
  if (block === undefined) return undefined;
  const carried = (block as { readonly [origin]?: Node })[origin]; // set by withOrigins
  if (carried !== undefined) return carried;
  const text = asString(block.text);
  return text === undefined ? undefined : (typed.get(text) ?? typed.get(text.replace(/\n$/, '')));
}
