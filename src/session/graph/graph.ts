// Nodes → the graph for readers: every record of the conversation has its place, even if a resume would lose it.
// A missing parent is replaced by the line before, a compaction leads on to what it summarised, lines without ids
// follow one another. What the client itself makes of the file is resume/graph.ts.
import type { Diagnostic } from '../../base/errors/index.ts';
import { isBoundary, isMessage, type Node } from '../transcript/index.ts';

/** The entries of a transcript, linked by `parentUuid`. */
export interface Graph {
  readonly diagnostics: readonly Diagnostic[];
  parentOf(node: Node): Node | undefined;
  /** The node that carries this uuid; of several the last. */
  byUuid(uuid: string | undefined): Node | undefined;
  /** Whether a later record has the same uuid. */
  isReplaced(node: Node): boolean;
}

export function buildGraph(nodes: readonly Node[]): Graph {
  const diagnostics: Diagnostic[] = [];
  const byUuid = indexByUuid(nodes, diagnostics);
  const hasReplaced = diagnostics.length > 0;
  const { parents, guessed } = findParents(nodes, byUuid, diagnostics);
  cutCycles(nodes, parents, guessed, diagnostics);
  return {
    diagnostics,
    parentOf: (node) => nodes[parents[node.index] ?? none],
    byUuid: (uuid) => (uuid === undefined ? undefined : byUuid.get(uuid)),
    isReplaced: (node) => hasReplaced && node.uuid !== undefined && byUuid.get(node.uuid) !== node,
  };
}

/** Whether a record is part of the conversation, not bookkeeping. */
export function isLinked(node: Node): boolean {
  return node.uuid !== undefined || isMessage(node);
}

const none = -1;

function indexByUuid(nodes: readonly Node[], diagnostics: Diagnostic[]): Map<string, Node> {
  const byUuid = new Map<string, Node>();
  for (const node of nodes) {
    if (node.uuid === undefined) continue;
    const earlier = byUuid.get(node.uuid);
    if (earlier !== undefined) {
      diagnostics.push(
        about(node, 'G-duplicate-uuid', `line ${earlier.line} has the same uuid; a resume reads this one`),
      );
    }
    byUuid.set(node.uuid, node);
  }
  return byUuid;
}

interface Parents {
  /** The index of each node's parent, or -1. Numbers instead of links, because a graph may have half a million nodes. */
  readonly parents: Int32Array;
  /** 1 if the parent is not the one that the line names. */
  readonly guessed: Uint8Array;
}

function findParents(nodes: readonly Node[], byUuid: ReadonlyMap<string, Node>, diagnostics: Diagnostic[]): Parents {
  const parents = new Int32Array(nodes.length).fill(none);
  const guessed = new Uint8Array(nodes.length);
  const before = new Map<string, Node>();
  const begun = new Map<string, Set<string>>();
  for (const node of nodes) {
    if (!isLinked(node)) continue;
    const lane = laneOf(node);
    const previous = before.get(lane);
    const named = typeof node.parentUuid === 'string' ? byUuid.get(node.parentUuid) : undefined;
    const message = node.type === 'assistant' ? node.message?.id : undefined;
    const begunHere = begun.get(lane) ?? new Set();
    const parent = named ?? fallbackParent(node, previous, byUuid, message !== undefined && begunHere.has(message));
    if (parent !== undefined) parents[node.index] = parent.index;
    if (named === undefined) guessed[node.index] = 1;
    if (typeof node.parentUuid === 'string' && named === undefined) {
      const where = previous === undefined ? 'nothing comes before it' : `read on from line ${previous.line}`;
      diagnostics.push(about(node, 'G-phantom-parent', `its parent is not in the file; ${where}`));
    }
    // A progress line may be attached further up than the line it follows; the lines between would be skipped.
    if (node.type !== 'progress') before.set(lane, node);
    if (message !== undefined && message !== '') begun.set(lane, begunHere.add(message));
  }
  return { parents, guessed };
}

/** Lines that may follow one another: the main conversation, or one sub-agent's. */
function laneOf(node: Node): string {
  return node.isSidechain ? `agent ${node.agentId ?? ''}` : 'main';
}

/**
 * What a line without a parent in the file follows, if it is not a beginning. An answer that was begun before begins
 * nothing: there 1.0.57 writes the history again, from that answer on (findReplayed recognises the copies).
 */
function fallbackParent(
  node: Node,
  previous: Node | undefined,
  byUuid: ReadonlyMap<string, Node>,
  isBegun: boolean,
): Node | undefined {
  if (typeof node.parentUuid === 'string' || node.uuid === undefined) return previous;
  if (isBoundary(node)) return byUuid.get(node.logicalParentUuid ?? '') ?? previous;
  return node.isCompactSummary || isBegun ? previous : undefined;
}

/**
 * A guess that leads in a circle was a wrong one and goes first. A circle of named parents is damage: its oldest line
 * names a parent that was written after it, so that link is cut, and the line follows the one before it.
 */
function cutCycles(nodes: readonly Node[], parents: Int32Array, guessed: Uint8Array, diagnostics: Diagnostic[]): void {
  const done = new Uint8Array(nodes.length);
  for (let start = 0; start < nodes.length; start++) {
    const way: number[] = [];
    let at = start;
    while (at !== none && done[at] === 0) {
      done[at] = 1;
      way.push(at);
      at = parents[at] ?? none;
    }
    if (at !== none && done[at] === 1) {
      const circle = way.slice(way.indexOf(at));
      const guesses = circle.filter((index) => guessed[index] === 1);
      if (guesses.length > 0) parents[guesses.reduce((most, index) => Math.max(most, index))] = none;
      else {
        const oldest = circle.reduce((least, index) => Math.min(least, index));
        const previous = previousInLane(nodes, oldest);
        // A line that is not settled yet may lead into the circle itself.
        parents[oldest] = done[previous] === 2 ? previous : none;
        diagnostics.push(
          about(nodes[oldest] as Node, 'G-cycle', 'its parents lead back to itself; the chain is cut here'),
        );
      }
    }
    for (const index of way) done[index] = 2;
  }
}

function previousInLane(nodes: readonly Node[], index: number): number {
  const lane = laneOf(nodes[index] as Node); // the index is that of a node
  for (let at = index - 1; at >= 0; at--) {
    const node = nodes[at] as Node; // `at` is in range
    if (isLinked(node) && laneOf(node) === lane) return at;
  }
  return none;
}

function about(node: Node, code: string, message: string): Diagnostic {
  return { code, line: node.line, offset: node.offset, message };
}
