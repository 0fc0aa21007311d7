// Graph → the line a resume continues from. (RESUME rules 10–16.)
import { isBoundary, isMessage, type Node } from '../node.ts';
import { refusal } from './client.ts';
import type { Pin, ResumeGraph } from './graph.ts';

export type LeafChoice = { readonly leaf: Node } | { readonly refused: string };

export function chooseLeaf(graph: ResumeGraph): LeafChoice {
  const main = graph.inLastOrder().filter(canBeLeaf);
  const chosen = pinnedLeaf(graph, main) ?? lastLeaf(graph, main);
  if (chosen === undefined) return { refused: `${refusal}: the file holds no message of a main conversation` };
  const leaf = nearestMessage(graph, chosen);
  if (leaf.isSidechain) return { refused: `${refusal}: the last line belongs to a sub-agent` };
  if (Number.isNaN(leaf.time)) {
    return { refused: `${refusal}: the last message (line ${leaf.line}) has no valid timestamp` };
  }
  return { leaf };
}

/** Rule 4: a message line without content stays in the graph and is never a leaf. */
function canBeLeaf(node: Node): boolean {
  return !node.isSidechain && (!isMessage(node) || node.hasContent);
}

/** Rules 10 and 11: the last line that has a message at or above it, or a newer line below it. */
function lastLeaf(graph: ResumeGraph, main: readonly Node[]): Node | undefined {
  const unrooted = new Set<Node>();
  const last = main.findLast((line) => hasMessageAtOrAbove(graph, line, unrooted)) ?? main.at(-1);
  const uuid = last?.uuid;
  if (last === undefined || uuid === undefined || !graph.order.some((line) => graph.parentOf(line) === uuid))
    return last;
  let newest = last;
  const below = [last];
  const seen = new Set(below);
  for (const line of below) {
    if (line.time >= newest.time) newest = line;
    for (const child of graph.childrenOf(line)) {
      if (seen.has(child) || !canBeLeaf(child)) continue;
      seen.add(child);
      below.push(child);
    }
  }
  return newest;
}

/** Rules 12–14: the end of the file if it descends from the pinned line, else exactly the pinned line. */
function pinnedLeaf(graph: ResumeGraph, main: readonly Node[]): Node | undefined {
  const pin: Pin | undefined = graph.pin;
  const pinned = graph.byUuid(pin?.leafUuid);
  if (pin === undefined || pinned === undefined || !hasMessageAtOrAbove(graph, pinned, new Set())) return undefined;
  const last = main.at(-1);
  if (last === undefined || !ancestors(graph, last).has(pinned)) return pinned;
  return pin.explicit && graph.lastRankOf(last) < pin.rank ? pinned : last;
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

/** Rule 15: a note stands for the message above it; without one (a file of notes) it stands for itself. */
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
