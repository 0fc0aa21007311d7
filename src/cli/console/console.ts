// The interactive agent: takes keys and agent events and updates the store that the screen draws. It opens the agent
// after the prompt is on the screen, so that the user can type at once, and restores the terminal on every way out.
import type { ReadStream, WriteStream } from 'node:tty';
import type { Agent, AgentEvent, AgentOptions, PermissionMode, SessionChoice } from '../../agent/contract/index.ts';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import type { CommandIo } from '../command/index.ts';
import { type Key, withoutMark, writeText } from '../terminal/index.ts';
import { Asker } from './asker.ts';
import { Attention } from './attention.ts';
import { Away, editFile, editText } from './away/index.ts';
import { ChatTerminal } from './chat-terminal.ts';
import { commandContext, slashCall, slashCommands } from './commands/index.ts';
import { type AskDialog, openOrCopy } from './dialog/index.ts';
import {
  foldPastes,
  gitBranch,
  isShellCommand,
  noPastes,
  replaceText,
  type Submitted,
  setText,
  wholeText,
} from './input/index.ts';
import { headerItem, resumedItems } from './opening-items.ts';
import { PromptLine } from './prompt-line.ts';
import { ConsoleStore, initialConsole, type MountedScreen, mountScreen } from './screen/index.ts';
import { addItem, addNotice, type Item, viewAfter } from './transcript/index.ts';
import { UserShell } from './user-shell.ts';

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
  readonly #prompt: PromptLine;
  readonly #shell: UserShell;
  readonly #asker: Asker;
  readonly #away: Away;
  #attention: Attention | undefined;
  #screen: MountedScreen | undefined;
  #agent: Agent | undefined;
  #agents: readonly string[] = [];
  /** From the command line: never a shell command, because a script may have composed it. */
  readonly #firstPrompt: Submitted | undefined;
  #lastKey = { name: '', atMs: 0 };
  #end: (exitCode: number, reason: 'exit' | 'signal') => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(options: ConsoleOptions) {
    this.#options = options;
    const { stdout, stdin, io, agent } = options;
    const size = { columns: stdout.columns || 80, rows: stdout.rows || 24, nowMs: Date.now() };
    const view = addItem(initialConsole.view, headerItem(agent.cwd, { ...io, ...size }));
    const first = options.firstPrompt;
    const pending = first === undefined ? [] : [{ shown: first, text: first, pastes: noPastes }];
    this.#firstPrompt = pending[0];
    this.#store = new ConsoleStore({ ...initialConsole, ...size, view, pending });
    this.#asker = new Asker(this.#store);
    this.#prompt = new PromptLine(this.#store, agent.cwd, io.env);
    this.#shell = new UserShell({ store: this.#store, onError: (error) => this.#showError(error) });
    this.#terminal = new ChatTerminal(stdin, stdout, {
      onKey: (key) => this.#guard(() => this.#press(key)),
      onGone: () => this.#end(128 + signalNumbers.SIGHUP, 'signal'),
    });
    const { style } = io;
    const screen = () => this.#screen;
    this.#away = new Away({ store: this.#store, stdin, stdout, style, terminal: this.#terminal, screen });
  }

  async run(): Promise<number> {
    const { stdin, stdout, stderr, io, agent } = this.#options;
    const ended = new Promise<{ exitCode: number; reason: 'exit' | 'signal' }>((resolve, reject) => {
      this.#end = (exitCode, reason) => resolve({ exitCode, reason });
      this.#fail = reject;
    });
    const onSignal = (name: NodeJS.Signals): void => {
      // The terminal sends Ctrl-C to all programs that run in it: it is for the editor.
      if (name === 'SIGINT' && this.#away.isLent) return;
      this.#end(128 + (signalNumbers[name as keyof typeof signalNumbers] ?? 0), 'signal');
    };
    for (const name of signalNames) process.on(name, onSignal);
    this.#terminal.enter();
    const write = (codes: string): void => this.#terminal.write(codes);
    this.#attention = new Attention({ store: this.#store, env: io.env, cwd: agent.cwd, write });
    const style = withoutMark(io.style);
    this.#screen = mountScreen(this.#store, { stdin, stdout, stderr, style, cwd: agent.cwd });
    const ticking = setInterval(() => this.#tick(), tickMs);
    setImmediate(() => this.#start().catch(this.#fail));
    let reason: 'exit' | 'signal' = 'signal';
    try {
      const end = await ended;
      reason = end.reason;
      return end.exitCode;
    } finally {
      clearInterval(ticking);
      await this.#away.close();
      await this.#close(reason);
      this.#store.update({ isLeaving: true, dialog: undefined });
      this.#store.flush();
      await new Promise((resolve) => setImmediate(resolve));
      this.#screen.unmount();
      this.#attention.close();
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
    void this.#prompt.loadHistory();
    void this.#readBranch();
    void this.#attention?.readSettings(options.root);
    this.#agent = await opening;
    const { pending } = this.#store.get();
    this.#store.update({ agent: this.#agent.state, pending: [] });
    for (const prompt of pending) this.#submit(prompt);
  }

  async #readBranch(): Promise<void> {
    this.#store.update({ branch: await gitBranch(this.#cwd) });
  }

  get #cwd(): string {
    return this.#agent?.state.cwd ?? this.#options.agent.cwd;
  }

  async #close(reason: 'exit' | 'signal'): Promise<void> {
    this.#asker.close();
    this.#shell.stop();
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
    const { view, shell } = this.#store.get();
    if (view.busySinceMs !== undefined || shell !== undefined) this.#store.update({});
    if (this.#agent !== undefined) this.#shell.startNext(this.#agent);
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
    this.#agents = event.agents;
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
    if (key.name === 'focus-in' || key.name === 'focus-out') {
      this.#attention?.setFocus(key.name === 'focus-in');
      return;
    }
    if (this.#away.press(key)) return;
    const { dialog, hint, search, isHelp } = this.#store.get();
    const isTwice = key.name === this.#lastKey.name && Date.now() - this.#lastKey.atMs < twiceMs;
    this.#lastKey = { name: isTwice ? '' : key.name, atMs: Date.now() };
    if (hint !== '') this.#store.update({ hint: '' });
    if (key.name === 'ctrl-o') this.#showTranscript();
    else if (key.name === 'ctrl-l') this.#screen?.redraw();
    else if (dialog !== undefined) this.#asker.press(dialog, key);
    else if (search !== undefined) this.#prompt.press(key, this.#agent?.state);
    else if (isHelp && closesHelp(key)) this.#store.update({ isHelp: false });
    else this.#pressInChat(key, isTwice);
  }

  #pressInChat(key: Key, isTwice: boolean): void {
    const { editor, isHelp } = this.#store.get();
    const isEmpty = editor.buffer.text === '';
    if (isHelp) this.#store.update({ isHelp: false });
    if (key.name === 'ctrl-c') this.#pressCtrlC(isTwice);
    else if (key.name === 'escape') this.#pressEscape(isTwice);
    else if (key.name === 'shift-tab') this.#cycleMode();
    else if (key.name === 'ctrl-z') void this.#terminal.suspend().then(() => this.#store.update({}), this.#fail);
    else if (key.name === 'ctrl-g') void this.#editPrompt();
    else if (key.name === 'ctrl-d' && isEmpty) this.#end(exitCodes.ok, 'exit');
    else if (key.name === 'text' && key.text === '?' && isEmpty) this.#store.update({ isHelp: true });
    else if (!this.#takeBack(key)) {
      const submitted = this.#prompt.press(key, this.#agent?.state);
      if (submitted !== undefined) this.#submit(submitted);
    }
  }

  #pressCtrlC(isTwice: boolean): void {
    const { editor, view } = this.#store.get();
    if (isTwice) this.#end(exitCodes.ok, 'exit');
    if (editor.buffer.text !== '') this.#store.update({ editor: replaceText(editor, ''), suggestions: undefined });
    else if (!this.#shell.stop() && view.busySinceMs !== undefined) this.#agent?.interrupt();
    this.#store.update({ hint: 'Ctrl-C again exits' });
  }

  #pressEscape(isTwice: boolean): void {
    const { editor, view, suggestions } = this.#store.get();
    const isEmpty = editor.buffer.text === '';
    if (suggestions !== undefined) this.#prompt.dismissSuggestions();
    else if (this.#shell.stop()) return;
    else if (view.busySinceMs !== undefined || view.isCompacting) this.#agent?.interrupt();
    else if (!isTwice) this.#store.update({ hint: isEmpty ? '' : 'Esc again clears the prompt' });
    else if (isEmpty) this.#submit({ shown: '/rewind', text: '/rewind', pastes: noPastes });
    else this.#store.update({ editor: replaceText(editor, '') });
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

  #showTranscript(): void {
    this.#away.showTranscript(() => {
      const isTalk = this.#store.get().view.finished.some(({ kind }) => talkKinds.has(kind));
      return isTalk ? this.#agent?.state.file : undefined;
    });
  }

  /** The pastes are in the file as text, and fold again if they come back unchanged. */
  async #editPrompt(): Promise<void> {
    const { editor } = this.#store.get();
    try {
      const place = { env: this.#options.io.env, cwd: this.#cwd };
      const text = await this.#away.lend((signal) => editText(wholeText(editor), { ...place, signal }));
      const { shown, pastes } = foldPastes(text, editor.pastes);
      this.#store.update({ editor: replaceText(this.#store.get().editor, shown, pastes), suggestions: undefined });
    } catch (error) {
      this.#showError(error);
    }
  }

  /** Up at an empty prompt takes back the queued prompts. */
  #takeBack(key: Key): boolean {
    const { editor, pending, view } = this.#store.get();
    if (key.name !== 'up' || editor.buffer.text !== '') return false;
    const waiting = pending.at(-1);
    const queued = this.#shell.takeBack() ?? waiting?.shown ?? this.#agent?.unqueue();
    if (queued === undefined) return false;
    const agent = this.#agent === undefined ? {} : { agent: this.#agent.state };
    const entry = editor.history.findLast(({ text }) => text === (view.folded.get(queued) ?? queued));
    const taken = entry === undefined ? setText(editor, queued) : setText(editor, entry.text, entry.pastes);
    this.#store.update({ editor: taken, pending: pending.slice(0, -1), ...agent });
    return true;
  }

  /** A prompt of the command line, or one that was typed. */
  #submit(typed: Submitted): void {
    const { shown, text } = typed;
    const agent = this.#agent;
    if (agent === undefined) {
      this.#store.update({ pending: [...this.#store.get().pending, typed] });
      return;
    }
    if (isShellCommand(shown) && typed !== this.#firstPrompt) {
      this.#shell.submit(text, agent);
      return;
    }
    this.#answer(agent, shown, text)
      .catch((error: unknown) => this.#showError(error))
      .then(() => this.#store.update({ agent: agent.state }), this.#fail);
  }

  async #answer(agent: Agent, shown: string, text: string): Promise<void> {
    const call = slashCall(text);
    const own = slashCommands.find(({ name }) => name === call?.name);
    const isCustom = agent.state.commands.some(({ name }) => name === call?.name);
    if (call !== undefined && own !== undefined) {
      if (own.isPrompt !== true) this.#say({ kind: 'command', text: shown });
      await own.run(this.#context(agent, call.argument));
    } else if (call !== undefined && !isCustom) {
      throw new UserError(`there is no command /${call.name}`, '/help lists them');
    } else await agent.prompt(text);
  }

  #context(agent: Agent, argument: string): ReturnType<typeof commandContext> {
    const { io, agent: options, stdin, stdout } = this.#options;
    return commandContext({
      agent,
      argument,
      io,
      root: options.root,
      columns: this.#store.get().columns,
      agents: this.#agents,
      say: (item) => this.#say(item),
      ask: (dialog) => this.#asker.ask(dialog),
      setPrompt: (text) => this.#store.update({ editor: setText(this.#store.get().editor, text) }),
      prompt: (text, shown) => {
        const { view } = this.#store.get();
        this.#store.update({ view: { ...view, folded: new Map(view.folded).set(text, shown) } });
        return agent.prompt(text);
      },
      pickSession: (input) =>
        this.#away.lend(async (signal) => {
          const { pickSession } = await import('../picker/picker.ts');
          return pickSession(input, { stdin, stdout }, signal);
        }),
      editFile: (file) => this.#away.lend((signal) => editFile(file, { env: io.env, cwd: this.#cwd, signal })),
      copy: (text) => this.#terminal.copy(text),
      exit: () => this.#end(exitCodes.ok, 'exit'),
    });
  }
}

const talkKinds: ReadonlySet<Item['kind']> = new Set<Item['kind']>(['prompt', 'shell', 'answer', 'call', 'lines']);

/** Other keys are for the prompt. */
function closesHelp({ name, text }: Key): boolean {
  return name === 'escape' || (name === 'text' && text === '?');
}
