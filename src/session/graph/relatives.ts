// Nodes → the lines that belong together whatever their parents say: the lines of one message, the results of a call.
// Clients since 2.1.29 attach the results of parallel calls off the chain, so a walk alone misses a fifth of them.

import { createHash } from 'node:crypto';
import { asObject, type JsonObject } from '../../base/json/index.ts';
import { callsOf, Node, resultsOf } from '../transcript/index.ts';
import { type Graph, isLinked } from './graph.ts';

/** Finds the lines that belong together: of one message, and of a call and its results. */
export interface Relatives {
  /** All lines of the node's message, in file order; of a line without message id, itself. */
  linesOf(node: Node): readonly Node[];
  /** The lines that hold a result for this call, in file order. */
  resultsFor(toolUseId: string): readonly Node[];
}

export function findRelatives(nodes: readonly Node[], graph: Pick<Graph, 'isReplaced'>, isAgent: boolean): Relatives {
  const byMessage = new Map<string, Node | Node[]>();
  const byCall = new Map<string, Node | Node[]>();
  for (const node of nodes) {
    if (!isLinked(node) || (node.isSidechain && !isAgent) || graph.isReplaced(node)) continue;
    const id = messageIdOf(node);
    if (id !== undefined) push(byMessage, id, node);
    for (const { toolUseId } of resultsOf(node)) push(byCall, toolUseId, node);
  }
  return {
    linesOf: (node) => listed(byMessage.get(messageIdOf(node) ?? '') ?? node),
    resultsFor: (toolUseId) => listed(byCall.get(toolUseId) ?? []),
  };
}

export interface SideLineSource {
  readonly graph: Pick<Graph, 'parentOf'>;
  readonly relatives: Relatives;
  read(node: Node): JsonObject;
}

/**
 * The lines off a branch that belong to its messages, by the line of the branch that they follow: the first of their
 * message. History that was written again has the same ids; a copy of what is on the branch is not among them.
 */
export function findSideLines(
  branch: readonly Node[],
  source: SideLineSource,
  isTaken: (node: Node) => boolean,
): ReadonlyMap<Node, readonly Node[]> {
  const placed = new Set(branch);
  const isFree = (node: Node): boolean => !placed.has(node) && !isTaken(node);
  const takeResult = resultTaker(branch, source, placed);
  const sideLines = new Map<Node, readonly Node[]>();
  const seen = new Set<string>();
  const leftOver = new Set<string>();
  for (const node of branch) {
    const id = messageIdOf(node);
    if (node.type !== 'assistant' || (id !== undefined && seen.has(id))) continue;
    const lines = source.relatives.linesOf(node);
    if (id !== undefined && lines.length > 1) seen.add(id);
    const added = newLines(lines, placed, isFree, source);
    for (const line of added) placed.add(line);
    for (const line of lines) {
      if (!placed.has(line)) continue;
      for (const call of callsOf(line)) {
        // A call is looked at once: what was not taken then is not taken later either.
        if (leftOver.has(call.id)) continue;
        for (const result of source.relatives.resultsFor(call.id)) {
          if (!isFree(result)) continue;
          if (takeResult(result)) added.push(result);
          else leftOver.add(call.id);
        }
      }
    }
    if (added.length > 0) sideLines.set(node, added);
  }
  return sideLines;
}

/** Whether a result off the branch belongs to it: it answers what nothing else does, or follows a placed line. */
function resultTaker(branch: readonly Node[], source: SideLineSource, placed: Set<Node>): (result: Node) => boolean {
  // Created on first use: most sessions have no side lines.
  let answered: Set<string> | undefined;
  return (result) => {
    answered ??= new Set(branch.flatMap((node) => resultsOf(node).map(({ toolUseId }) => toolUseId)));
    const known = answered;
    const parent = source.graph.parentOf(result);
    const isNews = resultsOf(result).some(({ toolUseId }) => !known.has(toolUseId));
    if (!isNews && (parent === undefined || !placed.has(parent))) return false;
    for (const { toolUseId } of resultsOf(result)) known.add(toolUseId);
    placed.add(result);
    return true;
  };
}

/** The lines of a message that say something which those already placed do not. */
function newLines(
  lines: readonly Node[],
  placed: ReadonlySet<Node>,
  isFree: (node: Node) => boolean,
  source: SideLineSource,
): Node[] {
  const free = lines.filter(isFree);
  if (free.length === 0) return [];
  const keys = new Set(lines.filter((line) => placed.has(line)).map((line) => lineKey(line, source)));
  return free.filter((line) => {
    const key = lineKey(line, source);
    return !keys.has(key) && keys.add(key);
  });
}

function lineKey(line: Node, source: SideLineSource): string {
  const calls = callsOf(line);
  return calls.length > 0 ? calls.map((call) => call.id).join() : contentKey(source.read(line));
}

function messageIdOf(node: Node): string | undefined {
  return node.type === 'assistant' ? node.message?.id : undefined;
}

/** Most lists have one node: that they are made when they are asked for halves the memory of a large session's. */
function push(map: Map<string, Node | Node[]>, key: string, node: Node): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, node);
  else if (Array.isArray(known)) known.push(node);
  else map.set(key, [known, node]);
}

function listed(nodes: Node | readonly Node[]): readonly Node[] {
  return nodes instanceof Node ? [nodes] : nodes;
}

export function contentKey(entry: JsonObject): string {
  const content = asObject(entry.message)?.content ?? entry.content ?? null;
  return createHash('sha256').update(JSON.stringify(content)).digest('base64');
}
