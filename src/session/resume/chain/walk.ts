// Leaf → the chain of lines from the start of the history to the leaf. (RESUME rules 8, 9, 15, 17.)
import { isBoundary, isMessage, type Node } from '../../transcript/node.ts';
import type { ResumeGraph } from './graph.ts';

/** How far back the client searches for a replacement of a missing parent. */
export const bridgeMs = 5000;

export function walkChain(graph: ResumeGraph, leaf: Node): Node[] {
  const chain: Node[] = [];
  const seen = new Set<Node>();
  const bridges = new TimeIndex(graph);
  let line: Node | undefined = leaf;
  while (line !== undefined) {
    seen.add(line);
    chain.push(line);
    const named = graph.parentOf(line);
    if (isBoundary(line) || named === null || named === undefined) break;
    const parent = graph.byUuid(named);
    // A parent that is already in the walk is bridged like a missing one.
    if (parent !== undefined && !seen.has(parent)) line = parent;
    else line = line.isSidechain ? undefined : bridges.before(line, seen);
  }
  chain.reverse();
  return [...chain, ...trailingNotes(graph, leaf, seen)];
}

/** Rule 15: lines connected to the leaf only through notes are included, in file order. */
function trailingNotes(graph: ResumeGraph, leaf: Node, chain: ReadonlySet<Node>): Node[] {
  const notes = new Set<Node>();
  const reached = [leaf];
  for (const line of reached) {
    for (const child of graph.childrenOf(line)) {
      if (isMessage(child) || isBoundary(child) || child.isSidechain || chain.has(child) || notes.has(child)) continue;
      reached.push(child);
      notes.add(child);
    }
  }
  return [...notes].sort((a, b) => graph.rankOf(a) - graph.rankOf(b));
}

/** Rule 9: the newest line that is not newer than a given one, at most `bridgeMs` older; the first one of equals. */
class TimeIndex {
  readonly #graph: ResumeGraph;
  #byTime: Node[] | undefined;
  /** Where to continue after a used line; without it, many dangling lines of one time take quadratic time. */
  readonly #beforeTaken = new Map<number, number>();

  constructor(graph: ResumeGraph) {
    this.#graph = graph;
  }

  before(line: Node, taken: ReadonlySet<Node>): Node | undefined {
    const { time } = line;
    if (Number.isNaN(time)) return undefined;
    const graph = this.#graph;
    this.#byTime ??= graph.order
      .filter((node) => !node.isSidechain && !Number.isNaN(node.time))
      .sort((a, b) => a.time - b.time || graph.rankOf(b) - graph.rankOf(a));
    const sorted = this.#byTime;
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] as Node).time <= time) low = middle + 1;
      else high = middle;
    }
    const candidate = sorted[this.#lastFree(sorted, low - 1, taken)];
    return candidate !== undefined && time - candidate.time <= bridgeMs ? candidate : undefined;
  }

  /** The place of the last unused line up to `from`, or -1. The line itself counts as used. */
  #lastFree(sorted: readonly Node[], from: number, taken: ReadonlySet<Node>): number {
    const passed: number[] = [];
    let at = from;
    while (at >= 0 && taken.has(sorted[at] as Node)) {
      passed.push(at);
      at = this.#beforeTaken.get(at) ?? at - 1;
    }
    for (const place of passed) this.#beforeTaken.set(place, at);
    return at;
  }
}
