// Builds the small transcripts that an installed client is tried on.
import type { JsonObject, JsonValue } from '../../base/json/index.ts';

export const probeSessionId = '5c1e0000-0000-4000-8000-000000000000';
const start = Date.parse('2026-03-02T09:00:00.000Z');

/** The uuid of a line with a short name, for parents and pins. */
export function uuidOf(name: string): string {
  const code = [...name].map((letter) => (letter.codePointAt(0) ?? 0).toString(16)).join('');
  return `5c1e0000-0000-4000-8000-${code.padStart(12, '0')}`;
}

export class ProbeLines {
  readonly #lines: JsonObject[] = [];
  #parent: string | null = null;

  /** The next line hangs on this one. */
  from(name: string): this {
    this.#parent = uuidOf(name);
    return this;
  }

  user(name: string, content: JsonValue, fields: JsonObject = {}): this {
    return this.add('user', name, { message: { role: 'user', content }, ...fields });
  }

  /** `message` replaces what the line says of its message: id, model. */
  answer(name: string, content: readonly JsonObject[], message: JsonObject = {}): this {
    const own = { id: `msg_${name}`, type: 'message', role: 'assistant', model: 'claude-opus-4-5-20251101' };
    const ending = { stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 5, output_tokens: 5 } };
    return this.add('assistant', name, { message: { ...own, content: [...content], ...ending, ...message } });
  }

  attachment(name: string, attachment: JsonObject, fields: JsonObject = {}): this {
    return this.add('attachment', name, { attachment, ...fields });
  }

  /** A line next to the conversation. */
  aside(type: string, fields: JsonObject): this {
    this.#lines.push({ type, sessionId: probeSessionId, ...fields });
    return this;
  }

  add(type: string, name: string, fields: JsonObject): this {
    const uuid = uuidOf(name);
    this.#lines.push({
      type,
      uuid,
      parentUuid: this.#parent,
      sessionId: probeSessionId,
      timestamp: new Date(start + 1000 * this.#lines.length).toISOString(),
      isSidechain: false,
      userType: 'external',
      cwd: '/home/dev/widgets',
      version: '2.1.45',
      gitBranch: 'main',
      ...fields,
    });
    this.#parent = uuid;
    return this;
  }

  text(): string {
    return this.#lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }
}

export function text(value: string): JsonObject {
  return { type: 'text', text: value };
}

export function call(id: string): JsonObject {
  return { type: 'tool_use', id, name: 'Read', input: { file_path: '/w/a' } };
}

export function result(id: string, content: JsonValue = `result ${id}`): JsonObject {
  return { type: 'tool_result', tool_use_id: id, content };
}

export function thought(signature: string): JsonObject {
  return { type: 'thinking', thinking: 'hm', signature };
}

export function image(): JsonObject {
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } };
}

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
