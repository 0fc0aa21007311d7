// `clew` without arguments on a terminal: lists all sessions with a filter and a preview. Enter shows a session, Ctrl-R
// resumes it, Ctrl-F forks it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { ReadStream, WriteStream } from 'node:tty';
import { exitCodes } from '../../base/errors/index.ts';
import { findProgram } from '../../base/process/index.ts';
import { oneLine } from '../../base/text/index.ts';
import type { ListedSession, SessionList } from '../../library/index/index.ts';
import { findRelations, readJobs } from '../../library/lineage/index.ts';
import { type CommandInput, type CommandIo, Unread } from '../command/index.ts';
import { currentSessions, madeByReader, originMarks, rootsOf } from '../input/index.ts';
import { lastUse } from '../ls/index.ts';
import { previewOf } from '../tail/index.ts';
import { KeyReader, Screen, withoutMark, writeNotice } from '../terminal/index.ts';
import { frameOf, layOut, makeEntry, type PickerEntry, SessionFilter } from './layout.ts';
import { initialState, type PickerAction, type PickerState, press } from './state.ts';

export interface PickerStreams {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
}

export async function runPicker(io: CommandIo, streams: PickerStreams): Promise<number> {
  const input: CommandInput = { argument: undefined, words: [], flags: {}, io, unread: new Unread(io.stderr) };
  const list = await currentSessions(input);
  if (list.sessions.length === 0) {
    const where = rootsOf(input).join(' and ');
    writeNotice(io.stderr, `no sessions in ${where}; clew ls --demo shows the bundled ones`);
    return exitCodes.ok;
  }
  const choice = await new Picker(entriesOf(list, input), io, streams).choose();
  if (choice === undefined) return exitCodes.ok;
  if ('resume' in choice) return runResume(choice.resume);
  const { run } = 'fork' in choice ? await import('../reshape/fork.ts') : await import('../show/command.ts');
  const argument = 'fork' in choice ? choice.fork : choice.show;
  await run({ ...input, argument, words: [argument] });
  return exitCodes.ok;
}

/**
 * The same list, to choose a session; `undefined` if none was chosen. `signal`: the program that asks handles the system
 * signals and ends the choice.
 */
export async function pickSession(
  input: CommandInput,
  streams: PickerStreams,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const list = await currentSessions(input);
  if (list.sessions.length === 0) return undefined;
  const choice = await new Picker(entriesOf(list, input), input.io, streams, true).choose(signal);
  return choice !== undefined && 'show' in choice ? choice.show : undefined;
}

function entriesOf({ sessions }: SessionList, input: CommandInput): readonly PickerEntry[] {
  const relations = findRelations(sessions, { jobs: readJobs(rootsOf(input)), madeBy: madeByReader(input.io) });
  const marksOf = ({ tag, path }: ListedSession): string => originMarks(tag, undefined, relations.of(path));
  return [...sessions].sort((a, b) => lastUse(b) - lastUse(a)).map((session) => makeEntry(session, marksOf(session)));
}

type Choice =
  | { readonly show: string }
  | { readonly fork: string }
  | { readonly resume: Exclude<ReturnType<typeof planResume>, { problem: string }> };

/** Longer than a key takes to repeat: the preview is read when the selection rests. */
const restMs = 60;
const escapeMs = 50;

