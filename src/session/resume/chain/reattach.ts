// Adds the lines that a walk from leaf to root misses: the other lines of its messages and the results of its calls, which
// newer clients write next to the chain. (RESUME rules 20–24, R2, R9; client 2.1.325 differs from them on boundaries, side
// chains and deeper results: test/session/resume/chain/reattach.test.ts.)
import { callsOf, isBoundary, isMessage, isNote, type Node, resultsOf } from '../../transcript/index.ts';
import { type ClientRules, currentRules } from '../client/index.ts';
import type { ResumeGraph } from './graph.ts';

export function reattach(graph: ResumeGraph, chain: readonly Node[], rules: ClientRules = currentRules): Node[] {
  const lines = graph.order.filter(isReadable);
  const work: Work = { rules, graph, lines, out: new Sequence(), runEnds: new Map(), lastPlaced: new Map() };
  placeResults(work, placeMessageLines(work, chain));
  return [...work.out].filter(isReadable);
}

interface Work {
  readonly rules: ClientRules;
  readonly graph: ResumeGraph;
  /** All lines that can be sent, in file order, including those across boundaries and side chains. */
  readonly lines: readonly Node[];
  readonly out: Sequence;
  /** For a line in a run of lines of one message: the last line of the run. */
  readonly runEnds: Map<Node, Node>;
  /** The last line added after a run. */
  readonly lastPlaced: Map<Node, Node>;
}

/** An ordered list with fast insertion in the middle, for thousands of insertions. */
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

/**
 * Rules 20 and R2: the other lines of a message go after the last of its lines in the chain that precedes them in the
 * file, or after the first one. Returns the lines of each message.
 */
function placeMessageLines({ graph, lines, out }: Work, chain: readonly Node[]): readonly (readonly Node[])[] {
  const places = new Map<string, Place[]>();
  for (const line of chain) {
    out.push(line);
    const id = messageIdOf(line);
    if (id === undefined) continue;
    const place = { rank: graph.rankOf(line), end: line };
    const own = places.get(id);
    if (own === undefined) places.set(id, [place]);
    else own.push(place);
  }
  const onChain = new Set(chain);
  const messages = new Map<string, Node[]>();
  for (const line of lines) {
    const id = messageIdOf(line);
    const own = id === undefined ? undefined : places.get(id);
    if (id === undefined || own === undefined) continue;
    const message = messages.get(id);
    if (message === undefined) messages.set(id, [line]);
    else message.push(line);
    if (onChain.has(line)) continue;
    const rank = graph.rankOf(line);
    const place = own.findLast((each) => each.rank < rank) ?? (own[0] as Place); // no list of places is empty
    out.insertAfter(place.end, line);
    place.end = line;
  }
  return [...messages.values()];
}

/** A line of the chain after which lines are added. */
interface Place {
  readonly rank: number;
  /** The line itself, or the last line added after it. */
  end: Node;
}

/**
 * For each message: the results whose parents are its lines (rule 21), and for a call without one the first result in
 * the main conversation (rule 23).
 */
function placeResults(work: Work, messages: readonly (readonly Node[])[]): void {
  const { graph, out } = work;
  const answered = new Set<string>();
  const answer = (line: Node): void => {
    for (const { toolUseId } of resultsOf(line)) answered.add(toolUseId);
  };
  for (const line of out) if (isReadable(line)) answer(line);
  const strays = strayResults(work);
  for (const lines of messages) {
    const hanging = lines
      .flatMap((line) => graph.childrenOf(line))
      .filter((child) => isReadable(child) && resultsOf(child).length > 0 && !out.has(child));
    for (const result of hanging.sort((a, b) => graph.rankOf(a) - graph.rankOf(b))) {
      placeResult(work, result, graph.byUuid(graph.parentOf(result)) as Node); // its parent is a line of the message
      answer(result);
    }
    for (const line of lines) {
      for (const { id } of callsOf(line)) {
        const holder = answered.has(id) ? undefined : strays.get(id);
        if (holder === undefined) continue;
        placeResult(work, holder, line);
        answer(holder);
      }
    }
  }
}

/** The first result of each call outside of side chains; none for a call that occurs in two messages. */
function strayResults({ lines }: Work): ReadonlyMap<string, Node> {
  const callers = new Map<string, string>();
  const holders = new Map<string, Node>();
  const ambiguous = new Set<string>();
  for (const line of lines) {
    const message = messageIdOf(line);
    if (message !== undefined) {
      for (const { id } of callsOf(line)) {
        if ((callers.get(id) ?? message) !== message) ambiguous.add(id);
        callers.set(id, message);
      }
    }
    if (line.isSidechain) continue;
    for (const { toolUseId } of resultsOf(line)) if (!holders.has(toolUseId)) holders.set(toolUseId, line);
  }
  for (const id of ambiguous) holders.delete(id);
  return holders;
}

/**
 * Rules 21 and 22: a result and its notes go after the run of lines of one message that starts at `at`, in file order
 * among the results there.
 */
function placeResult(work: Work, result: Node, at: Node): void {
  const { rules, graph, out, lastPlaced } = work;
  if (out.has(result)) return;
  const end = endOfRun(work, at);
  const rank = graph.rankOf(result);
  // Results mostly come in file order, so the search continues from the last one.
  const last = lastPlaced.get(end);
  let place = last !== undefined && graph.rankOf(last) <= rank ? last : end;
  const first = rules.has('sortsResults') ? out.after(place) : undefined;
  for (let next = first; next !== undefined && graph.rankOf(next) <= rank; next = out.after(place)) {
    if (resultsOf(next).length === 0 && !comesWithResult(next)) break;
    place = next;
  }
  for (const line of [result, ...notesBelow(work, result)]) {
    if (out.has(line)) continue;
    out.insertAfter(place, line);
    place = line;
  }
  lastPlaced.set(end, place);
}

/** The last line of the run of one message that starts at `at`. */
function endOfRun({ out, runEnds }: Work, at: Node): Node {
  const id = messageIdOf(at);
  const passed: Node[] = [];
  let end = at;
  for (let next: Node | undefined = at; next !== undefined && messageIdOf(next) === id; next = out.after(next)) {
    end = runEnds.get(next) ?? next;
    if (end !== next) break;
    passed.push(next);
  }
  for (const line of passed) runEnds.set(line, end);
  return end;
}

function notesBelow({ graph }: Work, line: Node): Node[] {
  const found: Node[] = [];
  const waiting = [line];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const children = graph.childrenOf(at);
    // Notes that lead to a message belong to that message, not to the result.
    if (at !== line && children.some(isMessage)) return [];
    if (at !== line) found.push(at);
    waiting.push(...children.filter(comesWithResult).reverse());
  }
  return found;
}

/** Rule 22 and R9: attachments and system notes below a result go with it. */
function comesWithResult(line: Node): boolean {
  return isNote(line) && !isBoundary(line);
}
