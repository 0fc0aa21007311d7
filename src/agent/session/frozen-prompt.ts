// The system prompt and the tools of a session, built once and sent with every request. They are stored as a private
// line: without a uuid no client takes it for a part of the conversation.
import type { ToolDefinition } from '../../api/client/model.ts';
import { shortHash } from '../../api/request/thinking-prefix.ts';
import { asObject, asString, isArray, isObject, type JsonObject } from '../../base/json/json.ts';

export const promptLineType = 'clew-prompt';

export interface FrozenPrompt {
  readonly hash: string;
  readonly system: readonly string[];
  readonly tools: readonly ToolDefinition[];
}

export function freezePrompt(system: readonly string[], tools: readonly ToolDefinition[]): FrozenPrompt {
  const plain = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return { hash: promptHash(system, plain), system: [...system], tools: plain };
}

export function promptHash(system: readonly string[], tools: readonly ToolDefinition[]): string {
  return shortHash([[...system], tools.map(toolBody)]);
}

export function promptLine({ hash, system, tools }: FrozenPrompt): JsonObject {
  return { type: promptLineType, hash, system, tools: tools.map(toolBody) };
}

/** Computes the hash from the content, because an operation may have removed a secret. */
export function readPromptLine(entry: JsonObject): FrozenPrompt | undefined {
  const { system, tools } = entry;
  if (!isArray(system) || !isArray(tools)) return undefined;
  const texts = system.filter((text) => typeof text === 'string');
  const definitions = tools.filter(isObject).flatMap((tool): readonly ToolDefinition[] => {
    const name = asString(tool.name);
    const inputSchema = asObject(tool.input_schema);
    if (name === undefined || inputSchema === undefined) return [];
    return [{ name, description: asString(tool.description) ?? '', inputSchema }];
  });
  return freezePrompt(texts, definitions);
}

function toolBody({ name, description, inputSchema }: ToolDefinition): JsonObject {
  return { name, description, input_schema: inputSchema };
}
