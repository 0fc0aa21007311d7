// Waits until the last answer is in the transcript, because Stop may come before the last line is written.
import { setTimeout as delay } from 'node:timers/promises';
import { asObject, asString, isArray, isObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import { readEdge } from '../state/index.ts';

export interface SettleOptions {
  /** `last_assistant_message` of the hook's input; absent before 2.1.150. */
  readonly lastAnswer: string | undefined;
  readonly mostMs: number;
}

/** Returns how often it read the end of the file. */
export async function settle(file: string, { lastAnswer, mostMs }: SettleOptions): Promise<number> {
  const endMs = Date.now() + mostMs;
  for (let looks = 1; ; looks++) {
    if (isSettled(file, lastAnswer) || Date.now() >= endMs) return looks;
    await delay(pollMs);
  }
}

const pollMs = 40;
const tailSizes = [64 * 1024, 4 * 1024 * 1024];

export function isSettled(file: string, lastAnswer: string | undefined): boolean {
  for (const size of tailSizes) {
    const tail = readEdge(file, 'end', size);
    if (tail === undefined) return true;
    if (!tail.text.endsWith('\n')) return false;
    const last = lastMessage(tail.text);
    if (last !== undefined) return isAnswer(last, lastAnswer);
    if (tail.isWhole) return false;
  }
  // The last message is longer than a hook should read.
  return true;
}

function isAnswer(entry: JsonObject, lastAnswer: string | undefined): boolean {
  const message = asObject(entry.message);
  const isAssistant = (entry.type ?? message?.role) === 'assistant';
  if (lastAnswer === undefined || lastAnswer.trim() === '') return isAssistant && isOver(message);
  return isAssistant && messageText(message).trim().endsWith(lastAnswer.trim().slice(-2000));
}

/** A message with a tool call, or with only thinking, continues; 2.1.45 does not write stop reasons. */
function isOver(message: JsonObject | undefined): boolean {
  if (typeof message?.content === 'string') return true;
  const blocks = isArray(message?.content) ? message.content : [];
  const has = (type: string): boolean => blocks.some((block) => isObject(block) && block.type === type);
  return has('text') && !has('tool_use');
}

/** The last user or assistant line outside sub-agents. */
function lastMessage(text: string): JsonObject | undefined {
  const lines = text.split('\n');
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = lines[i] ?? '';
    if (!line.includes('"assistant"') && !line.includes('"user"')) continue;
    const entry = asObject(parseJson(line));
    const role = entry?.type ?? asObject(entry?.message)?.role;
    if (
      entry !== undefined &&
      (role === 'assistant' || role === 'user') &&
      entry.isSidechain !== true &&
      entry.isMeta !== true
    )
      return entry;
  }
  return undefined;
}

function messageText(message: JsonObject | undefined): string {
  if (typeof message?.content === 'string') return message.content;
  const blocks = isArray(message?.content) ? message.content : [];
  return blocks.map((block) => (isObject(block) && block.type === 'text' ? (asString(block.text) ?? '') : '')).join('');
}
