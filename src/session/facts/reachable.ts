// A session → what a user would expect a resume to load, in the order of the conversation: the active branch after
// its last compaction, with its side lines. The chain of a client is compared with it: "41 of 812 entries".

import { contentKey, findReplayed } from '../graph/index.ts';
import { type Branch, compactionsOf, type Session } from '../load/index.ts';
import { resumeLines } from '../resume/request/index.ts';
import { callsOf, isMessage, type Node, resultsOf } from '../transcript/index.ts';

/** How much of a conversation a client loads. */
export interface Reachable {
  /** Entries of the conversation that a client takes into its request. */
  readonly loaded: number;
  /** Those that a user would expect it to load. */
  readonly of: number;
}

/** What the current client loads. */
export function countReachable(session: Session): Reachable {
  const expected = expectedOf(session);
  const resumed = resumeLines(session.transcript);
  const lost = missingFrom(new Set('refused' in resumed ? [] : resumed.lines), expected, session);
  return { loaded: expected.entries.length - lost.size, of: expected.entries.length };
}

export interface Expectation {
  /** The lines of the active branch after the compaction, and its side lines, whatever they are. */
  readonly order: readonly Node[];
  /** The entries of the conversation among them. */
  readonly entries: readonly Node[];
  /** History that was written again; it is expected once. */
  readonly copies: ReadonlySet<Node>;
  /** Where the order begins, if not at the start of the branch. */
  readonly compaction: Node | undefined;
  /** Lines before the compaction. */
  readonly compacted: number;
}

export function expectedOf(session: Session): Expectation {
  const branch = session.branches[0];
  if (branch === undefined) return { order: [], entries: [], copies: new Set(), compaction: undefined, compacted: 0 };
  const start = lastCompaction(session, branch.nodes);
  const way = [...branch.nodes.slice(start.index), ...unreadEnd(session, branch.leaf)];
  const onWay = new Set(way);
  const order = [
    ...start.kept.filter((node) => !onWay.has(node)),
    ...way.flatMap((node) => [node, ...(branch.sideLines.get(node) ?? [])]),
  ];
  const copies = writtenAgain(session, branch);
  const entries = order.filter((node) => isConversation(session, node) && !copies.has(node));
  return { order, entries, copies, compaction: start.node, compacted: start.index };
}

/** A second result alone is not a history that was written again: that has answers in it. */
function writtenAgain({ transcript }: Session, { nodes }: Branch): ReadonlySet<Node> {
  const copies = findReplayed(transcript, nodes);
  return [...copies].some((node) => node.type === 'assistant') ? copies : new Set();
}

interface Start {
  readonly index: number;
  readonly node: Node | undefined;
  readonly kept: readonly Node[];
}

/** A compaction that left neither a summary nor a part of the old history is damage, and what it cut off is expected. */
function lastCompaction(session: Session, way: readonly Node[]): Start {
  let start: Start = { index: 0, node: undefined, kept: [] };
  const compactions = compactionsOf(session);
  if (compactions.length === 0) return start;
  const places = new Map(way.map((node, index) => [node, index]));
  for (const { boundary, summary, preservedUuids } of compactions) {
    const node = boundary ?? summary;
    const index = node === undefined ? undefined : places.get(node);
    if (node === undefined || index === undefined || index < start.index) continue;
    if (summary === undefined && preservedUuids.length === 0) continue;
    start = { index, node, kept: preservedUuids.flatMap((uuid) => session.graph.byUuid(uuid) ?? []) };
  }
  return start;
}

/** What continues the active branch in records that the client does not read: after another record, or after junk. */
function unreadEnd(session: Session, leaf: Node): readonly Node[] {
  const end: Node[] = [];
  for (let tip: Node | undefined = leaf; tip !== undefined; ) {
    const next = session.branches.find((branch) => branch.fork === tip && branch.nodes[0]?.hidden === true);
    end.push(...(next?.nodes ?? []));
    tip = next?.leaf;
  }
  return end;
}

function isConversation({ graph, isAgent }: Session, node: Node): boolean {
  if (!isMessage(node) || !node.hasContent || node.isApiError) return false;
  return (isAgent || !node.isSidechain) && !graph.isReplaced(node);
}

/** Those of the expected entries that a chain does not hold, neither themselves nor a copy of them. */
export function missingFrom(
  chain: ReadonlySet<Node>,
  { entries }: Expectation,
  { transcript }: Session,
): ReadonlySet<Node> {
  const missing = entries.filter((node) => !chain.has(node));
  if (missing.length === 0 || !transcript.mayRepeat) return new Set(missing);
  const keyOf = (node: Node): string => {
    const ids = [...callsOf(node).map((call) => call.id), ...resultsOf(node).map((result) => result.toolUseId)];
    return `${node.type} ${node.message?.id} ${ids.join()} ${contentKey(transcript.read(node))}`;
  };
  const held = new Set([...chain].filter(isMessage).map(keyOf));
  return new Set(missing.filter((node) => !held.has(keyOf(node))));
}
