// Keeps the system prompt and the tools of a conversation as they were first sent: a change of either makes every thinking
// block before it useless. They are made anew only where nothing is lost by it, or where the model needs a new tool.
import type { EmitEvent } from './event.ts';
import { type FrozenPrompt, freezePrompt } from './session/frozen-prompt.ts';
import type { Tool } from './tool.ts';

export interface PromptSource {
  /** What the session has kept so far. */
  readonly stored: () => FrozenPrompt | undefined;
  readonly render: () => readonly string[];
  readonly tools: () => readonly Tool[];
  /** Instructions that replace ours, where the person gave some. */
  readonly ownText?: string;
  readonly emit: EmitEvent;
}

/** It is there only where a person is: a session that began without one does not lose its thinking for it. */
const personTool = 'AskUserQuestion';

export class PromptKeeper {
  readonly #source: PromptSource;
  #prompt: FrozenPrompt | undefined;
  #isOver = false;

  constructor(source: PromptSource) {
    this.#source = source;
  }

  /** The prompt to send now; a new one is written to the session before it is sent. */
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

  /** The conversation begins again with a summary: no thinking is left that an old prompt would keep. */
  startOver(): void {
    this.#isOver = true;
  }

  /** Tools that the model was offered and that are not there now. */
  missingTools(): readonly string[] {
    const names = new Set(this.#source.tools().map(({ name }) => name));
    const offered = this.#kept()?.tools ?? [];
    return offered.map(({ name }) => name).filter((name) => !names.has(name));
  }

  /** What the system prompt says at present, as far as it is made. */
  holds(text: string): boolean {
    const prompt = this.#kept();
    return prompt === undefined || prompt.system.includes(text);
  }

  /** After a rewind the session has another one than before. */
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
