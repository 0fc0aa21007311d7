// Maps keys to suggestions while a `/command` or `@file` is typed. The files of the project are listed on first use,
// and again when they may have changed.
import type { Key } from '../terminal/index.ts';
import { slashCommands } from './commands/index.ts';
import {
  listProjectFiles,
  type Mention,
  mentionAt,
  moveSuggestion,
  replaceRange,
  suggestCommands,
  suggestFiles,
  withBuffer,
} from './input/index.ts';
import type { ConsoleStore } from './screen/index.ts';

const freshMs = 10_000;

export class Completer {
  readonly #store: ConsoleStore;
  readonly #cwd: string;
  #files: readonly string[] = [];
  #listedMs = Number.NEGATIVE_INFINITY;
  #dismissed: string | undefined;

  constructor(store: ConsoleStore, cwd: string) {
    this.#store = store;
    this.#cwd = cwd;
  }

  /** Returns `taken` if the key was for the suggestions. A command chosen with Enter is also sent. */
  press(key: Key): 'taken' | 'passed' {
    const { suggestions } = this.#store.get();
    if (suggestions === undefined) return 'passed';
    if (key.name === 'up' || key.name === 'ctrl-p')
      this.#store.update({ suggestions: moveSuggestion(suggestions, -1) });
    else if (key.name === 'down' || key.name === 'ctrl-n') {
      this.#store.update({ suggestions: moveSuggestion(suggestions, 1) });
    } else if (key.name === 'tab') this.#accept();
    else if (key.name === 'enter') {
      this.#accept();
      return suggestions.kind === 'command' ? 'passed' : 'taken';
    } else return 'passed';
    return 'taken';
  }

  dismiss(): void {
    this.#dismissed = this.#store.get().editor.buffer.text;
    this.#store.update({ suggestions: undefined });
  }

  /** Called after every edit. */
  look(custom: readonly { readonly name: string; readonly description: string }[]): void {
    const { editor } = this.#store.get();
    const mention = mentionAt(editor.buffer);
    if (mention === undefined) this.#dismissed = undefined;
    if (mention === undefined || this.#dismissed !== undefined) this.#store.update({ suggestions: undefined });
    else if (mention.kind === 'command') {
      this.#store.update({ suggestions: suggestCommands(mention, [...slashCommands, ...custom]) });
    } else {
      this.#store.update({ suggestions: suggestFiles(mention, this.#files) });
      if (performance.now() - this.#listedMs > freshMs) void this.#list(mention);
    }
  }

  async #list(asked: Mention): Promise<void> {
    this.#listedMs = performance.now();
    this.#files = await listProjectFiles(this.#cwd);
    const mention = mentionAt(this.#store.get().editor.buffer);
    if (mention?.kind !== 'file' || mention.start !== asked.start || this.#dismissed !== undefined) return;
    this.#store.update({ suggestions: suggestFiles(mention, this.#files) });
  }

  #accept(): void {
    const { suggestions, editor } = this.#store.get();
    const chosen = suggestions?.items[suggestions.selected];
    if (suggestions === undefined || chosen === undefined) return;
    const isFolder = chosen.text.endsWith('/');
    const text = `${chosen.text}${isFolder ? '' : ' '}`;
    const buffer = replaceRange(editor.buffer, suggestions.start, editor.buffer.cursor, text);
    this.#store.update({ editor: withBuffer(editor, buffer), suggestions: undefined });
  }
}
