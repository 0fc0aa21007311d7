// The copies of requests that newer clients write next to the conversation → for an answer, the hashes of the messages that
// it was given to, in order. With them the text before a thinking block can be checked exactly, without the API.
import { createHash } from 'node:crypto';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import type { Session } from '../../session/load/session.ts';
import type { WireMessage } from '../../session/resume/messages/draft.ts';
import { normalise } from '../../session/resume/messages/normalise.ts';
import type { Node } from '../../session/transcript/node.ts';

/** A message of a recorded request. */
export interface RecordedMessage {
  readonly hash: string;
  /** The message itself without reminders, where the client stored it because the lines do not tell it; else absent. */
  readonly stored?: string;
  /** The stored message still has its hash: nobody has changed it since. */
  readonly isIntact?: boolean;
  /** Whether the stored message has thinking. */
  readonly hasThinking?: boolean;
}

export interface RecordedRequests {
  /** What was sent before this answer; `undefined` where the file does not tell. */
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
export function valueHash(value: JsonObject): string {
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
