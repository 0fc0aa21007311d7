// The edits that repair references to dropped lines: parents, pins, snapshots, preserved history. The new parent of a line
// is the last kept line before it, in the order in which a resume sends them.
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import type { Edit, JsonPath } from '../../format/bytes/index.ts';
import { compactionsOf, type Session } from '../../session/load/index.ts';
import { resumeLines } from '../../session/resume/request/index.ts';
import { callsOf, isBoundary, isMessage, type Node, resultsOf } from '../../session/transcript/index.ts';
import { findReferences } from './new-session.ts';

interface Relinked {
  readonly edits: ReadonlyMap<number, readonly Edit[]>;
  /** Records that only refer to dropped lines. */
  readonly drops: ReadonlyMap<number, string>;
}

/** Relinks after `drops`: adds to both maps, keeping existing edits of the same value, and forgets edits of dropped records. */
export function relinkInto(session: Session, edits: Map<number, readonly Edit[]>, drops: Map<number, string>): void {
  if (drops.size === 0) return;
  const relinked = relink(session, drops);
  addEdits(edits, relinked.edits);
  for (const [index, reason] of relinked.drops) drops.set(index, reason);
  for (const index of drops.keys()) edits.delete(index);
}

/** Keeps existing edits of the same value. */
export function addEdits(edits: Map<number, readonly Edit[]>, more: ReadonlyMap<number, readonly Edit[]>): void {
  for (const [index, added] of more) {
    const known = edits.get(index) ?? [];
    const places = new Set(known.map(({ path }) => path.join('/')));
    edits.set(index, [...known, ...added.filter(({ path }) => !places.has(path.join('/')))]);
  }
}

function relink(session: Session, drops: ReadonlyMap<number, string>): Relinked {
  const chain = new KeptChain(session, drops);
  const edits = new Map<number, Edit[]>();
  const more = new Map<number, string>();
  for (const node of session.transcript.nodes) {
    if (drops.has(node.index)) continue;
    const own = [...parentEdits(chain, node)];
    if (isBoundary(node)) own.push(...boundaryEdits(chain, node));
    else if (resultsOf(node).length > 0) own.push(...sourceEdits(chain, node));
    else if (node.uuid === undefined && !isMessage(node)) {
      const repaired = asideEdits(chain, node);
      if (repaired === undefined) more.set(node.index, 'refers only to dropped lines');
      else own.push(...repaired);
    }
    if (own.length > 0) edits.set(node.index, own);
  }
  return { edits, drops: more };
}

/** Longer records outside the chain hold copies of requests, not references. */
const longestAsideBytes = 256 * 1024;

/** How many lines a message and its results may be apart. */
const farthest = 500;

class KeptChain {
  readonly session: Session;
  readonly preserved: ReadonlySet<string>;
  readonly #drops: ReadonlyMap<number, string>;
  readonly #byUuid = new Map<string, Node>();
  /** In the order of a resume, or of the branch: the previous line, and the last kept line before it. */
  readonly #before = new Map<
    Node,
    { readonly line: Node | undefined; readonly kept: Node | undefined; readonly keptUser: Node | undefined }
  >();

  constructor(session: Session, drops: ReadonlyMap<number, string>) {
    this.session = session;
    this.#drops = drops;
    for (const node of session.transcript.nodes) if (node.uuid !== undefined) this.#byUuid.set(node.uuid, node);
    this.preserved = new Set(compactionsOf(session).flatMap(({ preservedUuids }) => preservedUuids));
    const resumed = resumeLines(session.transcript);
    if (!('refused' in resumed)) this.#follow(resumed.lines);
    for (const { nodes, sideLines } of session.branches)
      this.#follow(nodes.flatMap((node) => [node, ...(sideLines.get(node) ?? [])]));
  }

  #follow(order: readonly Node[]): void {
    let line: Node | undefined;
    let kept: Node | undefined;
    let keptUser: Node | undefined;
    for (const node of order) {
      if (!this.#before.has(node)) this.#before.set(node, { line, kept, keptUser });
      line = node;
      if (this.isGone(node) || node.uuid === undefined) continue;
      kept = node;
      if (node.type === 'user') keptUser = node;
    }
  }

  isGone(node: Node | undefined): boolean {
    return node !== undefined && this.#drops.has(node.index);
  }

