// Nodes → the lines that belong together whatever their parents say: the lines of one message, the results of a call.
// Clients since 2.1.29 hang the results of parallel calls beside the chain, so a walk alone misses a fifth of them.
import { isLinked } from './graph.ts';
import { callsOf, type Node, resultsOf } from './node.ts';

export interface Relatives {
  /** All lines of the node's message, in file order; of a line without message id, itself. */
  linesOf(node: Node): readonly Node[];
  /** The lines that hold a result for this call, in file order. */
  resultsFor(toolUseId: string): readonly Node[];
}

export function findRelatives(nodes: readonly Node[], isAgent: boolean): Relatives {
  const byMessage = new Map<string, Node[]>();
  const byCall = new Map<string, Node[]>();
  for (const node of nodes) {
    if (!isLinked(node) || (node.isSidechain && !isAgent)) continue;
    const id = messageIdOf(node);
    if (id !== undefined) push(byMessage, id, node);
    for (const { toolUseId } of resultsOf(node)) push(byCall, toolUseId, node);
  }
  return {
    linesOf: (node) => byMessage.get(messageIdOf(node) ?? '') ?? [node],
    resultsFor: (toolUseId) => byCall.get(toolUseId) ?? [],
  };
}

/** The lines of a node's message and the results of all its calls. */
export function relativesOf(relatives: Relatives, node: Node): readonly Node[] {
  const lines = relatives.linesOf(node);
  return [...lines, ...lines.flatMap(callsOf).flatMap((call) => relatives.resultsFor(call.id))];
}

function messageIdOf(node: Node): string | undefined {
  return node.type === 'assistant' ? node.message?.id : undefined;
}

function push(map: Map<string, Node[]>, key: string, node: Node): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [node]);
  else list.push(node);
}
