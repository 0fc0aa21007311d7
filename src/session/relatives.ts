// Nodes → the lines that belong together whatever their parents say: the lines of one message, the results of a call.
// Clients since 2.1.29 hang the results of parallel calls beside the chain, so a walk alone misses a fifth of them.
import type { JsonObject } from '../base/json.ts';
import { contentKey } from './content-key.ts';
import { type Graph, isLinked } from './graph.ts';
import { callsOf, type Node, resultsOf } from './node.ts';

export interface Relatives {
  /** All lines of the node's message, in file order; of a line without message id, itself. */
  linesOf(node: Node): readonly Node[];
  /** The lines that hold a result for this call, in file order. */
  resultsFor(toolUseId: string): readonly Node[];
}

export function findRelatives(nodes: readonly Node[], graph: Pick<Graph, 'isReplaced'>, isAgent: boolean): Relatives {
  const byMessage = new Map<string, Node[]>();
  const byCall = new Map<string, Node[]>();
  for (const node of nodes) {
    if (!isLinked(node) || (node.isSidechain && !isAgent) || graph.isReplaced(node)) continue;
    const id = messageIdOf(node);
    if (id !== undefined) push(byMessage, id, node);
    for (const { toolUseId } of resultsOf(node)) push(byCall, toolUseId, node);
  }
  return {
    linesOf: (node) => byMessage.get(messageIdOf(node) ?? '') ?? [node],
    resultsFor: (toolUseId) => byCall.get(toolUseId) ?? [],
  };
}

export interface BesideSource {
  readonly graph: Pick<Graph, 'parentOf'>;
  readonly relatives: Relatives;
  read(node: Node): JsonObject;
}

/**
 * The lines that stand beside a branch and belong to its messages, by the line they stand behind: the first of their
 * message. History that was written again has the same ids; a copy of what is on the branch is not among them.
 */
export function linesBeside(
  branch: readonly Node[],
  source: BesideSource,
  isTaken: (node: Node) => boolean,
): ReadonlyMap<Node, readonly Node[]> {
  const placed = new Set(branch);
  const answered = new Set(branch.flatMap((node) => resultsOf(node).map((result) => result.toolUseId)));
  const isFree = (node: Node): boolean => !placed.has(node) && !isTaken(node);
  const beside = new Map<Node, readonly Node[]>();
  const seen = new Set<string>();
  const seenCalls = new Set<string>();
  for (const node of branch) {
    const id = messageIdOf(node);
    if (node.type !== 'assistant' || (id !== undefined && seen.has(id))) continue;
    if (id !== undefined) seen.add(id);
    const lines = source.relatives.linesOf(node);
    const added = newLines(lines, placed, isFree, source);
    for (const line of added) placed.add(line);
    for (const call of lines.filter((line) => placed.has(line)).flatMap(callsOf)) {
      if (seenCalls.has(call.id)) continue;
      seenCalls.add(call.id);
      for (const result of source.relatives.resultsFor(call.id)) {
        const parent = source.graph.parentOf(result);
        const isNews = resultsOf(result).some(({ toolUseId }) => !answered.has(toolUseId));
        if (!isFree(result) || !(isNews || (parent !== undefined && placed.has(parent)))) continue;
        for (const { toolUseId } of resultsOf(result)) answered.add(toolUseId);
        placed.add(result);
        added.push(result);
      }
    }
    if (added.length > 0) beside.set(node, added);
  }
  return beside;
}

/** The lines of a message that say something which those already placed do not. */
function newLines(
  lines: readonly Node[],
  placed: ReadonlySet<Node>,
  isFree: (node: Node) => boolean,
  source: BesideSource,
): Node[] {
  const free = lines.filter(isFree);
  if (free.length === 0) return [];
  const keys = new Set(lines.filter((line) => placed.has(line)).map((line) => lineKey(line, source)));
  return free.filter((line) => {
    const key = lineKey(line, source);
    return !keys.has(key) && keys.add(key);
  });
}

function lineKey(line: Node, source: BesideSource): string {
  const calls = callsOf(line);
  return calls.length > 0 ? calls.map((call) => call.id).join() : contentKey(source.read(line));
}

function messageIdOf(node: Node): string | undefined {
  return node.type === 'assistant' ? node.message?.id : undefined;
}

function push(map: Map<string, Node[]>, key: string, node: Node): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [node]);
  else list.push(node);
}
