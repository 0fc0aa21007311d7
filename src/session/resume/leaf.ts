// Graph → the line a resume continues from. (RESUME rules 10–16.)
import { isBoundary, isMessage, type Node } from '../node.ts';
import { refusal } from './client.ts';
import type { Link, Pin, ResumeGraph } from './graph.ts';

export type LeafChoice = { readonly leaf: Link } | { readonly refused: string };

export function chooseLeaf(graph: ResumeGraph): LeafChoice {
  const main = graph.order.filter((link) => canBeLeaf(link.node)).sort((a, b) => a.lastRank - b.lastRank);
  const chosen = pinnedLeaf(graph, main) ?? lastLeaf(graph, main);
  if (chosen === undefined) return { refused: `${refusal}: the file holds no message of a main conversation` };
  const leaf = nearestMessage(graph, chosen);
  if (leaf.node.isSidechain) return { refused: `${refusal}: the last line belongs to a sub-agent` };
  if (Number.isNaN(leaf.node.time)) {
    return { refused: `${refusal}: the last message (line ${leaf.node.line}) has no valid timestamp` };
  }
  return { leaf };
}

/** Rule 4: a message line without content stays a link and is never a leaf. */
function canBeLeaf(node: Node): boolean {
  return !node.isSidechain && (!isMessage(node) || node.message?.hasContent === true);
}

/** Rules 10 and 11: the last line that has a message at or above it, or a newer line below it. */
function lastLeaf(graph: ResumeGraph, main: readonly Link[]): Link | undefined {
  const unrooted = new Set<Link>();
  const last = main.findLast((link) => hasMessageAtOrAbove(graph, link, unrooted)) ?? main.at(-1);
  if (last === undefined || graph.childrenOf(last).length === 0) return last;
  let newest = last;
  const below = [last];
  const seen = new Set(below);
  for (const link of below) {
    if (link.node.time >= newest.node.time) newest = link;
    for (const child of graph.childrenOf(link)) {
      if (seen.has(child) || !canBeLeaf(child.node)) continue;
      seen.add(child);
      below.push(child);
    }
  }
  return newest;
}

/** Rules 12–14: the end of the file if it descends from the pinned line, else exactly the pinned line. */
function pinnedLeaf(graph: ResumeGraph, main: readonly Link[]): Link | undefined {
  const pin: Pin | undefined = graph.pin;
  const pinned = graph.byUuid(pin?.leafUuid);
  if (pin === undefined || pinned === undefined || !hasMessageAtOrAbove(graph, pinned, new Set())) return undefined;
  const last = main.at(-1);
  if (last === undefined || !ancestors(graph, last).has(pinned)) return pinned;
  return pin.explicit && last.lastRank < pin.rank ? pinned : last;
}

function hasMessageAtOrAbove(graph: ResumeGraph, from: Link, unrooted: Set<Link>): boolean {
  for (let link: Link | undefined = from; link !== undefined; link = graph.byUuid(link.parent)) {
    if (isMessage(link.node)) return true;
    if (unrooted.has(link)) return false;
    unrooted.add(link);
  }
  return false;
}

function ancestors(graph: ResumeGraph, from: Link): ReadonlySet<Link> {
  const seen = new Set<Link>();
  for (let link: Link | undefined = from; link !== undefined && !seen.has(link); link = graph.byUuid(link.parent)) {
    seen.add(link);
  }
  return seen;
}

/** Rule 15: a note stands for the message above it; without one (a file of notes) it stands for itself. */
function nearestMessage(graph: ResumeGraph, chosen: Link): Link {
  const seen = new Set<Link>();
  let link: Link | undefined = chosen;
  while (link !== undefined && !seen.has(link)) {
    if (isMessage(link.node)) return link;
    if (isBoundary(link.node)) return chosen;
    seen.add(link);
    link = graph.byUuid(link.parent);
  }
  return chosen;
}
