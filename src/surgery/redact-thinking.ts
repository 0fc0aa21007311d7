// Signed thinking that holds a secret → the edits and drops that take it out. It cannot be altered, because the API
// rejects thinking that does not fit its signature; so all thinking of that message goes, and where nothing else stands
// in a line the line goes, with the chain mended around it.
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Edit, JsonPath } from '../format/edit.ts';
import { isMessage, type Node } from '../session/node.ts';
import { isThinking } from '../session/resume/filter.ts';
import type { Transcript } from '../session/transcript.ts';

export interface ThinkingTaken {
  readonly edits: ReadonlyMap<number, readonly Edit[]>;
  readonly drops: ReadonlyMap<number, string>;
  /** Messages that lost their thinking. */
  readonly messages: number;
}

export const thinkingReason = 'signed thinking that held a secret';

/** `signed`: the records with such thinking, by their index. */
export function takeThinking(transcript: Transcript, signed: Iterable<number>): ThinkingTaken {
  const named = new Set([...signed].map((index) => messageKey(transcript.nodes[index] as Node)));
  const edits = new Map<number, Edit[]>();
  const drops = new Map<number, string>();
  for (const node of transcript.nodes) {
    if (node.type !== 'assistant' || !named.has(messageKey(node))) continue;
    const content = asObject(transcript.read(node).message)?.content;
    const blocks = isArray(content) ? content : [];
    const gone = blocks.flatMap((block, i) => (isObject(block) && isThinkingBlock(block) ? [i] : []));
    if (gone.length === 0) continue;
    if (gone.length === blocks.length) drops.set(node.index, thinkingReason);
    else
      edits.set(
        node.index,
        gone.map((i) => ({ path: ['message', 'content', i], remove: true as const })),
      );
  }
  for (const [index, more] of mendReferences(transcript, drops))
    edits.set(index, [...(edits.get(index) ?? []), ...more]);
  return { edits, drops, messages: named.size };
}

function isThinkingBlock(block: JsonObject): boolean {
  return typeof block.type === 'string' && isThinking({ ...block, type: block.type });
}

function messageKey(node: Node): string | Node {
  return node.message?.id || node;
}

function mendReferences(transcript: Transcript, drops: ReadonlyMap<number, string>): Map<number, Edit[]> {
  const edits = new Map<number, Edit[]>();
  if (drops.size === 0) return edits;
  const chain = new Chain(transcript.nodes, drops);
  for (const node of transcript.nodes) {
    if (drops.has(node.index)) continue;
    const own: Edit[] = [];
    if (chain.isGone(node.parentUuid)) own.push({ path: ['parentUuid'], set: chain.before(node.parentUuid) ?? null });
    if (!isMessage(node)) collectReferences(transcript.read(node), [], chain, own);
    if (own.length > 0) edits.set(node.index, own);
  }
  return edits;
}

class Chain {
  readonly #gone = new Map<string, Node>();
  readonly #child = new Map<string, Node>();

  constructor(nodes: readonly Node[], drops: ReadonlyMap<number, string>) {
    for (const node of nodes) {
      if (node.uuid !== undefined && drops.has(node.index)) this.#gone.set(node.uuid, node);
      if (typeof node.parentUuid === 'string' && !this.#child.has(node.parentUuid))
        this.#child.set(node.parentUuid, node);
    }
  }

  isGone(uuid: string | null | undefined): uuid is string {
    return typeof uuid === 'string' && this.#gone.has(uuid);
  }

  /** The nearest line above that stays. */
  before(uuid: string): string | undefined {
    let at: string | null | undefined = uuid;
    for (let steps = this.#gone.size; steps >= 0 && this.isGone(at); steps--) at = this.#gone.get(at)?.parentUuid;
    return typeof at === 'string' && !this.isGone(at) ? at : undefined;
  }

  /** The nearest line below that stays. */
  after(uuid: string): string | undefined {
    let at: string | undefined = uuid;
    for (let steps = this.#gone.size; steps >= 0 && this.isGone(at); steps--) at = this.#child.get(at)?.uuid;
    return this.isGone(at) ? undefined : at;
  }
}

/** Pins, snapshots and preserved history name lines in fields of any name; what is said is never looked into. */
function collectReferences(value: JsonValue | undefined, path: JsonPath, chain: Chain, edits: Edit[]): void {
  if (isArray(value)) {
    for (const [i, item] of value.entries())
      if (chain.isGone(asString(item))) edits.push({ path: [...path, i], remove: true });
      else collectReferences(item, [...path, i], chain, edits);
  } else if (isObject(value) && path.length < deepest) {
    for (const [key, item] of Object.entries(value)) {
      if (path.length === 0 && (said.has(key) || key === 'parentUuid')) continue;
      const uuid = asString(item);
      if (!chain.isGone(uuid)) collectReferences(item, [...path, key], chain, edits);
      else {
        const [first, second] = [chain.before(uuid), chain.after(uuid)];
        const set = key === 'headUuid' ? (second ?? first) : (first ?? second);
        if (set !== undefined) edits.push({ path: [...path, key], set });
      }
    }
  }
}

const deepest = 6;
const said: ReadonlySet<string> = new Set(['message', 'toolUseResult', 'content', 'rendered', 'data']);
