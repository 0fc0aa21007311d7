// Graph → branches: the active one, which a resume continues, and the others, which a user may still want to see.
// Lines off a branch that belong to its messages (parallel calls attach their results there) are not a branch.
import type { JsonObject } from '../../base/json/json.ts';
import type { Graph } from '../graph/graph.ts';
import { findSideLines, type Relatives } from '../graph/relatives.ts';
import { buildResumeGraph } from '../resume/chain/graph.ts';
import { chooseLeaf } from '../resume/chain/leaf.ts';
import { isMessage, type Node } from '../transcript/node.ts';

/** One path through the conversation, from the first entry to a last one. */
export interface Branch {
  readonly active: boolean;
  readonly leaf: Node;
  /** Where it leaves an earlier branch of the list; `undefined` if it has a beginning of its own. */
  readonly fork: Node | undefined;
  /** Its own lines, oldest first: from the fork, or the beginning, to the leaf. */
  readonly nodes: readonly Node[];
  /** Lines off the branch that belong to its messages, by the line of the branch that they follow. */
  readonly sideLines: ReadonlyMap<Node, readonly Node[]>;
  /** All its messages are on an earlier branch of the list too: history that was written again. */
  readonly isReplay: boolean;
}

export interface BranchSource {
  readonly nodes: readonly Node[];
  readonly graph: Graph;
  readonly relatives: Relatives;
  /** A sub-agent's transcript: its lines are sidechain lines, but still its conversation. */
  readonly isAgent: boolean;
  read(node: Node): JsonObject;
}

/** The active branch first, then the others, newest first; empty if the file holds no conversation. */
export function findBranches(source: BranchSource): readonly Branch[] {
  const leaf = activeLeaf(source);
  if (leaf === undefined) return [];
  const { nodes } = source;
  const covered = new Uint8Array(nodes.length);
  const seenMessages = new Set<string>();
  const branches: Branch[] = [];
  const add = (tip: Node, active: boolean): void => {
    const way = wayTo(source.graph, tip, covered);
    const ids = way.nodes.flatMap((node) => (node.type === 'assistant' && node.message?.id ? [node.message.id] : []));
    const isReplay = !active && ids.length > 0 && ids.every((id) => seenMessages.has(id));
    for (const id of ids) seenMessages.add(id);
    for (const node of way.nodes) covered[node.index] = 1;
    const sideLines = findSideLines(way.nodes, source, (node) => covered[node.index] === 1);
    for (const lines of sideLines.values()) for (const line of lines) covered[line.index] = 1;
    branches.push({ active, leaf: tip, fork: way.fork, nodes: way.nodes, sideLines, isReplay });
  };
  add(leaf, true);
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i] as Node; // i is in range
    if (covered[i] === 0 && isMessage(node) && isOwn(source, node) && !source.graph.isReplaced(node)) add(node, false);
  }
  return branches;
}

export function isAgentTranscript(nodes: readonly Node[]): boolean {
  return nodes.some(isMessage) && nodes.every((node) => !isMessage(node) || node.isSidechain);
}

/** The line a resume continues from; the last message if the client refuses the file. */
export function activeLeaf(source: Pick<BranchSource, 'nodes' | 'isAgent' | 'read'>): Node | undefined {
  if (!source.isAgent) {
    const choice = chooseLeaf(buildResumeGraph(source.nodes, (node) => source.read(node)));
    if ('leaf' in choice && isMessage(choice.leaf)) return choice.leaf;
  }
  return source.nodes.findLast((node) => isMessage(node) && isOwn(source, node));
}

function isOwn(source: Pick<BranchSource, 'isAgent'>, node: Node): boolean {
  return source.isAgent || !node.isSidechain;
}

function wayTo(graph: Graph, tip: Node, covered: Uint8Array): { nodes: Node[]; fork: Node | undefined } {
  const nodes: Node[] = [];
  let node: Node | undefined = tip;
  for (; node !== undefined && covered[node.index] === 0; node = graph.parentOf(node)) nodes.push(node);
  return { nodes: nodes.reverse(), fork: node };
}
