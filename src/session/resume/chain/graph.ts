// Nodes → the graph the client builds when it resumes: only the records it reads, linked by the parents it follows.
// (RESUME rules 3–9, 18, 19.) The complete graph for readers is in ../graph.ts.
import { asObject, asString, isArray, type JsonObject, type JsonValue } from '../../../base/json/index.ts';
import { isBoundary, isMessage, isNote, type Node } from '../../transcript/index.ts';

export interface Pin {
  readonly leafUuid: string;
  readonly explicit: boolean;
  readonly rank: number;
}

export interface ResumeGraph {
  /** In the client's order. */
  readonly order: readonly Node[];
  readonly pin: Pin | undefined;
  /** Whether a compaction kept a part of the old history. */
  readonly keepsHistory: boolean;
  byUuid(uuid: string | null | undefined): Node | undefined;
  /** The uuid of the parent for the client; progress lines and compactions may change it. */
  parentOf(node: Node): string | null | undefined;
  /** File order by the first place of a repeated uuid; kept lines of a compaction rank after their anchor. */
  rankOf(node: Node): number;
  /** The same by the last place of a repeated uuid, which decides the end of the file. */
  lastRankOf(node: Node): number;
  inLastOrder(): readonly Node[];
  /** All nodes with this parent, in order. */
  childrenOf(node: Node): readonly Node[];
}

/** `read` returns the full entry of a boundary, whose metadata lists what it keeps. */
export function buildResumeGraph(nodes: readonly Node[], read: (node: Node) => JsonObject): ResumeGraph {
  const links = new Links();
  let pin = linkNodes(nodes, links);
  const { keepsHistory, ...compacted } = applyCompaction(links, pin, read);
  pin = compacted.pin;
  const order = links.inOrder();
  let children: ReadonlyMap<string, readonly Node[]> | undefined;
  return {
    order,
    pin,
    keepsHistory,
    byUuid: (uuid) => (uuid === null || uuid === undefined ? undefined : links.nodes.get(uuid)),
    parentOf: (node) => links.parentOf(node),
    rankOf: (node) => links.rankOf(node),
    lastRankOf: (node) => links.lastRankOf(node),
    inLastOrder: () => links.inLastOrder(order),
    childrenOf: (node) => {
      children ??= groupByParent(order, links);
      return node.uuid === undefined ? [] : (children.get(node.uuid) ?? []);
    },
  };
}

/** Built on first use: it takes half of the graph's memory, and most leaves are found without it. */
function groupByParent(order: readonly Node[], links: Links): ReadonlyMap<string, readonly Node[]> {
  const children = new Map<string, Node[]>();
  for (const node of order) {
    const parent = links.parentOf(node);
    if (parent === null || parent === undefined) continue;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [node]);
    else siblings.push(node);
  }
  return children;
}

/** Nodes by uuid, with the parents and places that differ from the file. */
class Links {
  readonly nodes = new Map<string | undefined, Node>();
  readonly #parents = new Map<Node, string | null | undefined>();
  readonly #ranks = new Map<Node, number>();
  readonly #lastRanks = new Map<Node, number>();

  /** Rule 3: the later of two lines with one uuid replaces the earlier one in its place. */
  add(node: Node): void {
    const earlier = this.nodes.get(node.uuid);
    if (earlier !== undefined) this.#ranks.set(node, this.rankOf(earlier));
    this.nodes.set(node.uuid, node);
  }

  parentOf(node: Node): string | null | undefined {
    return this.#parents.size > 0 && this.#parents.has(node) ? this.#parents.get(node) : node.parentUuid;
  }

  rankOf(node: Node): number {
    return this.#ranks.size === 0 ? node.index : (this.#ranks.get(node) ?? node.index);
  }

  lastRankOf(node: Node): number {
    return this.#lastRanks.size === 0 ? node.index : (this.#lastRanks.get(node) ?? node.index);
  }

  setParent(node: Node, parent: string | null | undefined): void {
    this.#parents.set(node, parent);
  }

  /** `share`: how far between the place of `anchor` and the next. */
  setBehind(node: Node, anchor: Node, share: number): void {
    this.#ranks.set(node, this.rankOf(anchor) + share);
    this.#lastRanks.set(node, this.lastRankOf(anchor) + share);
  }

  inOrder(): readonly Node[] {
    const order = [...this.nodes.values()];
    return this.#ranks.size === 0 ? order : order.sort((a, b) => this.rankOf(a) - this.rankOf(b));
  }

