// A damaged session → the lines of the conversation in the order in which they are to hang: what the user would expect,
// without what belongs elsewhere. Where there is more than one newest end, a strategy decides.

import { expectedOf } from '../../session/facts/index.ts';
import type { Branch, Session } from '../../session/load/index.ts';
import { retractedBy } from '../../session/resume/messages/index.ts';
import { resumeLines } from '../../session/resume/request/index.ts';
import { callsOf, isBoundary, isMessage, type Node, resultsOf } from '../../session/transcript/index.ts';
import { saysSame } from '../checks/index.ts';

/**
 * How a repair chooses the branch to keep. `bridge`: the branch that a resume takes, with its gaps closed. `newest`:
 * the branch with the newest work. `graft`: the branch that a resume takes, followed by the newer work.
 */
export type Strategy = 'bridge' | 'newest' | 'graft';

export const strategies: readonly Strategy[] = ['bridge', 'newest', 'graft'];

/** What each of them keeps, for the user who has to choose. */
export const strategyMeanings: Readonly<Record<Strategy, string>> = {
  bridge: 'the branch that a resume takes now',
  newest: 'the branch with the newest work',
  graft: 'both, the newer work last',
};

export interface Sequence {
  readonly nodes: readonly Node[];
  /** Records that go, with the reason. */
  readonly drops: ReadonlyMap<Node, string>;
}

export function sequenceOf(session: Session, strategy: Strategy): Sequence {
  const newer = newerBranch(session);
  if (newer === undefined || strategy === 'bridge') return orderOf(session);
  const active = session.branches[0];
  if (active === undefined) return orderOf(session);
  if (strategy === 'newest')
    return orderOf({ ...session, branches: [wholeBranch(active, newer), ...session.branches] }, false);
  const first = orderOf(session);
  const own = newer.nodes.flatMap((node) => [node, ...(newer.sideLines.get(node) ?? [])]);
  return { ...first, nodes: [...first.nodes, ...own.filter((node) => isLink(node) && !isBoundary(node))] };
}

/** The branch with newer work than the one that a resume takes. */
export function newerBranch(session: Session): Branch | undefined {
  const [active, ...others] = session.branches;
  if (active === undefined) return undefined;
  const newer = others.filter(
    (branch) => !branch.isReplay && branch.leaf.time > active.leaf.time && branch.nodes.some((node) => isMessage(node)),
  );
  return newer.toSorted((a, b) => b.leaf.time - a.leaf.time)[0];
}

/** A branch with the way to where it leaves the active one. */
function wholeBranch(active: Branch, branch: Branch): Branch {
  const at = branch.fork === undefined ? -1 : active.nodes.indexOf(branch.fork);
  const shared = active.nodes.slice(0, at + 1);
  const sideLines = new Map(branch.sideLines);
  for (const node of shared) {
    const lines = active.sideLines.get(node);
    if (lines !== undefined) sideLines.set(node, lines);
  }
  return { ...branch, active: true, nodes: [...shared, ...branch.nodes], sideLines };
}

/** `keepsLoaded`: whether everything that a resume loads now has to be in it. */
function orderOf(session: Session, keepsLoaded = true): Sequence {
  const { order, copies, compaction } = expectedOf(session);
  const drops = new Map<Node, string>();
  for (const copy of copies) drops.set(copy, 'repeats an earlier line under another uuid');
  // What a compaction keeps of the old history stays where it is: the boundary says so by their ids.
  const way = compaction === undefined ? order : order.slice(order.indexOf(compaction));
  const replaced = replacedBy(session);
  const nodes = way.flatMap((node) => [...(replaced.get(node) ?? []), node]);
  const retracted = new Set(nodes.flatMap((node) => retractedBy(node, (each) => session.transcript.read(each))));
  for (const node of nodes) {
    if (node.uuid !== undefined && retracted.has(node.uuid)) drops.set(node, 'taken back after a refusal of the model');
    else if (isBoundary(node) && node !== compaction) drops.set(node, 'a compaction without a summary');
    else if (node.isApiError) drops.set(node, 'an error message of the client, not of the model');
    else if (isMessage(node) && !node.hasContent) drops.set(node, 'a message without content');
  }
  const wanted = nodes.filter((node) => isLink(node) && !drops.has(node));
  const links = keepsLoaded ? withLoaded(session, wanted, drops) : wanted;
  return { nodes: [...links, ...resultsElsewhere(session, links)], drops };
}

/**
 * Puts in what a resume loads now and the order does not have, each line after the last one that is before it in the file.
 * Where links are damaged in several ways, the client's way and the one that the user expects are not always the same.
 */
function withLoaded(session: Session, links: readonly Node[], drops: ReadonlyMap<Node, string>): readonly Node[] {
  const resumed = resumeLines(session.transcript);
  const known = new Set(links);
  const loaded = 'refused' in resumed ? [] : resumed.lines;
  const missing = loaded.filter((node) => isMessage(node) && node.hasContent && !known.has(node) && !drops.has(node));
  const all = [...links];
  for (const node of missing) {
    const before = all.findLastIndex((each) => each.index < node.index);
    all.splice(before + 1, 0, node);
  }
  return all;
}

/** Results of calls on the chain that hang somewhere else; where they belong is found with the calls. */
function resultsElsewhere({ relatives }: Session, links: readonly Node[]): readonly Node[] {
  const known = new Set(links);
  const answered = new Set(links.flatMap((node) => resultsOf(node).map(({ toolUseId }) => toolUseId)));
  const open = links.flatMap(callsOf).filter(({ id }) => !answered.has(id));
  return [...new Set(open.flatMap(({ id }) => relatives.resultsFor(id).slice(0, 1)))].filter(
    (node) => !known.has(node),
  );
}

/** Messages whose uuid a later record carries again, though it says something else: they come before that one. */
function replacedBy({ transcript, graph }: Session): ReadonlyMap<Node, readonly Node[]> {
  const earlier = new Map<Node, Node[]>();
  for (const node of transcript.nodes) {
    const later = graph.byUuid(node.uuid);
    if (later === undefined || later === node || !isMessage(node) || node.isSidechain !== later.isSidechain) continue;
    if (saysSame(transcript, node, later)) continue;
    earlier.set(later, [...(earlier.get(later) ?? []), node]);
  }
  return earlier;
}

/** What is a link of the chain for every client. */
function isLink(node: Node): boolean {
  return isMessage(node) || node.type === 'system' || node.type === 'attachment';
}
