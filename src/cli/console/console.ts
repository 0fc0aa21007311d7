// The interactive agent: takes keys and agent events and updates the store that the screen draws. It opens the agent
// after the prompt is on the screen, so that the user can type at once, and restores the terminal on every way out.
import type { ReadStream, WriteStream } from 'node:tty';
import type {
  Agent,
  AgentEvent,
  AgentOptions,
  PermissionMode,
  SessionChoice,
  SessionOpened,
} from '../../agent/contract/index.ts';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { counted, oneLine } from '../../base/text/index.ts';
import { version } from '../../base/version/index.ts';
import type { CommandIo } from '../command/index.ts';
import { shortFolder } from '../render/index.ts';
import { type Key, type Style, withoutMark, writeText } from '../terminal/index.ts';
import { Asker } from './asker.ts';
import { ChatTerminal } from './chat-terminal.ts';
import { commandContext, slashCall, slashCommands } from './commands/index.ts';
import { Completer } from './completer.ts';
import { type AskDialog, openOrCopy } from './dialog/index.ts';
import {
  appendHistory,
  gitBranch,
  historyFile,
  mentionPastedPictures,
  pressInEditor,
  readHistory,
  remember,
  setText,
} from './input/index.ts';
import { ConsoleStore, editorWidth, initialConsole, mountScreen } from './screen/index.ts';
import { addItem, addNotice, type Item, viewAfter } from './transcript/index.ts';

export type OpenAgent = (options: AgentOptions) => Promise<Agent>;

export interface ConsoleOptions {
  readonly io: CommandIo;
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly stderr: WriteStream;
  /** Loaded after the first frame, because the libraries of the model and the tools load slowly. */
  readonly loadAgent: () => Promise<OpenAgent>;
  readonly agent: Omit<AgentOptions, 'approve' | 'askUser' | 'sinks' | 'isInteractive' | 'isProjectTrusted'>;
  /** Whether the folder is trusted; asked before the agent reads its settings. */
  readonly decideTrust: (ask: AskDialog) => Promise<boolean>;
  readonly firstPrompt?: string;
}

/** The exit code: 0, or 128 plus the number of the signal that ended it. */
export async function runConsole(options: ConsoleOptions): Promise<number> {
  return new Console(options).run();
}

const signalNumbers = { SIGTERM: 15, SIGHUP: 1, SIGINT: 2 } as const;
const signalNames = Object.keys(signalNumbers) as readonly (keyof typeof signalNumbers)[];
const cycledModes: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan'];
const twiceMs = 2000;
const tickMs = 250;

