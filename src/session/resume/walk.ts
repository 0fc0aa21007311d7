// Leaf → the chain of lines from the start of the history to it. (RESUME rules 8, 9, 15, 17.)
import { isBoundary, isMessage } from '../node.ts';
import type { Link, ResumeGraph } from './graph.ts';

/** How far back in time the client looks for a line to stand in for a missing parent. */
export const bridgeMs = 5000;

export function walkChain(graph: ResumeGraph, leaf: Link): Link[] {
  const chain: Link[] = [];
  const seen = new Set<Link>();
  const bridges = new TimeIndex(graph.order);
  let link: Link | undefined = leaf;
  while (link !== undefined) {
    seen.add(link);
    chain.push(link);
    if (isBoundary(link.node) || link.parent === null || link.parent === undefined) break;
    const parent = graph.byUuid(link.parent);
    // A parent that is in the walk already is bridged like one that is missing.
    if (parent !== undefined && !seen.has(parent)) link = parent;
    else link = link.node.isSidechain ? undefined : bridges.before(link, seen);
  }
  chain.reverse();
  return [...chain, ...trailingNotes(graph, leaf, seen)];
}

/** Rule 15: what hangs on the leaf through notes only comes along, in file order. */
function trailingNotes(graph: ResumeGraph, leaf: Link, chain: ReadonlySet<Link>): Link[] {
  const notes = new Set<Link>();
  const reached = [leaf];
  for (const link of reached) {
    for (const child of graph.childrenOf(link)) {
      const { node } = child;
      if (isMessage(node) || isBoundary(node) || node.isSidechain || chain.has(child) || notes.has(child)) continue;
      reached.push(child);
      notes.add(child);
    }
  }
  return [...notes].sort((a, b) => a.rank - b.rank);
}

/** Rule 9: the newest line that is not newer than a given one, at most `bridgeMs` older; of equals the first in the file. */
class TimeIndex {
  readonly #order: readonly Link[];
  #byTime: Link[] | undefined;
  /** Where to look on from a line that is taken: without it, many dangling lines of one time cost quadratic time. */
  readonly #beforeTaken = new Map<number, number>();

  constructor(order: readonly Link[]) {
    this.#order = order;
  }

  before(link: Link, taken: ReadonlySet<Link>): Link | undefined {
    const { time } = link.node;
    if (Number.isNaN(time)) return undefined;
    this.#byTime ??= this.#order
      .filter(({ node }) => !node.isSidechain && !Number.isNaN(node.time))
      .sort((a, b) => a.node.time - b.node.time || b.rank - a.rank);
    const sorted = this.#byTime;
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] as Link).node.time <= time) low = middle + 1;
      else high = middle;
    }
    const candidate = sorted[this.#lastFree(sorted, low - 1, taken)];
    return candidate !== undefined && time - candidate.node.time <= bridgeMs ? candidate : undefined;
  }

  /** The place of the last line up to `from` that is not taken, or -1. The line itself is among the taken. */
  #lastFree(sorted: readonly Link[], from: number, taken: ReadonlySet<Link>): number {
    const passed: number[] = [];
    let at = from;
    while (at >= 0 && taken.has(sorted[at] as Link)) {
      passed.push(at);
      at = this.#beforeTaken.get(at) ?? at - 1;
    }
    for (const place of passed) this.#beforeTaken.set(place, at);
    return at;
  }
}
