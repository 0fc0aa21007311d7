// Lines → tool calls: each tool_use with its result, paired by id and never by parent, and the sub-agent it started.

import { type Block, blocksOf, contentOf, isToolResult } from '../../format/entry/index.ts';
import { readRefusal, resultText } from '../calls/index.ts';
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

/** A refusal is a short line; a longer one is not read, because pages ask this of every call. */
const maxRefusalBytes = 8_000;
const refused = new WeakMap<Node, boolean>();

/** Whether a call failed: the user neither declined it nor interrupted it. */
export function hasFailed(session: Pick<Session, 'transcript'>, { id, isError, result }: ToolCall): boolean {
  if (!isError || result === undefined) return isError;
  if (result.length > maxRefusalBytes || resultsOf(result).length !== 1) return true;
  let isRefused = refused.get(result);
  if (isRefused === undefined) {
    const block = contentOf(readEntry(session, result)).find((each) => isToolResult(each) && each.tool_use_id === id);
    const blocks = block !== undefined && isToolResult(block) ? blocksOf(block.content) : [];
    isRefused = readRefusal(resultText(blocks)) !== undefined;
    refused.set(result, isRefused);
  }
  return !isRefused;
}

/** Empty if there is no result in the file. */
export function resultBlocks(session: Pick<Session, 'transcript'>, call: ToolCall): readonly Block[] {
  if (call.result === undefined) return [];
  const results = contentOf(readEntry(session, call.result)).filter(isToolResult);
  return blocksOf(results.find((block) => block.tool_use_id === call.id)?.content);
}