class Console {
  readonly #options: ConsoleOptions;
  readonly #store: ConsoleStore;
  readonly #terminal: ChatTerminal;
  readonly #completer: Completer;
  readonly #asker: Asker;
  readonly #history: string;
  #agent: Agent | undefined;
  #lastKey = { name: '', atMs: 0 };
  #end: (exitCode: number, reason: 'exit' | 'signal') => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(options: ConsoleOptions) {
    this.#options = options;
    const { stdout, stdin, io } = options;
    this.#history = historyFile(io.env);
    const size = { columns: stdout.columns || 80, rows: stdout.rows || 24, nowMs: Date.now() };
    const view = addItem(initialConsole.view, headerItem(options.agent.cwd, { ...io, ...size }));
    const pending = options.firstPrompt === undefined ? [] : [options.firstPrompt];
    this.#store = new ConsoleStore({ ...initialConsole, ...size, view, pending });
    this.#asker = new Asker(this.#store);
    this.#completer = new Completer(this.#store, options.agent.cwd);
    this.#terminal = new ChatTerminal(stdin, stdout, {
      onKey: (key) => this.#guard(() => this.#press(key)),
      onGone: () => this.#end(128 + signalNumbers.SIGHUP, 'signal'),
    });
  }

  async run(): Promise<number> {
    const { stdin, stdout, stderr, io, agent } = this.#options;
    const ended = new Promise<{ exitCode: number; reason: 'exit' | 'signal' }>((resolve, reject) => {
      this.#end = (exitCode, reason) => resolve({ exitCode, reason });
      this.#fail = reject;
    });
    const onSignal = (name: NodeJS.Signals): void =>
      this.#end(128 + (signalNumbers[name as keyof typeof signalNumbers] ?? 0), 'signal');
    for (const name of signalNames) process.on(name, onSignal);
    this.#terminal.enter();
    const screen = mountScreen(this.#store, { stdin, stdout, stderr, style: withoutMark(io.style), cwd: agent.cwd });
    const ticking = setInterval(() => this.#tick(), tickMs);
    setImmediate(() => this.#start().catch(this.#fail));
    let reason: 'exit' | 'signal' = 'signal';
    try {
      const end = await ended;
      reason = end.reason;
      return end.exitCode;
    } finally {
      clearInterval(ticking);
      await this.#close(reason);
      this.#store.update({ isLeaving: true, dialog: undefined });
      this.#store.flush();
      await new Promise((resolve) => setImmediate(resolve));
      screen.unmount();
      this.#terminal.leave();
      if (reason === 'exit') writeText(stdout, this.#farewell(), io.style);
      for (const name of signalNames) process.off(name, onSignal);
    }
  }

  /** Everything that can wait until the prompt is on the screen. */
  async #start(): Promise<void> {
    const { agent: options, loadAgent, decideTrust } = this.#options;
    const ask: AskDialog = (dialog) => this.#asker.ask(dialog);
    const trusting = decideTrust(ask);
    const open = async (session: SessionChoice): Promise<Agent> =>
      (await loadAgent())({
        ...options,
        session,
        isInteractive: true,
        isProjectTrusted: await trusting,
        approve: (request) => this.#asker.approve(request),
        askUser: (question, signal) =>
          this.#asker.askUser(question, signal, async (mode) => this.#agent?.setMode(mode)),
        sinks: [(event) => this.#hear(event)],
      });
    const opening = openOrCopy(options.session, open, ask);
    void readHistory(this.#history).then((history) =>
      this.#store.update({ editor: { ...this.#store.get().editor, history } }),
    );
    void this.#readBranch();
    this.#agent = await opening;
    const { pending } = this.#store.get();
    this.#store.update({ agent: this.#agent.state, pending: [] });
    for (const prompt of pending) this.#submit(prompt);
  }

  async #readBranch(): Promise<void> {
    this.#store.update({ branch: await gitBranch(this.#agent?.state.cwd ?? this.#options.agent.cwd) });
  }

  async #close(reason: 'exit' | 'signal'): Promise<void> {
    this.#asker.close();
    if (this.#agent === undefined) return;
    this.#store.update({ hint: 'ending the session' });
    await this.#agent.close(reason);
  }

  /** Shows how to resume, if there was a prompt. */
  #farewell(): string {
    const isTalk = this.#store.get().view.finished.some(({ kind }) => kind === 'prompt');
    if (!isTalk || this.#agent === undefined) return '';
    return `${this.#options.io.style.muted(`resume with: clew chat --resume ${this.#agent.state.sessionId}`)}\n`;
  }

  #tick(): void {
    if (this.#store.get().view.busySinceMs !== undefined) this.#store.update({});
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #hear(event: AgentEvent): void {
    const { view } = this.#store.get();
    const agent = this.#agent === undefined ? {} : { agent: this.#agent.state };
    this.#store.update({ view: viewAfter(view, event), ...agent });
    if (event.type === 'turn-end' && event.agent === undefined) void this.#readBranch();
    if (event.type !== 'session-opened' || event.agent !== undefined) return;
    const { columns } = this.#store.get();
    void resumedItems(event, { style: withoutMark(this.#options.io.style), columns }).then((items) => {
      for (const item of items) this.#say(item);
    });
  }

  #say(item: Item): void {
    this.#store.update({ view: addItem(this.#store.get().view, item) });
  }

  #showError(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#store.update({ view: addNotice(this.#store.get().view, 'error', text) });
  }

  #press(key: Key): void {
    const { dialog, hint, editor } = this.#store.get();
    const isTwice = key.name === this.#lastKey.name && Date.now() - this.#lastKey.atMs < twiceMs;
    this.#lastKey = { name: isTwice ? '' : key.name, atMs: Date.now() };
    if (hint !== '') this.#store.update({ hint: '' });
    if (dialog !== undefined) this.#asker.press(dialog, key);
    else if (key.name === 'ctrl-c') this.#pressCtrlC(isTwice);
    else if (key.name === 'escape') this.#pressEscape(isTwice);
    else if (key.name === 'shift-tab') this.#cycleMode();
    else if (key.name === 'ctrl-z') void this.#terminal.suspend().then(() => this.#store.update({}), this.#fail);
    else if (key.name === 'ctrl-d' && editor.buffer.text === '') this.#end(exitCodes.ok, 'exit');
    else if (!this.#takeBack(key)) this.#edit(key);
  }

  #pressCtrlC(isTwice: boolean): void {
    const { editor, view } = this.#store.get();
    if (isTwice) this.#end(exitCodes.ok, 'exit');
    if (editor.buffer.text !== '') this.#store.update({ editor: setText(editor, ''), suggestions: undefined });
    else if (view.busySinceMs !== undefined) this.#agent?.interrupt();
    this.#store.update({ hint: 'Ctrl-C again exits' });
  }

  #pressEscape(isTwice: boolean): void {
    const { editor, view, suggestions } = this.#store.get();
    const isEmpty = editor.buffer.text === '';
    if (suggestions !== undefined) this.#completer.dismiss();
    else if (view.busySinceMs !== undefined || view.isCompacting) this.#agent?.interrupt();
    else if (!isTwice) this.#store.update({ hint: isEmpty ? '' : 'Esc again clears the prompt' });
    else if (isEmpty) this.#submit('/rewind');
    else this.#store.update({ editor: setText(editor, '') });
  }

  #cycleMode(): void {
    const agent = this.#agent;
    if (agent === undefined) return;
    const next = cycledModes[(cycledModes.indexOf(agent.state.mode) + 1) % cycledModes.length] ?? 'default';
    agent.setMode(next).then(
      () => this.#store.update({ agent: agent.state }),
      (error) => this.#showError(error),
    );
  }

  /** Up at an empty prompt takes back the queued prompts. */
  #takeBack(key: Key): boolean {
    const { editor, pending } = this.#store.get();
    if (key.name !== 'up' || editor.buffer.text !== '') return false;
    const queued = pending.at(-1) ?? this.#agent?.unqueue();
    if (queued === undefined) return false;
    const agent = this.#agent === undefined ? {} : { agent: this.#agent.state };
    this.#store.update({ editor: setText(editor, queued), pending: pending.slice(0, -1), ...agent });
    return true;
  }

  #edit(key: Key): void {
    const completed = this.#completer.press(key);
    if (completed === 'taken') return;
    const { editor, columns } = this.#store.get();
    const edited = pressInEditor(editor, this.#withPictures(key), editorWidth(columns));
    if (edited === undefined) return;
    this.#store.update({ editor: edited.editor });
    if (edited.submitted === undefined) this.#completer.look(this.#agent?.state.commands ?? []);
    else this.#said(edited.submitted);
  }

  /** Turns the pasted path of an image into a mention that attaches it. */
  #withPictures(key: Key): Key {
    if (key.name !== 'paste') return key;
    const { buffer } = this.#store.get().editor;
    const mentions = mentionPastedPictures(key.text, this.#agent?.state.cwd ?? this.#options.agent.cwd);
    if (mentions === undefined) return key;
    const isApart = /(?:^|\s)$/.test(buffer.text.slice(0, buffer.cursor));
    return { ...key, text: isApart ? mentions : ` ${mentions}` };
  }

  #said(prompt: string): void {
    void appendHistory(this.#history, prompt);
    this.#store.update({ editor: remember(this.#store.get().editor, prompt), suggestions: undefined });
    this.#submit(prompt);
  }

  #submit(prompt: string): void {
    const agent = this.#agent;
    if (agent === undefined) {
      this.#store.update({ pending: [...this.#store.get().pending, prompt] });
      return;
    }
    const call = slashCall(prompt);
    const own = slashCommands.find(({ name }) => name === call?.name);
    const isCustom = agent.state.commands.some(({ name }) => name === call?.name);
    const work = async (): Promise<void> => {
      if (call !== undefined && own !== undefined) {
        this.#say({ kind: 'command', text: prompt });
        await own.run(this.#context(agent, call.argument));
      } else if (call !== undefined && !isCustom) {
        throw new UserError(`there is no command /${call.name}`, '/help lists them');
      } else await agent.prompt(prompt);
    };
    work()
      .catch((error: unknown) => this.#showError(error))
      .then(() => this.#store.update({ agent: agent.state }), this.#fail);
  }

  #context(agent: Agent, argument: string): ReturnType<typeof commandContext> {
    return commandContext({
      agent,
      argument,
      io: this.#options.io,
      root: this.#options.agent.root,
      columns: this.#store.get().columns,
      say: (item) => this.#say(item),
      ask: (dialog) => this.#asker.ask(dialog),
      setPrompt: (text) => this.#store.update({ editor: setText(this.#store.get().editor, text) }),
      exit: () => this.#end(exitCodes.ok, 'exit'),
    });
  }
}

