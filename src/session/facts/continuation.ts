// The end of a transcript → what is needed to summarise it again after lines were appended, without reading it again.
// Only a transcript whose end is simple has a continuation: no damage, no sub-agents after the last message, no copies
// of earlier lines, no compaction that keeps a part of the history.
import { type Graph, isLinked } from '../graph/index.ts';
import type { ResumeGraph } from '../resume/chain/index.ts';
import { endOf, hashId, isBoundary, isMessage, isNote, type Node, type Transcript } from '../transcript/index.ts';
import type { LineTitle } from './titles.ts';

export interface Continuation {
  /** The number of the last line. */
  readonly line: number;
  /** Sub-agents whose lines are in the main transcript. */
  readonly inlineAgents: number;
  readonly title: LineTitle | undefined;
  /** The last lines of the last turn: a new line that follows one of them belongs to the same turn or begins the next. */
  readonly ends: readonly string[];
  /** The one of `ends` at which the client pins the end of the conversation. */
  readonly pin: string | undefined;
  /** The hash of the id of the last answer, unless something was typed after it. */
  readonly answer: number | undefined;
  /** The hashes of all ids that a new line must not have: it would replace, repeat or complete an earlier line. */
  readonly ids: Int32Array;
}

export interface EndOfBranch {
  readonly transcript: Transcript;
  readonly graph: Graph;
  readonly resume: ResumeGraph | undefined;
  readonly leaf: Node | undefined;
  /** The active branch. */
  readonly nodes: readonly Node[];
  readonly title: LineTitle | undefined;
  readonly inlineAgents: number;
}

/** Enough for the results of parallel calls, each of which follows its own call. */
export const mostEnds = 8;
const mostIds = 250_000;

export function continuationOf(branch: EndOfBranch): Continuation | undefined {
  const { transcript, graph, resume, leaf, nodes, title, inlineAgents } = branch;
  const end = endOf(transcript);
  if (end?.isSettled !== true || transcript.mayRepeat || resume === undefined || resume.keepsHistory) return undefined;
  if (transcript.diagnostics.length + graph.diagnostics.length > 0) return undefined;
  if (leaf === undefined || !nodes.some((node) => node.promptKind !== undefined)) return undefined;
  const ends = endsOf(branch, leaf);
  if (ends === undefined) return undefined;
  const pinned = resume.byUuid(resume.pin?.leafUuid);
  const pin = pinned !== undefined && ends.includes(pinned) ? pinned.uuid : undefined;
  if (pinned !== undefined && pin === undefined && !ends.every((node) => isAbove(resume, pinned, node)))
    return undefined;
  const ids = idsOf(transcript.nodes, end.seenIds);
  if (ids.length > mostIds) return undefined;
  const uuids = ends.flatMap((node) => node.uuid ?? []);
  return { line: end.lastLine, inlineAgents, title, ends: uuids, pin, answer: end.answer, ids };
}

/** The last lines of the last turn, the oldest first; `undefined` if other lines follow the last message. */
function endsOf({ transcript, graph, nodes }: EndOfBranch, leaf: Node): readonly Node[] | undefined {
  const ends: Node[] = [];
  for (let i = nodes.length - 1; i >= 0 && ends.length < mostEnds; i--) {
    const node = nodes[i] as Node; // `i` is in range
    if (isBoundary(node)) break;
    ends.unshift(node);
    if (node.promptKind !== undefined) break;
  }
  for (const node of transcript.nodes.slice(leaf.index + 1)) {
    if (!isLinked(node)) continue;
    const parent = graph.parentOf(node);
    if (isMessage(node) || isBoundary(node) || parent === undefined || !ends.includes(parent)) return undefined;
    ends.push(node);
  }
  return ends.every(isSimple) ? ends.slice(-mostEnds) : undefined;
}

/** Whether the client reads the line as a link of the main conversation. */
export function isSimple(node: Node): boolean {
  if (node.uuid === undefined || node.hidden || node.isSidechain) return false;
  if (isMessage(node)) return node.hasContent && !Number.isNaN(node.time);
  return node.type === 'progress' || isNote(node);
}

/** Whether the line descends from `pinned`. */
function isAbove(resume: ResumeGraph, pinned: Node, line: Node): boolean {
  const seen = new Set<Node>();
  let node: Node | undefined = line;
  for (; node !== undefined && !seen.has(node); node = resume.byUuid(resume.parentOf(node))) {
    if (node === pinned) return true;
    seen.add(node);
  }
  return false;
}

function idsOf(nodes: readonly Node[], seenIds: Iterable<number>): Int32Array {
  const ids = new Set(seenIds);
  for (const { uuid, leafUuid, logicalParentUuid } of nodes)
    for (const id of [uuid, leafUuid, logicalParentUuid]) if (id !== undefined) ids.add(hashId(id));
  return Int32Array.from(ids);
}
