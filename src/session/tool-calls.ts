// Lines → tool calls: each tool_use with its result, paired by id and never by parent, and the sub-agent it started.
import type { Relatives } from './branch.ts';
import { callsOf, type Node, resultsOf } from './node.ts';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The line of the tool_use. */
  readonly node: Node;
  /** The line of the first result; later results for the same id are copies. */
  readonly result: Node | undefined;
  readonly isError: boolean;
  readonly agentId: string | undefined;
}

/** `agentIds`: by tool_use id, where a sub-agent's own files name the call that started it. */
export function toolCallsOf(
  lines: readonly Node[],
  relatives: Relatives,
  agentIds: ReadonlyMap<string, string>,
): readonly ToolCall[] {
  const calls = new Map<string, ToolCall>();
  for (const node of lines) {
    for (const { id, name } of callsOf(node)) {
      if (calls.has(id)) continue;
      const result = relatives.resultsFor(id)[0];
      const isError = result !== undefined && resultsOf(result).some((head) => head.toolUseId === id && head.isError);
      calls.set(id, { id, name, node, result, isError, agentId: agentIds.get(id) ?? result?.resultAgentId });
    }
  }
  return [...calls.values()];
}