  inLastOrder(order: readonly Node[]): readonly Node[] {
    if (this.#ranks.size === 0) return order;
    return [...order].sort((a, b) => this.lastRankOf(a) - this.lastRankOf(b));
  }
}

/** Rules 5, 6, 13, 14: progress lines are skipped in the chain; other lines outside the conversation may pin the leaf. */
function linkNodes(nodes: readonly Node[], links: Links): Pin | undefined {
  const throughProgress = new Map<string, string | null | undefined>();
  let pin: Pin | undefined;
  for (const node of nodes) {
    if (node.hidden) continue;
    if (node.type === 'progress') {
      if (node.uuid !== undefined) throughProgress.set(node.uuid, resolve(node.parentUuid, throughProgress));
    } else if (node.type === 'last-prompt') {
      pin = nextPin(pin, node);
    } else if (isMessage(node) || isNote(node)) {
      if (isBoundary(node)) pin = undefined;
      links.add(node);
      const parent = resolve(node.parentUuid, throughProgress);
      if (parent !== node.parentUuid) links.setParent(node, parent);
    }
  }
  return pin;
}

function resolve(
  parent: string | null | undefined,
  throughProgress: ReadonlyMap<string, string | null | undefined>,
): string | null | undefined {
  return typeof parent === 'string' && throughProgress.has(parent) ? throughProgress.get(parent) : parent;
}

function nextPin(pin: Pin | undefined, node: Node): Pin | undefined {
  if (node.leafUuid === undefined || node.leafUuid === '') return pin;
  if (pin?.explicit && pin.leafUuid === node.leafUuid && !node.explicit) return pin;
  return { leafUuid: node.leafUuid, explicit: node.explicit, rank: node.index };
}

/**
 * Rule 18: the last boundary that kept a part of the old history moves that part after its anchor and drops the rest,
 * including what earlier boundaries kept.
 */
function applyCompaction(
  links: Links,
  pin: Pin | undefined,
  read: (node: Node) => JsonObject,
): Pick<ResumeGraph, 'pin' | 'keepsHistory'> {
  const boundaries = [...links.nodes.values()].filter(isBoundary).sort((a, b) => links.rankOf(a) - links.rankOf(b));
  const boundary = boundaries.findLast((node) => preservedNodes(links, metadataOf(read(node))) !== undefined);
  const preserved = boundary === undefined ? undefined : preservedNodes(links, metadataOf(read(boundary)));
  if (boundary === undefined || preserved === undefined) return { pin, keepsHistory: false };
  const { anchor, anchorUuid, kept } = preserved;
  const last = kept?.at(-1);
  if (kept === undefined || last === undefined) return { pin, keepsHistory: true };
  if (anchor === undefined) {
    // Lines after the kept part still follow it.
    for (const node of links.nodes.values()) if (links.parentOf(node) === anchorUuid) links.setParent(node, last.uuid);
    return { pin, keepsHistory: true };
  }
  const forgotten = moveBehind(links, boundary, anchor, kept);
  return { pin: pin !== undefined && forgotten.has(pin.leafUuid) ? undefined : pin, keepsHistory: true };
}

function metadataOf(entry: JsonObject): JsonObject | undefined {
  return asObject(entry.compactMetadata);
}

/** Returns the uuids of the lines that left the graph. */
function moveBehind(
  links: Links,
  boundary: Node,
  anchor: Node,
  kept: readonly Node[],
): ReadonlySet<string | undefined> {
  const keptSet = new Set(kept);
  const forgotten = new Set<string | undefined>();
  for (const [uuid, node] of links.nodes) {
    if (links.rankOf(node) < links.rankOf(boundary) && !keptSet.has(node)) forgotten.add(uuid);
  }
  for (const uuid of forgotten) links.nodes.delete(uuid);
  const last = kept.at(-1);
  for (const node of links.nodes.values()) {
    if (keptSet.has(node) || node === boundary) continue;
    const parent = links.parentOf(node);
    if (parent === anchor.uuid || (parent != null && forgotten.has(parent))) links.setParent(node, last?.uuid);
  }
  for (const [i, node] of kept.entries()) {
    links.setParent(node, i === 0 ? anchor.uuid : kept[i - 1]?.uuid);
    links.setBehind(node, anchor, (i + 1) / (kept.length + 1));
  }
  return forgotten;
}

interface Preserved {
  readonly anchorUuid: string;
  readonly anchor: Node | undefined;
  /** `undefined` if the file lacks one of them, or the list is empty. */
  readonly kept: readonly Node[] | undefined;
}

/** `undefined` if the boundary kept nothing. */
function preservedNodes(links: Links, metadata: JsonObject | undefined): Preserved | undefined {
  const messages = asObject(metadata?.preservedMessages);
  const segment = asObject(metadata?.preservedSegment);
  const preserved = messages ?? segment;
  if (preserved === undefined) return undefined;
  const anchorUuid = asString(preserved.anchorUuid) ?? '';
  const anchor = links.nodes.get(anchorUuid);
  const found = messages ? listedNodes(links, messages.uuids) : segmentNodes(links, preserved);
  // An anchor does not follow itself.
  const kept = found?.filter((node) => node !== anchor);
  return { anchorUuid, anchor, kept: kept?.length === 0 ? undefined : kept };
}

function listedNodes(links: Links, uuids: JsonValue | undefined): Node[] | undefined {
  const found = (isArray(uuids) ? uuids : []).map((uuid) => links.nodes.get(asString(uuid) ?? ''));
  return found.every((node): node is Node => node !== undefined) ? found : undefined;
}

function segmentNodes(links: Links, segment: JsonObject): Node[] | undefined {
  const head = asString(segment.headUuid);
  const seen = new Set<Node>();
  let node = links.nodes.get(asString(segment.tailUuid) ?? '');
  while (node !== undefined && !seen.has(node)) {
    seen.add(node);
    if (node.uuid === head) return [...seen].reverse();
    const parent = links.parentOf(node);
    node = parent == null ? undefined : links.nodes.get(parent);
  }
  return undefined;
}
