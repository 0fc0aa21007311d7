// Chain → the chain with the lines that a walk from leaf to root misses: the other lines of its messages and the
// results of its calls, which newer clients hang beside the chain. (RESUME rules 20–24; where those say that a boundary
// or a side chain keeps a line away, or that a deeper result brings the way to it, client 2.1.325 was asked again and
// does otherwise: test/session/resume/reattach.test.ts.)
import { callsOf, isMessage, type Node, resultsOf } from '../node.ts';
import type { Link, ResumeGraph } from './graph.ts';

export function reattach(graph: ResumeGraph, chain: readonly Link[]): Node[] {
  const work: Work = { graph, lines: graph.order.filter((link) => isReadable(link.node)), out: new Sequence() };
  placeResults(work, placeMessageLines(work, chain));
  return [...work.out].map((link) => link.node).filter(isReadable);
}

interface Work {
  readonly graph: ResumeGraph;
  /** All lines that can be sent, in file order: neither a boundary nor a side chain keeps a line from being re-attached. */
  readonly lines: readonly Link[];
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
  return !isMessage(node) || node.message?.hasContent === true;
}

function messageIdOf(link: Link | undefined): string | undefined {
  return link?.node.type === 'assistant' ? link.node.message?.id || undefined : undefined;
}

/** Rule 20: the other lines of a message go behind its last line in the chain. Answers the lines of each message. */
function placeMessageLines({ lines, out }: Work, chain: readonly Link[]): readonly (readonly Link[])[] {
  const onChain = new Set(chain);
  const lastOfMessage = new Map<string, Link>();
  for (const link of chain) {
    const id = messageIdOf(link);
    if (id !== undefined) lastOfMessage.set(id, link);
  }
  const groups = new Map<string, Link[]>();
  for (const link of lines) {
    const id = messageIdOf(link);
    if (id === undefined || !lastOfMessage.has(id)) continue;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [link]);
    else group.push(link);
  }
  const messages: (readonly Link[])[] = [];
  for (const link of chain) {
    out.push(link);
    const id = messageIdOf(link);
    if (id === undefined || lastOfMessage.get(id) !== link) continue;
    const group = groups.get(id) ?? [];
    for (const other of group) if (!onChain.has(other)) out.push(other);
    messages.push(group);
  }
  return messages;
}

/**
 * Message by message: the results that hang on its lines (rule 21), and for a call that still has none the first line
 * of the main conversation that holds one, wherever it stands (rule 23).
 */
function placeResults(work: Work, messages: readonly (readonly Link[])[]): void {
  const { graph, out } = work;
  const answered = new Set<string>();
  const answer = (link: Link): void => {
    for (const { toolUseId } of resultsOf(link.node)) answered.add(toolUseId);
  };
  for (const link of out) if (isReadable(link.node)) answer(link);
  const strays = strayResults(work);
  for (const lines of messages) {
    const hanging = lines
      .flatMap((line) => graph.childrenOf(line))
      .filter((child) => isReadable(child.node) && resultsOf(child.node).length > 0 && !out.has(child));
    for (const result of hanging.sort((a, b) => a.rank - b.rank)) {
      placeResult(work, result, graph.byUuid(result.parent) as Link); // it hangs on a line of the message
      answer(result);
    }
    for (const line of lines) {
      for (const { id } of callsOf(line.node)) {
        const holder = answered.has(id) ? undefined : strays.get(id);
        if (holder === undefined) continue;
        placeResult(work, holder, line);
        answer(holder);
      }
    }
  }
}

/** For each call its first result outside of side chains; none for a call that two messages make. */
function strayResults({ lines }: Work): ReadonlyMap<string, Link> {
  const callers = new Map<string, string>();
  const holders = new Map<string, Link>();
  const ambiguous = new Set<string>();
  for (const link of lines) {
    const message = messageIdOf(link);
    if (message !== undefined) {
      for (const { id } of callsOf(link.node)) {
        if ((callers.get(id) ?? message) !== message) ambiguous.add(id);
        callers.set(id, message);
      }
    }
    if (link.node.isSidechain) continue;
    for (const { toolUseId } of resultsOf(link.node)) if (!holders.has(toolUseId)) holders.set(toolUseId, link);
  }
  for (const id of ambiguous) holders.delete(id);
  return holders;
}

/**
 * Rules 21 and 22: a result goes behind the run of lines of one message that starts at `at`, among the results there
 * by file order, and takes its attachments along.
 */
function placeResult(work: Work, result: Link, at: Link): void {
  const { out } = work;
  if (out.has(result)) return;
  let place = at;
  const id = messageIdOf(at);
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

function attachmentsBelow({ graph }: Work, link: Link): Link[] {
  const found: Link[] = [];
  const waiting = [link];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at !== link) found.push(at);
    waiting.push(
      ...graph
        .childrenOf(at)
        .filter((child) => child.node.type === 'attachment')
        .reverse(),
    );
  }
  return found;
}