class Picker {
  readonly #entries: readonly PickerEntry[];
  readonly #filter: SessionFilter;
  readonly #io: CommandIo;
  readonly #streams: PickerStreams;
  #screen: Screen;
  /** Every key that acts on a session chooses it. */
  readonly #isChoosing: boolean;
  readonly #keys = new KeyReader();
  #state: PickerState = initialState;
  #top = 0;
  #preview: { readonly path: string; readonly columns: number; readonly lines: readonly string[] } | undefined;
  #restTimer: NodeJS.Timeout | undefined;
  #escapeTimer: NodeJS.Timeout | undefined;
  #end: (choice: Choice | undefined) => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(entries: readonly PickerEntry[], io: CommandIo, streams: PickerStreams, isChoosing = false) {
    this.#isChoosing = isChoosing;
    this.#screen = new Screen(streams.stdin, streams.stdout);
    this.#entries = entries;
    this.#filter = new SessionFilter(entries);
    this.#io = io;
    this.#streams = streams;
  }

  async choose(signal?: AbortSignal): Promise<Choice | undefined> {
    const { stdin, stdout } = this.#streams;
    this.#screen = new Screen(stdin, stdout, { endsProcess: signal === undefined });
    const chosen = new Promise<Choice | undefined>((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    const onData = (text: string): void => this.#guard(() => this.#hear(text));
    const onResize = (): void => this.#guard(() => this.#redraw());
    const onEnd = (): void => this.#end(undefined);
    signal?.addEventListener('abort', onEnd, { once: true });
    try {
      this.#screen.enter();
      stdin.on('data', onData).on('end', onEnd);
      stdout.on('resize', onResize);
      this.#draw();
      return await chosen;
    } finally {
      clearTimeout(this.#restTimer);
      clearTimeout(this.#escapeTimer);
      signal?.removeEventListener('abort', onEnd);
      stdin.off('data', onData).off('end', onEnd);
      stdout.off('resize', onResize);
      this.#screen.leave();
    }
  }

  /** An error in an event ends the picker, after the terminal is restored. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #hear(text: string): void {
    clearTimeout(this.#escapeTimer);
    for (const key of this.#keys.push(text)) this.#press(key);
    if (!this.#keys.isWaiting) return;
    this.#escapeTimer = setTimeout(() => {
      this.#guard(() => {
        for (const key of this.#keys.settle()) this.#press(key);
      });
    }, escapeMs);
  }

  #press(key: Parameters<typeof press>[1]): void {
    const { columns, rows } = this.#size();
    const context = {
      count: (query: string) => this.#filter.matches(query).length,
      pageRows: frameOf(columns, rows).listRows,
    };
    const { state, action } = press(this.#state, key, context);
    this.#state = state;
    if (action !== undefined) this.#act(action);
    this.#draw();
  }

  #act(action: PickerAction): void {
    const session = this.#chosen()?.session;
    const isOfSession = action === 'resume' || action === 'fork';
    const meant = this.#isChoosing && isOfSession ? 'show' : action;
    switch (meant) {
      case 'quit':
        this.#end(undefined);
        return;
      case 'suspend':
        this.#screen.suspend().then(() => this.#guard(() => this.#redraw()), this.#fail);
        return;
      case 'show':
        if (session !== undefined) this.#end({ show: session.path });
        return;
      case 'fork':
        if (session !== undefined) this.#end({ fork: session.path });
        return;
      case 'resume': {
        if (session === undefined) return;
        const plan = planResume(session, this.#io.env);
        if ('problem' in plan) this.#state = { ...this.#state, message: plan.problem };
        else this.#end({ resume: plan });
        return;
      }
      default:
        meant satisfies never;
    }
  }

  #chosen(): PickerEntry | undefined {
    return this.#filter.matches(this.#state.query)[this.#state.selected];
  }

  #size(): { columns: number; rows: number } {
    const { columns = 80, rows = 24 } = this.#streams.stdout;
    return { columns, rows };
  }

  #redraw(): void {
    this.#screen.clear();
    this.#draw();
  }

  #draw(): void {
    const { columns, rows } = this.#size();
    const { previewColumns, previewRows } = frameOf(columns, rows);
    const path = this.#chosen()?.session.path;
    const isCurrent = this.#preview?.path === path && this.#preview?.columns === previewColumns;
    const screen = layOut({
      state: this.#state,
      matches: this.#filter.matches(this.#state.query),
      total: this.#entries.length,
      top: this.#top,
      isChoosing: this.#isChoosing,
      preview: isCurrent ? this.#preview?.lines : undefined,
      columns,
      rows,
      nowMs: Date.now(),
      style: withoutMark(this.#io.style),
    });
    this.#top = screen.top;
    this.#screen.draw(screen);
    if (!isCurrent && previewRows > 0) this.#readPreviewSoon(previewColumns);
  }

  #readPreviewSoon(columns: number): void {
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => {
      const session = this.#chosen()?.session;
      if (session === undefined) return;
      const keep = (lines: readonly string[]): void => {
        this.#preview = { path: session.path, columns, lines };
        this.#guard(() => this.#draw());
      };
      // A session that can no longer be read can still be chosen: showing it reports the reason.
      previewOf(session, { columns, style: withoutMark(this.#io.style) }).then(keep, () => keep(['(cannot be read)']));
    }, restMs);
  }
}

export interface Resume {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** `problem` is one line. */
function planResume(session: ListedSession, env: NodeJS.ProcessEnv): Resume | { readonly problem: string } {
  const { sessionId, cwd, root } = session;
  const program = findProgram('claude', env);
  if (program === undefined) return { problem: 'Claude Code is not installed: `claude` is not on PATH' };
  if (cwd === undefined) return { problem: 'the session does not name its folder' };
  // The client finds only sessions of its working directory.
  if (!isFolder(cwd)) return { problem: `its folder does not exist: ${oneLine(cwd, 200)}` };
  return { program, args: ['--resume', sessionId], cwd, env: { ...env, ...rootFor(root, env) } };
}

/** The exit code of the client. */
async function runResume({ program, args, cwd, env }: Resume): Promise<number> {
  const child = spawn(program, [...args], { cwd, env, stdio: 'inherit' });
  // The child handles Ctrl-C.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return code ?? 1;
  } finally {
    process.off('SIGINT', ignore);
  }
}

/** The client needs to know the root to find a session there. */
function rootFor(root: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const usual = env.CLAUDE_CONFIG_DIR ?? path.join(homedir(), '.claude');
  return path.resolve(usual) === path.resolve(root) ? {} : { CLAUDE_CONFIG_DIR: root };
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}
