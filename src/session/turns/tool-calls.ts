// Lines → tool calls: each tool_use with its result, paired by id and never by parent, and the sub-agent it started.

import { type Block, blocksOf, contentOf, isToolResult } from '../../format/entry/index.ts';
import { readEntry, type Session } from '../load/index.ts';
import { callsOf, type Node, resultsOf } from '../transcript/index.ts';
import type { Turn } from './turns.ts';

/** A tool call and its result. */
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

/** Returns the tool calls of a turn. */
export function toolCallsOf(session: Session, turn: Pick<Turn, 'nodes'>): readonly ToolCall[] {
  const agentIds = new Map<string, string>();
  for (const agent of session.agents) if (agent.toolUseId !== undefined) agentIds.set(agent.toolUseId, agent.agentId);
  const calls = new Map<string, ToolCall>();
  for (const node of turn.nodes) {
    for (const { id, name } of callsOf(node)) {
      if (calls.has(id)) continue;
      const result = session.relatives.resultsFor(id)[0];
      const isError = result !== undefined && resultsOf(result).some((head) => head.toolUseId === id && head.isError);
      calls.set(id, { id, name, node, result, isError, agentId: agentIds.get(id) ?? result?.resultAgentId });
    }
  }
  return [...calls.values()];
}

/** Empty if there is no result in the file. */
export function resultBlocks(session: Pick<Session, 'transcript'>, call: ToolCall): readonly Block[] {
  if (call.result === undefined) return [];
  const results = contentOf(readEntry(session, call.result)).filter(isToolResult);
  return blocksOf(results.find((block) => block.tool_use_id === call.id)?.content);
}
