// Nodes → compactions: where the history was summarised, by whom, and what of it was kept. Clients of 1.0 wrote only
// the summary line; since 2.0 a boundary line comes before it.
import { asObject, asString, isArray, type JsonObject } from '../../base/json/index.ts';
import type { Graph } from '../graph/index.ts';
import { isBoundary, isMessage, type Node } from '../transcript/index.ts';
import type { Session } from './session.ts';

/** A compaction of the conversation. */
export interface Compaction {
  readonly boundary: Node | undefined;
  readonly summary: Node | undefined;
  readonly time: number;
  readonly trigger: string | undefined;
  readonly preTokens: number | undefined;
  readonly postTokens: number | undefined;
  /** Lines of the old history that stay after the summary (2.1.200 and newer). */
  readonly preservedUuids: readonly string[];
}

/** Returns the compactions of a session, in the order of the file. The result is cached. */
export function compactionsOf(session: Pick<Session, 'transcript' | 'graph'>): readonly Compaction[] {
  const known = remembered.get(session.graph);
  if (known !== undefined) return known;
  const found = findCompactions(session);
  remembered.set(session.graph, found);
  return found;
}

const remembered = new WeakMap<Graph, readonly Compaction[]>();

function findCompactions({ transcript, graph }: Pick<Session, 'transcript' | 'graph'>): readonly Compaction[] {
  const found: Compaction[] = [];
  const summarised = new Map<Node, Node>();
  for (const node of transcript.nodes) {
    if (!node.isCompactSummary || node.isSidechain || graph.isReplaced(node)) continue;
    const boundary = boundaryAbove(node, graph);
    if (boundary !== undefined && !summarised.has(boundary)) summarised.set(boundary, node);
    else found.push(describe(undefined, node, {}, graph));
  }
  for (const node of transcript.nodes) {
    if (!isBoundary(node) || node.isSidechain || graph.isReplaced(node)) continue;
    found.push(describe(node, summarised.get(node), asObject(transcript.read(node).compactMetadata) ?? {}, graph));
  }
  const index = ({ boundary, summary }: Compaction): number => (boundary ?? summary)?.index ?? 0;
  return found.sort((a, b) => index(a) - index(b));
}

/** The boundary that a summary follows, with only notes between them. */
export function boundaryAbove(summary: Node, graph: Graph): Node | undefined {
  let node = graph.parentOf(summary);
  while (node !== undefined && !isBoundary(node) && !isMessage(node)) node = graph.parentOf(node);
  return node !== undefined && isBoundary(node) ? node : undefined;
}

function describe(
  boundary: Node | undefined,
  summary: Node | undefined,
  metadata: JsonObject,
  graph: Graph,
): Compaction {
  return {
    boundary,
    summary,
    time: (boundary ?? summary)?.time ?? Number.NaN,
    trigger: asString(metadata.trigger),
    preTokens: asNumber(metadata.preTokens),
    postTokens: asNumber(metadata.postTokens),
    preservedUuids: preservedUuids(metadata, graph),
  };
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function preservedUuids(metadata: JsonObject, graph: Graph): readonly string[] {
  const listed = asObject(metadata.preservedMessages)?.uuids;
  if (isArray(listed)) return listed.flatMap((uuid) => asString(uuid) ?? []);
  const segment = asObject(metadata.preservedSegment);
  if (segment === undefined) return [];
  const uuids: string[] = [];
  for (let node = graph.byUuid(asString(segment.tailUuid)); node?.uuid !== undefined; node = graph.parentOf(node)) {
    uuids.push(node.uuid);
    if (node.uuid === segment.headUuid) return uuids.reverse();
  }
  return [];
}
