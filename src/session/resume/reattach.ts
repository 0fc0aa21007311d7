// Chain → the chain with the lines that a walk from leaf to root misses: the other lines of its messages and the
// results of its calls, which newer clients hang beside the chain. (RESUME rules 20–24.)
import { callsOf, isBoundary, isMessage, type Node, resultsOf } from '../node.ts';
import type { ResumeGraph } from './graph.ts';

export function reattach(graph: ResumeGraph, chain: readonly Node[]): Node[] {
  const first = chain[0];
  const from = first !== undefined && isBoundary(first) ? graph.rankOf(first) : -1;
  const near = graph.order.filter((line) => !line.isSidechain && graph.rankOf(line) > from && isReadable(line));
  const work: Work = { graph, near: new Set(near), out: new Sequence() };
  const results = placeMessageLines(work, near, chain);
  for (const line of results) placeResult(work, line);
  placeDeeperResults(work, near);
  return [...work.out].map((line) => line).filter(isReadable);
}

interface Work {
  readonly graph: ResumeGraph;
  /** The lines that may be re-attached: of the main conversation, behind the boundary that starts the chain. */
  readonly near: ReadonlySet<Node>;
  readonly out: Sequence;
}

/** Lines in an order to which others are added in the middle, thousands of times in a long session. */
class Sequence {
  readonly #next = new Map<Node | undefined, Node>();
  #last: Node | undefined;

  has(line: Node): boolean {
    return this.#last === line || this.#next.has(line);
  }

  after(line: Node | undefined): Node | undefined {
    return this.#next.get(line);
  }

  push(line: Node): void {
    this.#next.set(this.#last, line);
    this.#last = line;
  }

  /** `place` is a line of the sequence, `line` is not. */
  insertAfter(place: Node, line: Node): void {
    const next = this.#next.get(place);
    if (next === undefined) {
      this.push(line);
      return;
    }
    this.#next.set(place, line);
    this.#next.set(line, next);
  }

  *[Symbol.iterator](): Generator<Node> {
    for (let line = this.#next.get(undefined); line !== undefined; line = this.#next.get(line)) yield line;
  }
}

function isReadable(node: Node): boolean {
  return !isMessage(node) || node.hasContent;
}

function messageIdOf(line: Node | undefined): string | undefined {
  return line?.type === 'assistant' ? line.message?.id || undefined : undefined;
}

/** Rule 20: the other lines of a message go behind its last line in the chain. Answers the results that hang on them. */
function placeMessageLines(
  { graph, near: nearSet, out }: Work,
  near: readonly Node[],
  chain: readonly Node[],
): readonly Node[] {
  const onChain = new Set(chain);
  const lastOfMessage = new Map<string, Node>();
  for (const line of chain) {
    const id = messageIdOf(line);
    if (id !== undefined) lastOfMessage.set(id, line);
  }
  const groups = new Map<string, Set<Node>>();
  for (const line of [...near, ...chain]) {
    const id = messageIdOf(line);
    if (id === undefined || !lastOfMessage.has(id)) continue;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, new Set([line]));
    else group.add(line);
  }
  const results: Node[] = [];
  for (const line of chain) {
    out.push(line);
    const id = messageIdOf(line);
    if (id === undefined || lastOfMessage.get(id) !== line) continue;
    const group = [...(groups.get(id) ?? [])];
    for (const other of group) if (!onChain.has(other)) out.push(other);
    const hanging = group
      .flatMap((line) => graph.childrenOf(line))
      .filter((child) => nearSet.has(child) && resultsOf(child).length > 0 && !onChain.has(child));
    results.push(...hanging.sort((a, b) => graph.rankOf(a) - graph.rankOf(b)));
  }
  return results;
}

/** Rules 21 and 22: a result goes behind the run of its message's lines, among the results there by file order. */
function placeResult(work: Work, result: Node): void {
  const { graph, out } = work;
  const parent = graph.byUuid(graph.parentOf(result));
  if (parent === undefined || out.has(result)) return;
  let place: Node = parent;
  const id = messageIdOf(parent);
  for (
    let next = out.after(place);
    next !== undefined && isBehind(graph, place, next, id, result);
    next = out.after(place)
  ) {
    place = next;
  }
  for (const line of [result, ...attachmentsBelow(work, result)]) {
    if (out.has(line)) continue;
    out.insertAfter(place, line);
    place = line;
  }
}

/** Whether a result comes behind `next`: a line of the same run, or behind the run an earlier result. */
function isBehind(graph: ResumeGraph, place: Node, next: Node, id: string | undefined, result: Node): boolean {
  if (id !== undefined && messageIdOf(place) === id && messageIdOf(next) === id) return true;
  return graph.rankOf(next) <= graph.rankOf(result) && (resultsOf(next).length > 0 || next.type === 'attachment');
}

function attachmentsBelow({ graph, near }: Work, line: Node): Node[] {
  const found: Node[] = [];
  const waiting = [line];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at !== line) found.push(at);
    waiting.push(
      ...graph
        .childrenOf(at)
        .filter((child) => child.type === 'attachment' && near.has(child))
        .reverse(),
    );
  }
  return found;
}

/**
 * Rule 23: a call that still has no result brings the way to a line that holds one. A way that leads round in a circle
 * is put behind the call.
 */
function placeDeeperResults({ graph, out }: Work, near: readonly Node[]): void {
  const lines = [...out].filter((line) => isReadable(line));
  const answered = new Set(lines.flatMap((node) => resultsOf(node).map((result) => result.toolUseId)));
  const open = lines.flatMap((line) => callsOf(line).map((call) => ({ id: call.id, line })));
  if (open.every(({ id }) => answered.has(id))) return;
  const holders = new Map<string, Node>();
  for (const line of near) {
    for (const { toolUseId } of resultsOf(line)) if (!holders.has(toolUseId)) holders.set(toolUseId, line);
  }
  // Lines on the way that are not sent, and the line behind which they would stand.
  const passedOver = new Map<Node, Node>();
  for (const { id, line: call } of open) {
    if (answered.has(id)) continue;
    const way = new Set<Node>();
    let line = holders.get(id);
    for (; line !== undefined && !way.has(line); line = graph.byUuid(graph.parentOf(line))) {
      if (out.has(line) || passedOver.has(line)) break;
      way.add(line);
    }
    if (line === undefined || way.size === 0) continue;
    let place = way.has(line) ? call : (passedOver.get(line) ?? line);
    for (const step of [...way].reverse()) {
      if (resultsOf(step).length > 0 || step.type === 'attachment') {
        out.insertAfter(place, step);
        place = step;
      } else passedOver.set(step, place);
      for (const { toolUseId } of resultsOf(step)) answered.add(toolUseId);
    }
  }
}
