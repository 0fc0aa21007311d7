// Removes the client's additions from the messages of a request (cache marks, `role: "system"` turns, reminders, also
// those inside a tool result), so that two requests for the same session can be compared.
import { asString, isArray, isObject, type JsonObject, type JsonValue } from '../../../base/json/index.ts';

export interface SentMessage {
  readonly role: string;
  readonly content: string | readonly object[];
}

export interface NormalMessage {
  readonly role: string;
  readonly content: readonly JsonObject[];
}

export function normalise(messages: readonly SentMessage[]): NormalMessage[] {
  return messages
    .filter((message) => message.role !== 'system')
    .map(({ role, content }) => ({ role, content: normalBlocks(content) }))
    .filter((message) => message.content.length > 0);
}

function normalBlocks(content: SentMessage['content']): JsonObject[] {
  if (typeof content === 'string') return normalBlocks([{ type: 'text', text: content }]);
  // Typed blocks lack an index signature, but every block of a request is JSON.
  return (content as readonly JsonObject[])
    .map(({ cache_control: _, ...block }) => withoutFoldedReminders(block))
    .filter((block) => !isReminder(block));
}

export function isReminder(block: JsonValue): boolean {
  return isObject(block) && block.type === 'text' && /^\s*<system-reminder>/.test(asString(block.text) ?? '');
}

function withoutFoldedReminders(block: JsonObject): JsonObject {
  if (block.type !== 'tool_result') return block;
  const { content } = block;
  if (typeof content === 'string') return { ...block, content: content.replaceAll(foldedReminder, '') };
  if (!isArray(content) || !content.some(isReminder)) return block;

  const kept: JsonValue[] = [];
  for (const inner of content) {
    if (isReminder(inner)) kept.push(...withoutLastNewline(kept.splice(-1)));
    else kept.push(inner);
  }
  return { ...block, content: kept };
}

/** Anywhere in a result, which may contain several. */
const foldedReminder = /(^|\n\n)<system-reminder>\n[\s\S]*?<\/system-reminder>(?:\n(?=\n\n|$))?/g;

/** The client ends a text with a newline before it appends a reminder. */
function withoutLastNewline(blocks: readonly JsonValue[]): JsonValue[] {
  return blocks.map((block) => {
    if (!isObject(block) || block.type !== 'text') return block;
    return { ...block, text: asString(block.text)?.replace(/\n$/, '') };
  });
}