  gone(uuid: string | null | undefined): Node | undefined {
    const node = typeof uuid === 'string' ? this.#byUuid.get(uuid) : undefined;
    return this.isGone(node) ? node : undefined;
  }

  has(uuid: string): boolean {
    return this.#byUuid.has(uuid);
  }

  lineBefore(node: Node): Node | undefined {
    return this.#before.get(node)?.line;
  }

  keptBefore(node: Node): string | undefined {
    return this.#before.get(node)?.kept?.uuid;
  }

  /** The nearest kept ancestor; `passesMessage`: a dropped message line lies between. */
  ancestorOf(node: Node): { uuid: string | null; passesMessage: boolean } {
    const seen = new Set<Node>();
    let passesMessage = false;
    let parent = node.parentUuid;
    for (let line = this.gone(parent); line !== undefined && !seen.has(line); line = this.gone(parent)) {
      seen.add(line);
      passesMessage ||= isMessage(line);
      parent = line.parentUuid;
    }
    return { uuid: typeof parent === 'string' && this.gone(parent) === undefined ? parent : null, passesMessage };
  }

  /** The last kept line before `node` that descends from `ancestor`; preserved history is not mixed with other lines. */
  keptDescendant(node: Node, ancestor: string | null): string | undefined {
    const isPreserved = this.preserved.has(node.uuid ?? '');
    let line = this.#before.get(node)?.kept;
    for (let i = 0; i < farthest && line !== undefined && line.uuid !== ancestor; i++) {
      if (this.preserved.has(line.uuid ?? '') === isPreserved && this.#descendsFrom(line, ancestor)) return line.uuid;
      line = this.#before.get(line)?.kept;
    }
    return undefined;
  }

  #descendsFrom(line: Node, ancestor: string | null): boolean {
    let at: Node | undefined = line;
    for (let i = 0; i < farthest && at !== undefined; i++) {
      const { uuid } = this.ancestorOf(at);
      // Without an ancestor: its history starts with a dropped line.
      if (uuid === null) return ancestor === null && this.gone(at.parentUuid) !== undefined;
      if (uuid === ancestor) return true;
      at = this.#byUuid.get(uuid);
    }
    return false;
  }

  /** The line that replaces a dropped one. */
  replacementFor(node: Node): string | undefined {
    return this.keptBefore(node) ?? this.ancestorOf(node).uuid ?? undefined;
  }

  /** The same among user lines. */
  userReplacementFor(node: Node): string | undefined {
    const before = this.#before.get(node)?.keptUser;
    if (before !== undefined) return before.uuid;
    const seen = new Set<Node>();
    let line = this.#byUuid.get(this.ancestorOf(node).uuid ?? '');
    while (line !== undefined && !seen.has(line)) {
      if (line.type === 'user' && !this.isGone(line)) return line.uuid;
      seen.add(line);
      line = this.#byUuid.get(line.parentUuid ?? '');
    }
    return undefined;
  }

  read(node: Node): JsonObject {
    return this.session.transcript.read(node);
  }
}

function parentEdits(chain: KeptChain, node: Node): Edit[] {
  const { parentUuid } = node;
  if (typeof parentUuid !== 'string') return [];
  if (chain.gone(parentUuid) === undefined) {
    // If the parent is missing, the client finds one by time. If that line is dropped, name the kept one.
    if (chain.has(parentUuid) || !chain.isGone(chain.lineBefore(node))) return [];
    const kept = chain.keptBefore(node);
    return kept === undefined ? [] : [{ path: ['parentUuid'], set: kept }];
  }
  const { uuid, passesMessage } = chain.ancestorOf(node);
  if (uuid !== null && !chain.has(uuid)) return [{ path: ['parentUuid'], set: chain.keptBefore(node) ?? uuid }];
  // Other lines of the same message may be linked to the chain only through this one.
  const sibling = passesMessage ? chain.keptDescendant(node, uuid) : undefined;
  return [{ path: ['parentUuid'], set: sibling ?? uuid }];
}

