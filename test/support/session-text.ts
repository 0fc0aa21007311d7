// A few lines of a conversation → the text of a transcript, each line hanging on the one before. Builders say only what
// a test is about; ids, times and the rest follow.
import type { JsonObject, JsonValue } from '../../src/base/json/json.ts';

export interface Common {
  readonly sessionId?: string;
  readonly cwd?: string;
  readonly version?: string;
  /** Minutes after 2026-03-01T10:00Z at which the first line was written; each next one comes a second later. */
  readonly startMinute?: number;
  readonly isSidechain?: boolean;
  readonly agentId?: string;
}

/** Lines with a type of the chain get uuid, parentUuid and the common fields, unless they have their own. */
export function sessionText(lines: readonly (JsonObject | string)[], common: Common = {}): string {
  const { startMinute = 0, sessionId = 'session', cwd = '/home/kim/project', version = '2.1.150', ...rest } = common;
  const start = Date.UTC(2026, 2, 1, 10, startMinute);
  let parentUuid: JsonValue = null;
  const texts = lines.map((line, i) => {
    if (typeof line === 'string') return line;
    const timestamp = new Date(start + i * 1000).toISOString();
    if (!chained.has(String(line.type))) return JSON.stringify({ sessionId, timestamp, ...line });
    const uuid = `00000000-0000-4000-8000-${String(i + 1).padStart(12, '0')}`;
    const entry: JsonObject = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd,
      sessionId,
      version,
      uuid,
      timestamp,
      ...rest,
      ...line,
    };
    parentUuid = entry.uuid ?? null;
    return JSON.stringify(entry);
  });
  return `${texts.join('\n')}\n`;
}

const chained: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);

export function user(content: JsonValue, more: JsonObject = {}): JsonObject {
  return { type: 'user', message: { role: 'user', content }, ...more };
}

let messages = 0;

export function assistant(content: JsonValue, more: JsonObject = {}): JsonObject {
  const { message, ...entry } = more;
  return {
    type: 'assistant',
    message: {
      // Of one length, so that the size of a transcript does not depend on the tests before.
      id: `msg_${String(++messages).padStart(5, '0')}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
      stop_reason: 'end_turn',
      usage: { input_tokens: 10, output_tokens: 20 },
      ...(message as JsonObject | undefined),
    },
    ...entry,
  };
}

export function toolUse(id: string, name: string, input: JsonObject): JsonObject {
  return { type: 'tool_use', id, name, input };
}

export function toolResult(id: string, content: JsonValue, isError = false): JsonObject {
  return { type: 'tool_result', tool_use_id: id, content, ...(isError ? { is_error: true } : {}) };
}
