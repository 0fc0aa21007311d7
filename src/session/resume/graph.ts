// Nodes → the graph the client builds when it resumes: only the records it reads, linked by the parents it follows.
// (RESUME rules 3–9, 18, 19.) The graph for people, which drops nothing, is in ../graph.ts.
import { asObject, asString, isArray, type JsonObject, type JsonValue } from '../../base/json.ts';
import { isBoundary, isMessage, isNote, type Node } from '../node.ts';

/** A node with the parent and the place that the client gives it, which compaction may change. */
export interface Link {
  readonly node: Node;
  parent: string | null | undefined;
  /** File order; kept lines of a compaction rank between their anchor and the next line. */
  rank: number;
  /** The place of the last line with this uuid, which decides what stands last in the file. */
  lastRank: number;
}

export interface Pin {
  readonly leafUuid: string;
  readonly explicit: boolean;
  readonly rank: number;
}

export interface ResumeGraph {
  /** In the client's order. */
  readonly order: readonly Link[];
  readonly pin: Pin | undefined;
  byUuid(uuid: string | null | undefined): Link | undefined;
  /** In order; all nodes that name this one as their parent. */
  childrenOf(link: Link): readonly Link[];
}

/** `read` gives the full entry of a boundary, whose metadata says what it keeps. */
export function buildResumeGraph(nodes: readonly Node[], read: (node: Node) => JsonObject): ResumeGraph {
  const { links, pin } = linkNodes(nodes);
  const kept = applyCompactions(links, pin, read);
  const order = [...links.values()].sort((a, b) => a.rank - b.rank);
  const children = new Map<string, Link[]>();
  for (const link of order) {
    if (link.parent === null || link.parent === undefined) continue;
    const siblings = children.get(link.parent);
    if (siblings === undefined) children.set(link.parent, [link]);
    else siblings.push(link);
  }
  return {
    order,
    pin: kept,
    byUuid: (uuid) => (uuid === null || uuid === undefined ? undefined : links.get(uuid)),
    childrenOf: (link) => (link.node.uuid === undefined ? [] : (children.get(link.node.uuid) ?? [])),
  };
}

type Links = Map<string | undefined, Link>;

/** Rules 3, 5, 6, 13, 14: the later of two lines with one uuid wins in the earlier one's place; progress is passed through. */
function linkNodes(nodes: readonly Node[]): { links: Links; pin: Pin | undefined } {
  const links: Links = new Map();
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
      const rank = links.get(node.uuid)?.rank ?? node.index;
      links.set(node.uuid, { node, parent: resolve(node.parentUuid, throughProgress), rank, lastRank: node.index });
    }
  }
  return { links, pin };
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

/** Rule 18: a boundary that keeps a part of the old history moves it behind its anchor and forgets the rest. */
function applyCompactions(links: Links, pin: Pin | undefined, read: (node: Node) => JsonObject): Pin | undefined {
  let current = pin;
  for (const boundary of [...links.values()].filter((link) => isBoundary(link.node))) {
    const preserved = preservedLinks(links, asObject(read(boundary.node).compactMetadata));
    if (preserved === undefined) continue;
    const { anchor, kept } = preserved;
    const keptSet = new Set(kept);
    const forgotten = new Set<string | undefined>();
    for (const [uuid, link] of links) if (link.rank < boundary.rank && !keptSet.has(link)) forgotten.add(uuid);
    for (const uuid of forgotten) links.delete(uuid);
    const last = kept.at(-1) as Link; // preservedLinks answers a non-empty list
    for (const link of links.values()) {
      if (keptSet.has(link) || link === boundary) continue;
      if (link.parent === anchor.node.uuid || (link.parent != null && forgotten.has(link.parent))) {
        link.parent = last.node.uuid;
      }
    }
    for (const [i, link] of kept.entries()) {
      link.parent = i === 0 ? anchor.node.uuid : kept[i - 1]?.node.uuid;
      const behind = (i + 1) / (kept.length + 1);
      link.rank = anchor.rank + behind;
      link.lastRank = anchor.lastRank + behind;
    }
    if (current !== undefined && forgotten.has(current.leafUuid)) current = undefined;
  }
  return current;
}

function preservedLinks(links: Links, metadata: JsonObject | undefined): { anchor: Link; kept: Link[] } | undefined {
  const messages = asObject(metadata?.preservedMessages);
  const segment = asObject(metadata?.preservedSegment);
  const anchor = links.get(asString((messages ?? segment)?.anchorUuid) ?? '');
  if (anchor === undefined) return undefined;
  const kept = messages ? listedLinks(links, messages.uuids) : segmentLinks(links, segment as JsonObject);
  return kept === undefined || kept.length === 0 ? undefined : { anchor, kept };
}

function listedLinks(links: Links, uuids: JsonValue | undefined): Link[] | undefined {
  const found = (isArray(uuids) ? uuids : []).map((uuid) => links.get(asString(uuid) ?? ''));
  return found.every((link): link is Link => link !== undefined) ? found : undefined;
}

function segmentLinks(links: Links, segment: JsonObject): Link[] | undefined {
  const head = asString(segment.headUuid);
  const seen = new Set<Link>();
  let link = links.get(asString(segment.tailUuid) ?? '');
  for (; link !== undefined && !seen.has(link); link = link.parent == null ? undefined : links.get(link.parent)) {
    seen.add(link);
    if (link.node.uuid === head) return [...seen].reverse();
  }
  return undefined;
}