function boundaryEdits(chain: KeptChain, node: Node): Edit[] {
  const edits: Edit[] = [];
  const logical = chain.gone(node.logicalParentUuid);
  if (logical !== undefined) edits.push({ path: ['logicalParentUuid'], set: chain.replacementFor(logical) ?? null });
  const metadata = asObject(chain.read(node).compactMetadata);
  if (metadata === undefined) return edits;
  const { preservedUuids = [] } = compactionsOf(chain.session).find(({ boundary }) => boundary === node) ?? {};
  const kept = preservedUuids.filter((uuid) => chain.gone(uuid) === undefined);
  if (kept.length === preservedUuids.length && preservedUuids.length > 0) {
    edits.push(...listEdits(chain, metadata, 'allUuids'));
    return edits;
  }
  if (preservedUuids.length === 0) return edits;
  for (const key of ['preservedSegment', 'preservedMessages']) {
    if (!(key in metadata)) continue;
    if (kept.length === 0) edits.push({ path: ['compactMetadata', key], remove: true });
    else if (key === 'preservedMessages')
      edits.push(...listEdits(chain, metadata, 'uuids'), ...listEdits(chain, metadata, 'allUuids'));
    else {
      edits.push({ path: ['compactMetadata', key, 'headUuid'], set: kept[0] ?? '' });
      edits.push({ path: ['compactMetadata', key, 'tailUuid'], set: kept.at(-1) ?? '' });
    }
  }
  return edits;
}

function listEdits(chain: KeptChain, metadata: JsonObject, key: string): Edit[] {
  const list = asObject(metadata.preservedMessages)?.[key];
  return (isArray(list) ? list : []).flatMap((uuid, i): Edit[] =>
    chain.gone(asString(uuid)) === undefined
      ? []
      : [{ path: ['compactMetadata', 'preservedMessages', key, i], remove: true }],
  );
}

/** A kept result names the line of its call. */
function sourceEdits(chain: KeptChain, node: Node): Edit[] {
  const named = chain.gone(asString(chain.read(node).sourceToolAssistantUUID));
  if (named === undefined) return [];
  const ids = new Set(resultsOf(node).map(({ toolUseId }) => toolUseId));
  const holder = chain.session.transcript.nodes.find(
    (line) => !chain.isGone(line) && line.uuid !== undefined && callsOf(line).some(({ id }) => ids.has(id)),
  );
  const path = ['sourceToolAssistantUUID'];
  return [holder?.uuid === undefined ? { path, remove: true } : { path, set: holder.uuid }];
}

/** `undefined` if no line is left that it could refer to. */
function asideEdits(chain: KeptChain, node: Node): Edit[] | undefined {
  if (node.length > longestAsideBytes) return [];
  const isSnapshot = node.type.startsWith('file-history');
  const edits: Edit[] = [];
  for (const { path, id } of findReferences(chain.read(node), (uuid) => chain.gone(uuid) !== undefined)) {
    const gone = chain.gone(id);
    const set =
      gone === undefined ? undefined : isSnapshot ? chain.userReplacementFor(gone) : chain.replacementFor(gone);
    // A pin or snapshot needs a line; a title may name a line of another file.
    if (set === undefined && (isSnapshot || node.type === 'last-prompt')) return undefined;
    if (set !== undefined) edits.push({ path, set });
  }
  return edits;
}

/** `lines`: the lines that resuming the result loads. */
export function freshUsageEdits(session: Session, lines: readonly Node[]): ReadonlyMap<number, readonly Edit[]> {
  const last = lines.findLast(({ type, message }) => type === 'assistant' && message?.usage !== undefined);
  if (last === undefined) return new Map();
  const message =
    last.message?.id === undefined ? [last] : lines.filter((node) => node.message?.id === last.message?.id);
  // A portable copy puts calls last, so their line may follow this one.
  const others = callsOf(last).length > 0 ? [] : message.filter((node) => node !== last && callsOf(node).length > 0);
  return new Map(
    [...others, last].flatMap((node) => {
      const usage = asObject(session.transcript.read(node).message)?.usage;
      const edits = zeroEdits(usage, ['message', 'usage']);
      return edits.length === 0 ? [] : [[node.index, edits] as const];
    }),
  );
}

export function zeroEdits(value: JsonValue | undefined, path: JsonPath): Edit[] {
  if (typeof value === 'number') return value === 0 ? [] : [{ path, set: 0 }];
  if (path.length > deepest) return [];
  if (isArray(value)) return value.flatMap((item, i) => zeroEdits(item, [...path, i]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => zeroEdits(inner, [...path, key]));
}

const deepest = 6;
