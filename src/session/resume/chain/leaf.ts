// Graph → the line a resume continues from. (RESUME rules 10–16, R1.)
import { isBoundary, isMessage, type Node, resultsOf } from '../../transcript/index.ts';
import { type ClientRules, currentRules, refusal } from '../client/index.ts';
import type { Pin, ResumeGraph } from './graph.ts';

export type LeafChoice = { readonly leaf: Node } | { readonly refused: string };

export function chooseLeaf(graph: ResumeGraph, rules: ClientRules = currentRules): LeafChoice {
  const main = graph.inLastOrder().filter(canBeLeaf);
  const chosen = pinnedLeaf(graph, main) ?? (graph.keepsHistory ? lastTip(graph, main) : lastLeaf(graph, main, rules));
  if (chosen === undefined) return { refused: `${refusal}: the file holds no message of a main conversation` };
  const leaf = nearestMessage(graph, chosen);
  if (leaf.isSidechain) return { refused: `${refusal}: the last line belongs to a sub-agent` };
  if (Number.isNaN(leaf.time)) {
    return { refused: `${refusal}: the last message (line ${leaf.line}) has no valid timestamp` };
  }
  return { leaf };
}

/** Rule 4: a message line without content stays in the graph but is never a leaf. */
function canBeLeaf(node: Node): boolean {
  return !node.isSidechain && !isEmptyMessage(node);
}

function isEmptyMessage(node: Node): boolean {
  return isMessage(node) && !node.hasContent;
}

/** Rules 10 and 11: the last line that has a message at or above it, or a newer line below it. */
function lastLeaf(graph: ResumeGraph, main: readonly Node[], rules: ClientRules): Node | undefined {
  const unrooted = new Set<Node>();
  const last = main.findLast(
    (line) => hasMessageAtOrAbove(graph, line, unrooted) || linesBelow(graph, line).some(isMessage),
  );
  if (last === undefined) return main.at(-1);
  // Even a pin to a missing line stops the search for a newer line.
  if (graph.pin !== undefined || !rules.has('takesNewestChild')) return last;
  let newest = last;
  for (const line of linesBelow(graph, last)) if (Number.isNaN(newest.time) || line.time >= newest.time) newest = line;
  return newest;
}

/** After a compaction that kept history, only a line without children, side lines included, can be the last one. */
function lastTip(graph: ResumeGraph, main: readonly Node[]): Node | undefined {
  const unrooted = new Set<Node>();
  return main.findLast((line) => hasMessageAtOrAbove(graph, line, unrooted) && graph.childrenOf(line).length === 0);
}

/** All descendants of a line. */
function linesBelow(graph: ResumeGraph, line: Node): readonly Node[] {
  const uuid = line.uuid;
  // Works without the index of children, which takes half of the graph's memory.
  if (uuid === undefined || !graph.order.some((each) => graph.parentOf(each) === uuid)) return [];
  const found = new Set([line]);
  for (const at of found) for (const child of graph.childrenOf(at)) if (canBeLeaf(child)) found.add(child);
  found.delete(line);
  return [...found];
}

/**
 * Rules 12–14 and R1: the end of the file if it descends from the pinned line, or if the pinned line is the result of a
 * call in the chain of the end; otherwise the pinned line.
 */
function pinnedLeaf(graph: ResumeGraph, main: readonly Node[]): Node | undefined {
  const pin: Pin | undefined = graph.pin;
  const pinned = graph.byUuid(pin?.leafUuid);
  if (pin === undefined || pinned === undefined || isEmptyMessage(pinned)) return undefined;
  if (!hasMessageAtOrAbove(graph, pinned, new Set())) return undefined;
  const last = main.at(-1);
  if (last === undefined) return pinned;
  const chain = ancestors(graph, last);
  if (!chain.has(pinned)) {
    if (pin.explicit) return pinned;
    if (graph.keepsHistory && graph.childrenOf(pinned).length > 0) return undefined;
    return comesAlong(graph, chain, pinned) ? last : pinned;
  }
  return pin.explicit && graph.lastRankOf(last) < pin.rank ? pinned : last;
}

/**
 * R1: the parent of each of several results is its own call. A pin on such a result, on a call before one, or on a note
 * below one is ignored if another of these results leads to the end of the file.
 */
function comesAlong(graph: ResumeGraph, chain: ReadonlySet<Node>, pinned: Node): boolean {
  const ids = new Set([...chain].map(messageIdOf));
  const along = new Set<Node>();
  for (const line of graph.order) {
    const id = messageIdOf(line);
    if (id === undefined || !ids.has(id)) continue;
    for (const result of graph.childrenOf(line).filter((child) => resultsOf(child).length > 0)) {
      for (let at: Node | undefined = result; at !== undefined && !chain.has(at) && !along.has(at); ) {
        along.add(at);
        at = graph.byUuid(graph.parentOf(at));
      }
      addNotesBelow(graph, result, along);
    }
  }
  return along.has(pinned);
}

function addNotesBelow(graph: ResumeGraph, line: Node, found: Set<Node>): void {
  const reached = [line];
  for (const at of reached) {
    for (const note of graph.childrenOf(at)) {
      if (isMessage(note) || isBoundary(note) || found.has(note)) continue;
      found.add(note);
      reached.push(note);
    }
  }
}

function messageIdOf(line: Node): string | undefined {
  return line.type === 'assistant' ? line.message?.id || undefined : undefined;
}

function hasMessageAtOrAbove(graph: ResumeGraph, from: Node, unrooted: Set<Node>): boolean {
  for (let line: Node | undefined = from; line !== undefined; line = graph.byUuid(graph.parentOf(line))) {
    if (isMessage(line)) return true;
    if (unrooted.has(line)) return false;
    unrooted.add(line);
  }
  return false;
}

function ancestors(graph: ResumeGraph, from: Node): ReadonlySet<Node> {
  const seen = new Set<Node>();
  for (
    let line: Node | undefined = from;
    line !== undefined && !seen.has(line);
    line = graph.byUuid(graph.parentOf(line))
  ) {
    seen.add(line);
  }
  return seen;
}

/** Rule 15: a note counts as the message above it; without one (a file of notes) as itself. */
function nearestMessage(graph: ResumeGraph, chosen: Node): Node {
  const seen = new Set<Node>();
  let line: Node | undefined = chosen;
  while (line !== undefined && !seen.has(line)) {
    if (isMessage(line)) return line;
    if (isBoundary(line)) return chosen;
    seen.add(line);
    line = graph.byUuid(graph.parentOf(line));
  }
  return chosen;
}

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
