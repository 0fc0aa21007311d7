// The state of the console as one value, and the store that holds it and notifies the screen.
import type { AgentState } from '../../../agent/contract/index.ts';
import type { Dialog } from '../dialog/index.ts';
import { type EditorState, emptyEditor, type HistorySearch, type Submitted, type Suggestions } from '../input/index.ts';
import { emptyView, type LiveShell, type ViewState } from '../transcript/index.ts';

export interface ConsoleState {
  readonly view: ViewState;
  readonly editor: EditorState;
  readonly suggestions: Suggestions | undefined;
  /** Takes the place of the prompt. */
  readonly search: HistorySearch | undefined;
  /** The shell command of the user that runs, and those that wait for the end of the turn. */
  readonly shell: LiveShell | undefined;
  readonly waitingShell: readonly string[];
  /** The keys are listed below the prompt. */
  readonly isHelp: boolean;
  readonly dialog: Dialog | undefined;
  /** `undefined` until the agent is open. */
  readonly agent: AgentState | undefined;
  /** Typed before the agent was open. */
  readonly pending: readonly Submitted[];
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
  search: undefined,
  shell: undefined,
  waitingShell: [],
  isHelp: false,
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
  readonly #watchers = new Set<() => void>();
  #isFrozen = false;
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

  /** Also hears changes while the screen is frozen. */
  watch(listener: () => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  /** Another view has the screen; the state still changes, and `thaw` draws it. */
  freeze(): void {
    this.#isFrozen = true;
  }

  thaw(): void {
    this.#isFrozen = false;
    this.flush();
  }

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
    if (!this.#isFrozen) for (const listener of this.#listeners) listener();
    for (const listener of this.#watchers) listener();
  }
}