function headerItem(cwd: string, { style, columns }: { style: Style; columns: number }): Item {
  const place = `${style.accent('◆')} ${style.bold(`clew ${version}`)} ${style.muted(`in ${oneLine(shortFolder(cwd), columns - 16)}`)}`;
  return { kind: 'lines', lines: [place, style.muted(`  ${oneLine('/help for commands and keys', columns - 3)}`)] };
}

const resumedRows = 12;

/** Returns nothing for a new session; for a resumed one, its last lines and its number of messages. */
async function resumedItems(
  opened: SessionOpened,
  { style, columns }: { readonly style: Style; readonly columns: number },
): Promise<readonly Item[]> {
  const { sessionId, file, messageCount } = opened;
  if (messageCount === 0) return [];
  const lines = await lastLines(file, { style, columns });
  const note: Item = { kind: 'note', text: `resuming ${sessionId}, ${counted(messageCount, 'message')} so far` };
  return lines.length === 0 ? [note] : [{ kind: 'lines', lines }, note];
}

async function lastLines(file: string, options: { style: Style; columns: number }): Promise<readonly string[]> {
  try {
    // Loaded lazily: it needs the whole session reader, which a new chat does not.
    const { previewOf } = await import('../tail/preview.ts');
    const lines = await previewOf({ path: file, project: '', root: '' }, options);
    const last = lines.slice(-resumedRows);
    return last.slice(last.findIndex((line) => line !== ''));
  } catch {
    return [];
  }
}
