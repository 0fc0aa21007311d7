// A session → the request that a resume with a prompt sends, and for each block of it the line it comes from: the rules
// of the API speak of messages, people need a line. Blocks carry their line along on a symbol, which no rule sees.

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { isVersionSince, isWrittenByClew } from '../../session/facts/index.ts';
import type { Session } from '../../session/load/index.ts';
import { normalise, type WireBlock, type WireMessage } from '../../session/resume/messages/index.ts';
import { countingSnapshot, requestMessages } from '../../session/resume/request/index.ts';
import { type Node, noteImages } from '../../session/transcript/index.ts';

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
    const entry = transcript.read(node, 'sent');
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

/** Content that is one string has no block to carry the line; its text identifies the line. */
function lineOf(block: WireBlock | undefined, typed: ReadonlyMap<string, Node>): Node | undefined {
  if (block === undefined) return undefined;
  const carried = (block as { readonly [origin]?: Node })[origin]; // set by withOrigins
  if (carried !== undefined) return carried;
  const text = asString(block.text);
  return text === undefined ? undefined : (typed.get(text) ?? typed.get(text.replace(/\n$/, '')));
}

/** The first client that keeps its system prompt with the session. */
export const firstWithSnapshot = [2, 1, 270] as const;

export interface OtherPrompt {
  readonly first: Node;
  readonly why: string;
  /** The client that wrote it sends the same prompt again; newer ones do not. */
  readonly isOldClient?: boolean;
}

/** The first of these answers that was made with another prompt than a resume sends, and why. */
export function otherPrompt(
  { transcript }: Session,
  chain: readonly Node[],
  bound: readonly Node[],
): OtherPrompt | undefined {
  const snapshot = countingSnapshot(chain, (node) => transcript.read(node))?.content;
  const shapes = shapesOf(transcript);
  for (const first of bound) {
    // It keeps its own prompt, and sends it again.
    if (isWrittenByClew(transcript.read(first))) continue;
    const { version } = first;
    if (version !== undefined && !isVersionSince(version, firstWithSnapshot))
      return {
        first,
        why: `client ${version} kept no copy of its system prompt, and newer clients send another one`,
        isOldClient: true,
      };
    const shape = snapshot === undefined ? undefined : shapes(asString(transcript.read(first).requestRef) ?? '');
    const why = shape === undefined || snapshot === undefined ? undefined : difference(snapshot, shape);
    if (why !== undefined) return { first, why };
  }
  return undefined;
}

/** By the id of a request: the copy of its system prompt and tools. */
function shapesOf(transcript: Session['transcript']): (request: string) => JsonObject | undefined {
  const shapes = new Map<string, JsonObject>();
  const hashes = new Map<string, string>();
  for (const node of transcript.nodes) {
    if (node.type !== 'api-request' && node.type !== 'api-request-shape') continue;
    const { id, shapeHash, shape } = transcript.read(node);
    if (node.type === 'api-request') hashes.set(asString(id) ?? '', asString(shapeHash) ?? '');
    // A copy that was changed later proves nothing.
    else if (valueHash(asObject(shape) ?? {}) === shapeHash) shapes.set(shapeHash, asObject(shape) ?? {});
  }
  return (request) => shapes.get(hashes.get(request) ?? '');
}

function difference(snapshot: JsonObject, shape: JsonObject): string | undefined {
  const sent = lettersOf(isArray(shape.system) ? shape.system.map((block) => asObject(block)?.text) : []);
  const prefix = asString(snapshot.cliPrefix);
  const parts = isArray(snapshot.systemPrompt) ? snapshot.systemPrompt.filter((part) => part !== boundary) : [];
  const kept = lettersOf([prefix, ...parts]);
  const isSame = prefix === undefined ? sent.endsWith(kept) : sent === kept;
  if (!isSame) return 'the system prompt that a resume sends is not the one it was made with';
  const made = new Map(blocksIn(shape.tools).map((tool) => [tool.name, tool]));
  const changed = blocksIn(snapshot.tools).find(({ name, schema }) => {
    const { cache_control: _, ...tool } = made.get(name) ?? {};
    return !isDeepStrictEqual(tool, schema);
  });
  if (changed === undefined) return undefined;
  const name = asString(changed.name) ?? '';
  return made.has(name)
    ? `the tool ${name} that a resume sends is not the one it was made with`
    : `a resume sends the tool ${name}, which was not there when it was made`;
}

/** Marks a place in the snapshot; it is not sent. */
const boundary = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

