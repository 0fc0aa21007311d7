// Nodes → compactions: where the history was summarised, by whom, and what of it was kept. Clients of 1.0 wrote only
// the summary line; since 2.0 a boundary line stands before it.
import { asObject, asString, isArray, type JsonObject } from '../base/json.ts';
import type { Graph } from './graph.ts';
import { isBoundary, type Node } from './node.ts';
import type { Session } from './session.ts';

export interface Compaction {
  readonly boundary: Node | undefined;
  readonly summary: Node | undefined;
  readonly time: number;
  readonly trigger: string | undefined;
  readonly preTokens: number | undefined;
  readonly postTokens: number | undefined;
  /** Lines of the old history that stay behind the summary (2.1.200 and newer). */
  readonly preservedUuids: readonly string[];
}

export function compactionsOf(session: Pick<Session, 'transcript' | 'graph'>): readonly Compaction[] {
  const { transcript, graph } = session;
  const found: Compaction[] = [];
  const summarised = new Map<Node, Node>();
  for (const node of transcript.nodes) {
    if (!node.isCompactSummary || node.isSidechain) continue;
    const parent = graph.parentOf(node);
    if (parent !== undefined && isBoundary(parent)) summarised.set(parent, node);
    else found.push(describe(undefined, node, {}, graph));
  }
  for (const node of transcript.nodes) {
    if (!isBoundary(node) || node.isSidechain) continue;
    found.push(describe(node, summarised.get(node), asObject(transcript.read(node).compactMetadata) ?? {}, graph));
  }
  return found.sort((a, b) => placeOf(a) - placeOf(b));
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

function placeOf(compaction: Compaction): number {
  return (compaction.boundary ?? compaction.summary)?.index ?? 0;
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
  let node = graph.byUuid(asString(segment.tailUuid));
  for (; node?.uuid !== undefined && !uuids.includes(node.uuid); node = graph.parentOf(node)) {
    uuids.unshift(node.uuid);
    if (node.uuid === segment.headUuid) return uuids;
  }
  return [];
}
