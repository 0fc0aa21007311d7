// What has the terminal instead of the chat for a while: the view of the whole conversation, an editor, the list of
// sessions. The chat continues meanwhile and is drawn again when it ends.
import { stat } from 'node:fs/promises';
import type { ReadStream, WriteStream } from 'node:tty';
import { type Key, Screen, type Style, withoutMark } from '../../terminal/index.ts';
import type { ConsoleStore, MountedScreen } from '../screen/index.ts';
import { TranscriptView } from './transcript-view.ts';

export interface AwayOptions {
  readonly store: ConsoleStore;
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  /** Its colours are recognised by `safeText`. */
  readonly style: Style;
  /** The keys of the chat. */
  readonly terminal: { enter(): void; leave(): void };
  readonly screen: () => MountedScreen | undefined;
}

export class Away {
  readonly #options: AwayOptions;
  #view: { readonly view: TranscriptView; readonly end: () => void } | undefined;
  #lent: { readonly stop: AbortController; readonly ended: Promise<unknown> } | undefined;

  constructor(options: AwayOptions) {
    this.#options = options;
  }

  /** Another program or list has the keys; a Ctrl-C is for it. */
  get isLent(): boolean {
    return this.#lent !== undefined;
  }

  /** Shows the conversation of the file that `file` names. */
  showTranscript(file: () => string | undefined): void {
    const { store, stdin, stdout, style, screen } = this.#options;
    const mounted = screen();
    if (mounted === undefined || this.#view !== undefined || this.isLent) return;
    let shownVersion = '';
    const view = new TranscriptView({
      screen: new Screen(stdin, stdout, { isGuest: true }),
      style: withoutMark(style),
      size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
      readLines: async (columns) => {
        const path = file();
        if (path === undefined) return ['', '  There is no conversation yet.'];
        const { size, mtimeMs } = await stat(path);
        const version = `${path} ${size} ${mtimeMs} ${columns}`;
        if (version === shownVersion) return undefined;
        const { readTranscriptLines } = await import('./transcript-lines.ts');
        const lines = await readTranscriptLines(path, { style, columns });
        shownVersion = version;
        return lines;
      },
      notice: () => (store.get().dialog === undefined ? '' : 'A QUESTION WAITS'),
    });
    const unwatch = store.watch(() => {
      view.draw();
      view.refresh();
    });
    const onResize = (): void => view.resize();
    mounted.pause();
    stdout.on('resize', onResize);
    view.open();
    const end = (): void => {
      stdout.off('resize', onResize);
      unwatch();
      view.close();
      mounted.resume();
    };
    this.#view = { view, end };
  }

  /** Returns whether the key was for the view. */
  press(key: Key): boolean {
    if (this.#view === undefined) return false;
    if (this.#view.view.press(key) === 'closed') this.#closeView();
    return true;
  }

  /** Gives the whole terminal to another program until it ends. */
  async lend<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#closeView();
    const stop = new AbortController();
    const lent = this.#lend(work, stop.signal);
    this.#lent = { stop, ended: lent.catch(() => undefined) };
    try {
      return await lent;
    } finally {
      this.#lent = undefined;
    }
  }

  async #lend<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { terminal, screen, stdin, stdout } = this.#options;
    const mounted = screen();
    const own = new Screen(stdin, stdout, { isGuest: true });
    mounted?.pause();
    own.enter();
    terminal.leave();
    own.lend();
    try {
      return await work(signal);
    } finally {
      own.leave();
      terminal.enter();
      mounted?.resume();
    }
  }

  /** The chat ends. Resolves when it has the terminal again. */
  async close(): Promise<void> {
    this.#closeView();
    this.#lent?.stop.abort();
    await this.#lent?.ended;
  }

  #closeView(): void {
    const open = this.#view;
    this.#view = undefined;
    open?.end();
  }
}
