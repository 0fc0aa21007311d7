// Chain → the chain with the lines that a walk from leaf to root misses: the other lines of its messages and the
// results of its calls, which newer clients hang beside the chain. (RESUME rules 20–24.)
import { callsOf, isBoundary, isMessage, type Node, resultsOf } from '../node.ts';
import type { Link, ResumeGraph } from './graph.ts';

export function reattach(graph: ResumeGraph, chain: readonly Link[]): Node[] {
  const first = chain[0];
  const from = first !== undefined && isBoundary(first.node) ? first.rank : -1;
  const near = graph.order.filter((link) => !link.node.isSidechain && link.rank > from && isReadable(link.node));
  const work: Work = { graph, near: new Set(near), placed: new Set(chain), out: [] };
  const results = placeMessageLines(work, near, chain);
  for (const link of results) placeResult(work, link);
  placeDeeperResults(work, near);
  return work.out.map((link) => link.node).filter(isReadable);
}

interface Work {
  readonly graph: ResumeGraph;
  /** The lines that may be re-attached: of the main conversation, behind the boundary that starts the chain. */
  readonly near: ReadonlySet<Link>;
  readonly placed: Set<Link>;
  readonly out: Link[];
}

function isReadable(node: Node): boolean {
  return !isMessage(node) || node.hasContent;
}

function messageIdOf(link: Link | undefined): string | undefined {
  return link?.node.type === 'assistant' ? link.node.message?.id || undefined : undefined;
}

/** Rule 20: the other lines of a message go behind its last line in the chain. Answers the results that hang on them. */
function placeMessageLines(work: Work, near: readonly Link[], chain: readonly Link[]): readonly Link[] {
  const lastOfMessage = new Map<string, Link>();
  const onChain = new Map<string, Link[]>();
  for (const link of chain) {
    const id = messageIdOf(link);
    if (id === undefined) continue;
    lastOfMessage.set(id, link);
    onChain.set(id, [...(onChain.get(id) ?? []), link]);
  }
  const groups = new Map<string, Link[]>();
  for (const link of near) {
    const id = messageIdOf(link);
    if (id !== undefined && lastOfMessage.has(id)) groups.set(id, [...(groups.get(id) ?? []), link]);
  }
  const results = new Set<Link>();
  for (const link of chain) {
    work.out.push(link);
    const id = messageIdOf(link);
    if (id === undefined || lastOfMessage.get(id) !== link) continue;
    const group = groups.get(id) ?? [];
    for (const other of group) {
      if (work.placed.has(other)) continue;
      work.placed.add(other);
      work.out.push(other);
    }
    const hanging = [...new Set([...group, ...(onChain.get(id) ?? [])])]
      .flatMap((line) => work.graph.childrenOf(line))
      .filter((child) => work.near.has(child) && resultsOf(child.node).length > 0 && !work.placed.has(child));
    for (const child of hanging.sort((a, b) => a.rank - b.rank)) results.add(child);
  }
  return [...results];
}

/** Rules 21 and 22: a result goes behind the run of its message's lines, among the results there by file order. */
function placeResult(work: Work, result: Link): void {
  const { out } = work;
  let at = out.findIndex((link) => link.node.uuid === result.parent);
  const id = messageIdOf(out[at]);
  while (messageIdOf(out[at + 1]) === id && id !== undefined) at++;
  for (;;) {
    const next = out[at + 1];
    if (next === undefined || next.rank > result.rank) break;
    if (resultsOf(next.node).length === 0 && next.node.type !== 'attachment') break;
    at++;
  }
  const added = [result, ...attachmentsBelow(work, result)].filter((link) => !work.placed.has(link));
  out.splice(at + 1, 0, ...added);
  for (const link of added) work.placed.add(link);
}

function attachmentsBelow(work: Work, link: Link): Link[] {
  const children = work.graph.childrenOf(link).filter(({ node }) => node.type === 'attachment');
  return children.filter((child) => work.near.has(child)).flatMap((child) => [child, ...attachmentsBelow(work, child)]);
}

/** Rule 23: a call that still has no result brings the way to a line that holds one. */
function placeDeeperResults(work: Work, near: readonly Link[]): void {
  const answered = new Set(work.out.flatMap(({ node }) => resultsOf(node).map((result) => result.toolUseId)));
  const open = work.out.flatMap(({ node }) => callsOf(node).map((call) => call.id)).filter((id) => !answered.has(id));
  if (open.length === 0) return;
  const holders = new Map<string, Link>();
  for (const link of near) {
    for (const { toolUseId } of resultsOf(link.node)) if (!holders.has(toolUseId)) holders.set(toolUseId, link);
  }
  for (const id of open) {
    if (answered.has(id)) continue;
    const way: Link[] = [];
    let link: Link | undefined = holders.get(id);
    for (; link !== undefined && !work.placed.has(link) && !way.includes(link); link = work.graph.byUuid(link.parent)) {
      way.unshift(link);
    }
    if (way.length === 0 || link === undefined) continue;
    const added = way.filter(({ node }) => resultsOf(node).length > 0 || node.type === 'attachment');
    work.out.splice(work.out.indexOf(link) + 1, 0, ...added);
    for (const step of way) {
      work.placed.add(step);
      for (const { toolUseId } of resultsOf(step.node)) answered.add(toolUseId);
    }
  }
}
