// The system prompt and the tools of a session, built once and sent with every request. They are stored as a private
// line: without a uuid no client takes it for a part of the conversation.
import type { ToolDefinition } from '../../api/client/index.ts';
import { shortHash } from '../../api/request/index.ts';
import { asObject, asString, isArray, isObject, type JsonObject } from '../../base/json/index.ts';
import type { EmitEvent, Tool } from '../contract/index.ts';

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

export interface PromptSource {
  /** The prompt that the session stores. */
  readonly stored: () => FrozenPrompt | undefined;
  readonly render: () => readonly string[];
  readonly tools: () => readonly Tool[];
  /** Instructions of the user that replace ours. */
  readonly ownText?: string;
  readonly emit: EmitEvent;
}

/** Only offered in an interactive run; adding it later would cost a session its thinking. */
const personTool = 'AskUserQuestion';

export class PromptKeeper {
  readonly #source: PromptSource;
  #prompt: FrozenPrompt | undefined;
  #isOver = false;

  constructor(source: PromptSource) {
    this.#source = source;
  }

  /** The prompt to send. A new one is written to the session first. */
  async current(): Promise<FrozenPrompt> {
    const kept = this.#kept();
    if (kept !== undefined && !this.#isOutdated(kept)) return kept;
    const made = freezePrompt(this.#source.render(), this.#source.tools());
    const last = this.#source.stored() ?? this.#prompt;
    if (made.hash !== last?.hash) await this.#source.emit({ type: 'prompt-frozen', prompt: made });
    this.#isOver = false;
    this.#prompt = made;
    return made;
  }

  /** The prompt that the next request would have. Nothing is written. */
  preview(): FrozenPrompt {
    const kept = this.#kept();
    if (kept !== undefined && !this.#isOutdated(kept)) return kept;
    return freezePrompt(this.#source.render(), this.#source.tools());
  }

  /** After a compaction there is no thinking that depends on the old prompt. */
  startOver(): void {
    this.#isOver = true;
  }

  /** Tools that the model was offered and that are missing now. */
  missingTools(): readonly string[] {
    const names = new Set(this.#source.tools().map(({ name }) => name));
    const offered = this.#kept()?.tools ?? [];
    return offered.map(({ name }) => name).filter((name) => !names.has(name));
  }

  /** Whether the current system prompt contains the text; `true` if there is no prompt yet. */
  holds(text: string): boolean {
    const prompt = this.#kept();
    return prompt === undefined || prompt.system.includes(text);
  }

  /** A rewind may restore an earlier prompt. */
  #kept(): FrozenPrompt | undefined {
    return this.#isOver ? undefined : (this.#source.stored() ?? this.#prompt);
  }

  #isOutdated({ system, tools }: FrozenPrompt): boolean {
    const { ownText } = this.#source;
    if (ownText !== undefined && !system.includes(ownText)) return true;
    const known = new Set([...tools.map(({ name }) => name), personTool]);
    return this.#source.tools().some(({ name }) => !known.has(name));
  }
}
