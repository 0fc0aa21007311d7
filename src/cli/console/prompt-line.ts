// The prompt: keys go to the search in the history, to the suggestions, or to the editor; a sent prompt is remembered.
import type { AgentState } from '../../agent/contract/index.ts';
import type { Environment } from '../../base/node/index.ts';
import type { Key } from '../terminal/index.ts';
import { Completer } from './completer.ts';
import {
  appendHistory,
  historyFile,
  mentionPastedPictures,
  openSearch,
  pressInEditor,
  pressInSearch,
  readHistory,
  remember,
  replaceText,
  type Submitted,
} from './input/index.ts';
import { type ConsoleStore, editorWidth } from './screen/index.ts';

export class PromptLine {
  readonly #store: ConsoleStore;
  readonly #completer: Completer;
  readonly #cwd: string;
  readonly #file: string;

  constructor(store: ConsoleStore, cwd: string, env: Environment) {
    this.#store = store;
    this.#cwd = cwd;
    this.#file = historyFile(env);
    this.#completer = new Completer(store, cwd);
  }

  async loadHistory(): Promise<void> {
    const history = await readHistory(this.#file);
    const { editor } = this.#store.get();
    // Prompts that were sent meanwhile are at its end, too.
    this.#store.update({
      editor: { ...editor, history: editor.history.reduce(remember, { ...editor, history }).history },
    });
  }

  /** Returns what was sent. */
  press(key: Key, agent: AgentState | undefined): Submitted | undefined {
    const { search, editor } = this.#store.get();
    if (search !== undefined) {
      this.#search(key);
      return undefined;
    }
    if (key.name === 'ctrl-r') {
      this.#store.update({ search: openSearch(editor.history, this.#cwd), suggestions: undefined });
      return undefined;
    }
    return this.#edit(key, agent);
  }

  dismissSuggestions(): void {
    this.#completer.dismiss();
  }

  #search(key: Key): void {
    const { search, editor } = this.#store.get();
    if (search === undefined) return;
    const done = pressInSearch(search, key);
    if (done.kind === 'search') this.#store.update({ search: done.search });
    else if (done.kind === 'left') this.#store.update({ search: undefined });
    else {
      const { text, pastes } = done.entry;
      this.#store.update({ search: undefined, editor: replaceText(editor, text, pastes) });
    }
  }

  #edit(key: Key, agent: AgentState | undefined): Submitted | undefined {
    if (this.#completer.press(key) === 'taken') return undefined;
    const { editor, columns } = this.#store.get();
    const edited = pressInEditor(editor, this.#withPictures(key, agent), editorWidth(columns));
    if (edited === undefined) return undefined;
    this.#store.update({ editor: edited.editor });
    if (edited.submitted !== undefined) return this.#said(edited.submitted);
    // Up shows the next prompt instead of choosing a suggestion for the one that is shown.
    if (edited.editor.historyAt !== undefined) this.#store.update({ suggestions: undefined });
    else this.#completer.look(agent?.commands ?? []);
    return undefined;
  }

  /** Turns the pasted path of an image into a mention that attaches it. */
  #withPictures(key: Key, agent: AgentState | undefined): Key {
    if (key.name !== 'paste') return key;
    const { buffer } = this.#store.get().editor;
    const mentions = mentionPastedPictures(key.text, agent?.cwd ?? this.#cwd);
    if (mentions === undefined) return key;
    const isApart = /(?:^|\s)$/.test(buffer.text.slice(0, buffer.cursor));
    return { ...key, text: isApart ? mentions : ` ${mentions}` };
  }

  #said(submitted: Submitted): Submitted {
    const { shown, text, pastes } = submitted;
    const entry = { text: shown, pastes, cwd: this.#cwd };
    void appendHistory(this.#file, entry);
    const { editor, view } = this.#store.get();
    const folded = pastes.size === 0 ? view.folded : new Map(view.folded).set(text, shown);
    this.#store.update({ editor: remember(editor, entry), suggestions: undefined, view: { ...view, folded } });
    return submitted;
  }
}
