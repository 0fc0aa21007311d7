// Chain → the chain with the lines that a walk from leaf to root misses: the other lines of its messages and the
// results of its calls, which newer clients hang beside the chain. (RESUME rules 20–24.)
import { callsOf, isBoundary, isMessage, type Node, resultsOf } from '../node.ts';
import type { Link, ResumeGraph } from './graph.ts';

export function reattach(graph: ResumeGraph, chain: readonly Link[]): Node[] {
  const first = chain[0];
  const from = first !== undefined && isBoundary(first.node) ? first.rank : -1;
  const near = graph.order.filter((link) => !link.node.isSidechain && link.rank > from && isReadable(link.node));
  const work: Work = { graph, near: new Set(near), out: new Sequence() };
  const results = placeMessageLines(work, near, chain);
  for (const link of results) placeResult(work, link);
  placeDeeperResults(work, near);
  return [...work.out].map((link) => link.node).filter(isReadable);
}

interface Work {
  readonly graph: ResumeGraph;
  /** The lines that may be re-attached: of the main conversation, behind the boundary that starts the chain. */
  readonly near: ReadonlySet<Link>;
  readonly out: Sequence;
}

/** Lines in an order to which others are added in the middle, thousands of times in a long session. */
class Sequence {
  readonly #next = new Map<Link | undefined, Link>();
  #last: Link | undefined;

  has(link: Link): boolean {
    return this.#last === link || this.#next.has(link);
  }

  after(link: Link | undefined): Link | undefined {
    return this.#next.get(link);
  }

  push(link: Link): void {
    this.#next.set(this.#last, link);
    this.#last = link;
  }

  /** `place` is a line of the sequence, `link` is not. */
  insertAfter(place: Link, link: Link): void {
    const next = this.#next.get(place);
    if (next === undefined) {
      this.push(link);
      return;
    }
    this.#next.set(place, link);
    this.#next.set(link, next);
  }

  *[Symbol.iterator](): Generator<Link> {
    for (let link = this.#next.get(undefined); link !== undefined; link = this.#next.get(link)) yield link;
  }
}

function isReadable(node: Node): boolean {
  return !isMessage(node) || node.hasContent;
}

function messageIdOf(link: Link | undefined): string | undefined {
  return link?.node.type === 'assistant' ? link.node.message?.id || undefined : undefined;
}

/** Rule 20: the other lines of a message go behind its last line in the chain. Answers the results that hang on them. */
function placeMessageLines(
  { graph, near: nearSet, out }: Work,
  near: readonly Link[],
  chain: readonly Link[],
): readonly Link[] {
  const onChain = new Set(chain);
  const lastOfMessage = new Map<string, Link>();
  for (const link of chain) {
    const id = messageIdOf(link);
    if (id !== undefined) lastOfMessage.set(id, link);
  }
  const groups = new Map<string, Set<Link>>();
  for (const link of [...near, ...chain]) {
    const id = messageIdOf(link);
    if (id === undefined || !lastOfMessage.has(id)) continue;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, new Set([link]));
    else group.add(link);
  }
  const results: Link[] = [];
  for (const link of chain) {
    out.push(link);
    const id = messageIdOf(link);
    if (id === undefined || lastOfMessage.get(id) !== link) continue;
    const group = [...(groups.get(id) ?? [])];
    for (const other of group) if (!onChain.has(other)) out.push(other);
    const hanging = group
      .flatMap((line) => graph.childrenOf(line))
      .filter((child) => nearSet.has(child) && resultsOf(child.node).length > 0 && !onChain.has(child));
    results.push(...hanging.sort((a, b) => a.rank - b.rank));
  }
  return results;
}

/** Rules 21 and 22: a result goes behind the run of its message's lines, among the results there by file order. */
function placeResult(work: Work, result: Link): void {
  const { graph, out } = work;
  const parent = graph.byUuid(result.parent);
  if (parent === undefined || out.has(result)) return;
  let place: Link = parent;
  const id = messageIdOf(parent);
  for (let next = out.after(place); next !== undefined && isBehind(place, next, id, result); next = out.after(place)) {
    place = next;
  }
  for (const link of [result, ...attachmentsBelow(work, result)]) {
    if (out.has(link)) continue;
    out.insertAfter(place, link);
    place = link;
  }
}

/** Whether a result comes behind `next`: a line of the same run, or behind the run an earlier result. */
function isBehind(place: Link, next: Link, id: string | undefined, result: Link): boolean {
  if (id !== undefined && messageIdOf(place) === id && messageIdOf(next) === id) return true;
  return next.rank <= result.rank && (resultsOf(next.node).length > 0 || next.node.type === 'attachment');
}

function attachmentsBelow({ graph, near }: Work, link: Link): Link[] {
  const found: Link[] = [];
  const waiting = [link];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at !== link) found.push(at);
    waiting.push(
      ...graph
        .childrenOf(at)
        .filter((child) => child.node.type === 'attachment' && near.has(child))
        .reverse(),
    );
  }
  return found;
}

/**
 * Rule 23: a call that still has no result brings the way to a line that holds one. A way that leads round in a circle
 * is put behind the call.
 */
function placeDeeperResults({ graph, out }: Work, near: readonly Link[]): void {
  const lines = [...out].filter((link) => isReadable(link.node));
  const answered = new Set(lines.flatMap(({ node }) => resultsOf(node).map((result) => result.toolUseId)));
  const open = lines.flatMap((link) => callsOf(link.node).map((call) => ({ id: call.id, link })));
  if (open.every(({ id }) => answered.has(id))) return;
  const holders = new Map<string, Link>();
  for (const link of near) {
    for (const { toolUseId } of resultsOf(link.node)) if (!holders.has(toolUseId)) holders.set(toolUseId, link);
  }
  // Lines on the way that are not sent, and the line behind which they would stand.
  const passedOver = new Map<Link, Link>();
  for (const { id, link: call } of open) {
    if (answered.has(id)) continue;
    const way = new Set<Link>();
    let link = holders.get(id);
    for (; link !== undefined && !way.has(link); link = graph.byUuid(link.parent)) {
      if (out.has(link) || passedOver.has(link)) break;
      way.add(link);
    }
    if (link === undefined || way.size === 0) continue;
    let place = way.has(link) ? call : (passedOver.get(link) ?? link);
    for (const step of [...way].reverse()) {
      if (resultsOf(step.node).length > 0 || step.node.type === 'attachment') {
        out.insertAfter(place, step);
        place = step;
      } else passedOver.set(step, place);
      for (const { toolUseId } of resultsOf(step.node)) answered.add(toolUseId);
    }
  }
}