/** White space between the parts is the client's. */
function lettersOf(texts: readonly unknown[]): string {
  return texts
    .filter((text) => typeof text === 'string')
    .join('')
    .replaceAll(/\s+/g, '');
}

function blocksIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

// The copies of requests that newer clients write next to the conversation → for an answer, the hashes of the messages that
// it was given to, in order. With them the text before a thinking block can be checked exactly, without the API.

/** A message of a recorded request. */
export interface RecordedMessage {
  readonly hash: string;
  /** The message without reminders, if the client stored it because the lines do not contain it; else absent. */
  readonly stored?: string;
  /** The stored message still has its hash: nobody has changed it since. */
  readonly isIntact?: boolean;
  /** Whether the stored message has thinking. */
  readonly hasThinking?: boolean;
}

export interface RecordedRequests {
  /** What was sent before this answer; `undefined` if the file has no copy of that request. */
  before(answer: Node): readonly RecordedMessage[] | undefined;
}

export function recordedRequests({ transcript }: Session): RecordedRequests {
  const requests = new Map<string, JsonObject>();
  const blobs = new Map<string, Omit<RecordedMessage, 'hash'>>();
  for (const node of transcript.nodes) {
    if (node.type !== 'api-request' && node.type !== 'api-request-blob') continue;
    const entry = transcript.read(node);
    if (node.type === 'api-request') requests.set(asString(entry.id) ?? '', entry);
    else {
      const message = asObject(entry.message) ?? {};
      const isIntact = hashOf(message) === entry.hash;
      blobs.set(asString(entry.hash) ?? '', { stored: spokenKey(message), isIntact, hasThinking: thinks(message) });
    }
  }
  const known = new Map<string, readonly string[] | undefined>();
  const hashesOf = (id: string, depth = 0): readonly string[] | undefined => {
    if (known.has(id)) return known.get(id);
    const request = requests.get(id);
    const base = asString(request?.base);
    const start = base === undefined || depth > deepest ? [] : hashesOf(base, depth + 1);
    const tail = isArray(request?.tail) ? request.tail.filter((hash) => typeof hash === 'string') : undefined;
    const keep = typeof request?.keep === 'number' ? request.keep : 0;
    const isWhole = start !== undefined && tail !== undefined && keep <= start.length && depth <= deepest;
    const hashes = isWhole ? [...start.slice(0, keep), ...tail] : undefined;
    known.set(id, hashes);
    return hashes;
  };
  return {
    before: (answer) => {
      if (requests.size === 0) return undefined;
      const id = asString(transcript.read(answer).requestRef);
      const hashes = id === undefined ? undefined : hashesOf(id);
      return hashes?.map((hash) => ({ hash, ...blobs.get(hash) }));
    },
  };
}

function thinks({ content }: JsonObject): boolean {
  return isArray(content) && content.some((block) => isObject(block) && /thinking$/.test(String(block.type)));
}

/** A chain of requests that is longer than this is damaged. */
const deepest = 5_000;

/** As the client makes it: sorted keys, a text as one block, no cache marks, thinking included. */
export function messageHash({ role, content }: WireMessage): string {
  return hashOf({ role, content });
}

function hashOf(message: JsonObject): string {
  const { content } = message;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : isArray(content) ? content : [];
  const plain = blocks.map((block) => {
    const { cache_control: _, ...rest } = asObject(block) ?? {};
    return rest;
  });
  return valueHash({ ...message, content: plain });
}

/** As the client makes it: over the JSON with sorted keys. */
function valueHash(value: JsonObject): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex');
}

/** What a message says apart from thinking and reminders; empty where it says nothing else. */
export function spokenKey({ role, content }: JsonObject | WireMessage): string {
  if (role === 'system') return '';
  const blocks: readonly JsonObject[] = isArray(content) ? (content as readonly JsonValue[]).filter(isObject) : [];
  const said = typeof content === 'string' ? content : blocks;
  const [normal] = normalise([{ role: asString(role) ?? '', content: said }]);
  const spoken = (normal?.content ?? []).filter(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
  return spoken.length === 0 ? '' : JSON.stringify(sorted([role ?? null, ...spoken.map(trimmed)]));
}

/** A newline between two texts comes and goes with the client's reminders. */
function trimmed(block: JsonObject): JsonObject {
  return typeof block.text === 'string' ? { ...block, text: block.text.trimEnd() } : block;
}

function sorted(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, inner]) => [key, sorted(inner ?? null)]));
}
