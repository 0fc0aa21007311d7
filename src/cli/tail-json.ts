// Records as they are written → the objects of `clew tail --json` (docs/json.md): one for everything that was said,
// called and answered.
import { blocksOf, isText, isThinking, isToolResult, isToolUse, textOf } from '../format/block.ts';
import type { NewRecord } from '../library/follow.ts';
import { promptText } from '../session/prompt-text.ts';
import { isoDate } from './json-date.ts';
import { agentIdOf, looseRecord, sessionIdOf } from './loose-record.ts';

export function* tailObjects(record: NewRecord): Generator<object> {
  const { node, blocks } = looseRecord(record);
  const { head, place } = record;
  const make = (kind: string, about: Partial<About>): object => ({
    kind,
    time: isoDate(head.time),
    sessionId: sessionIdOf(record),
    agentId: agentIdOf(record) ?? null,
    path: place.path,
    uuid: head.uuid ?? null,
    text: about.text ?? null,
    toolUseId: about.toolUseId ?? null,
    tool: about.tool ?? null,
    input: about.input ?? null,
    isError: about.isError ?? null,
  });
  if (node.promptKind !== undefined) yield make('prompt', { text: promptText(blocks) });
  for (const block of blocks) {
    if (isToolResult(block)) {
      const text = textOf(blocksOf(block.content));
      yield make('result', { text, toolUseId: block.tool_use_id, isError: block.is_error === true });
    }
    if (node.type !== 'assistant') continue;
    if (isText(block)) yield make('text', { text: block.text });
    else if (isThinking(block)) yield make('thinking', { text: block.type === 'thinking' ? block.thinking : '' });
    else if (isToolUse(block)) yield make('call', { toolUseId: block.id, tool: block.name, input: block.input ?? {} });
  }
}

interface About {
  readonly text: string;
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: object;
  readonly isError: boolean;
}
