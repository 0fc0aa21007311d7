// Whether a resume sends the system prompt and the tools that a thinking block was made with. The client copies both next to
// its requests (`api-request-shape`); what it sends again is the snapshot on the chain.
import { isDeepStrictEqual } from 'node:util';
import { asObject, asString, isArray, isObject, type JsonObject } from '../../base/json/json.ts';
import { isVersionSince, isWrittenByClew } from '../../session/facts/prompt-origin.ts';
import type { Session } from '../../session/load/session.ts';
import { countingSnapshot } from '../../session/resume/request/full-request.ts';
import type { Node } from '../../session/transcript/node.ts';
import { valueHash } from './recorded-requests.ts';

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
    // A copy that someone has changed tells nothing.
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
