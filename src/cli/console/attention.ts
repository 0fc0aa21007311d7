// The title of the terminal's window, which names the session and what the agent does, and a notification when a question
// or the end of a long turn needs the user. Both only reach a terminal, and the title is restored at the end.
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { asObject, asString, parseJson } from '../../base/json/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { oneLine } from '../../base/text/index.ts';
import type { ConsoleStore } from './screen/index.ts';

/** A shorter turn ends while the user is still looking. */
const longTurnMs = 10_000;
const titleColumns = 60;

type Channel = 'bell' | 'iterm2' | 'kitty' | 'ghostty' | 'none';

export interface AttentionOptions {
  readonly store: ConsoleStore;
  readonly env: Environment;
  readonly cwd: string;
  readonly write: (codes: string) => void;
}

export class Attention {
  readonly #options: AttentionOptions;
  readonly #stopWatching: () => void;
  #channel: Channel;
  #title = '';
  #isFocused = false;
  #isAsking = false;
  #busySinceMs: number | undefined;
  #firstPrompt = '';

  constructor(options: AttentionOptions) {
    this.#options = options;
    this.#channel = usualChannel(options.env);
    options.write(titleStack.push);
    // Also after an error.
    process.on('exit', this.close);
    this.#stopWatching = options.store.watch(() => this.#look());
    this.#look();
  }

  /** Reads the setting of the client: `preferredNotifChannel`. */
  async readSettings(root: string): Promise<void> {
    this.#channel = channelOf(await preferredChannel(root)) ?? this.#channel;
  }

  /** Reported by the terminal. Until then, the user may be elsewhere. */
  setFocus(isFocused: boolean): void {
    this.#isFocused = isFocused;
  }

  readonly close = (): void => {
    process.off('exit', this.close);
    this.#stopWatching();
    // A terminal without a stack of titles keeps an empty one, not ours.
    if (this.#title !== '') this.#options.write(`${titleCode('')}${titleStack.pop}`);
    this.#title = '';
  };

  #look(): void {
    const { dialog, view, isLeaving, nowMs } = this.#options.store.get();
    if (isLeaving) return;
    this.#showTitle();
    const isAsking = dialog !== undefined;
    if (isAsking && !this.#isAsking) this.#notify(dialog.title);
    this.#isAsking = isAsking;
    const before = this.#busySinceMs;
    this.#busySinceMs = view.busySinceMs;
    if (before !== undefined && view.busySinceMs === undefined && nowMs - before >= longTurnMs)
      this.#notify('the turn has ended');
  }

  #showTitle(): void {
    const { env, cwd } = this.#options;
    if (env.CLAUDE_CODE_DISABLE_TERMINAL_TITLE === '1') return;
    const { agent, dialog, view } = this.#options.store.get();
    const first = this.#firstPrompt === '' ? view.finished.find(({ kind }) => kind === 'prompt') : undefined;
    if (first?.kind === 'prompt') this.#firstPrompt = oneLine(first.text, titleColumns);
    const name = agent?.title ?? (this.#firstPrompt === '' ? path.basename(agent?.cwd ?? cwd) : this.#firstPrompt);
    const mark = dialog !== undefined ? '? ' : view.busySinceMs !== undefined ? '… ' : '';
    const title = `${mark}${plainTitle(name)} · clew`;
    if (title === this.#title) return;
    this.#title = title;
    this.#options.write(titleCode(title));
  }

  #notify(text: string): void {
    if (!this.#isFocused) this.#options.write(notification(this.#channel, plainTitle(`clew: ${text}`)));
  }
}

/** One line without control characters, which could end the code or begin another, and without separators. */
export function plainTitle(text: string): string {
  return oneLine(text, titleColumns).replaceAll(';', ',');
}

/** xterm's stack of titles; other terminals ignore it. */
const titleStack = { push: '\x1b[22;0t', pop: '\x1b[23;0t' };

function titleCode(title: string): string {
  return `\x1b]0;${title}\x07`;
}

function notification(channel: Channel, text: string): string {
  switch (channel) {
    case 'bell':
      return '\x07';
    case 'iterm2':
      return `\x1b]9;${text}\x07`;
    case 'kitty':
      return `\x1b]99;;${text}\x1b\\`;
    case 'ghostty':
      return `\x1b]777;notify;clew;${text}\x07`;
    case 'none':
      return '';
  }
}

function usualChannel({ TERM_PROGRAM, TERM, TMUX, STY }: Environment): Channel {
  // A multiplexer passes on the bell only.
  if (TMUX !== undefined || STY !== undefined) return 'bell';
  if (TERM_PROGRAM === 'iTerm.app') return 'iterm2';
  if (TERM_PROGRAM === 'ghostty') return 'ghostty';
  return TERM === 'xterm-kitty' ? 'kitty' : 'bell';
}

function channelOf(setting: string | undefined): Channel | undefined {
  switch (setting) {
    case 'notifications_disabled':
      return 'none';
    case 'terminal_bell':
      return 'bell';
    case 'iterm2':
    case 'iterm2_with_bell':
      return 'iterm2';
    case 'kitty':
    case 'ghostty':
      return setting;
    default:
      return undefined;
  }
}

/** In the user's own files: settings.json, then `.claude.json`, where the client keeps it. */
async function preferredChannel(root: string): Promise<string | undefined> {
  const files = [
    path.join(root, 'settings.json'),
    path.join(root, '.claude.json'),
    path.join(homedir(), '.claude.json'),
  ];
  for (const file of files) {
    const value = asObject(parseJson(await readFile(file, 'utf8').catch(() => '')));
    const channel = asString(value?.preferredNotifChannel);
    if (channel !== undefined) return channel;
  }
  return undefined;
}
