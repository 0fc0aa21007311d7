// A tool call of a session → the blocks of its result, read from the file.
import { type Block, blocksOf, isToolResult } from '../../format/entry/block.ts';
import { contentOf } from '../../format/entry/entry.ts';
import { readEntry, type Session } from '../load/session.ts';
import type { ToolCall } from './tool-calls.ts';

/** Empty if there is no result in the file. */
export function resultBlocks(session: Pick<Session, 'transcript'>, call: ToolCall): readonly Block[] {
  if (call.result === undefined) return [];
  const results = contentOf(readEntry(session, call.result)).filter(isToolResult);
  return blocksOf(results.find((block) => block.tool_use_id === call.id)?.content);
}
