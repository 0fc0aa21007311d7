// The state of the console as one value, and the store that holds it and notifies the screen.
import type { AgentState } from '../../../agent/contract/index.ts';
import type { Dialog } from '../dialog/index.ts';
import { type EditorState, emptyEditor, type Suggestions } from '../input/index.ts';
import { emptyView, type ViewState } from '../transcript/index.ts';

export interface ConsoleState {
  readonly view: ViewState;
  readonly editor: EditorState;
  readonly suggestions: Suggestions | undefined;
  readonly dialog: Dialog | undefined;
  /** `undefined` until the agent is open. */
  readonly agent: AgentState | undefined;
  /** Typed before the agent was open. */
  readonly pending: readonly string[];
  /** Shown below the prompt until the next key. */
  readonly hint: string;
  readonly branch: string | undefined;
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  /** Only finished items are still drawn. */
  readonly isLeaving: boolean;
}

export const initialConsole: ConsoleState = {
  view: emptyView,
  editor: emptyEditor,
  suggestions: undefined,
  dialog: undefined,
  agent: undefined,
  pending: [],
  hint: '',
  branch: undefined,
  columns: 80,
  rows: 24,
  nowMs: 0,
  isLeaving: false,
};

/** Parts of an answer arrive hundreds of times a second; this limits the frames. */
const frameMs = 33;

export class ConsoleStore {
  #state: ConsoleState;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #flushedMs = 0;

  constructor(state: ConsoleState) {
    this.#state = state;
  }

  readonly get = (): ConsoleState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  update(change: Partial<ConsoleState>): void {
    this.#state = { ...this.#state, ...change, nowMs: Date.now() };
    const wait = this.#flushedMs + frameMs - performance.now();
    if (wait <= 0) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), wait);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushedMs = performance.now();
    for (const listener of this.#listeners) listener();
  }
}
