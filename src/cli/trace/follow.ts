// clew trace follow: traces all sessions live, without a hook. A turn counts as ended when its answer is complete and
// nothing was written for a while.
import path from 'node:path';
import { watchLibrary } from '../../library/watch/index.ts';
import { projectsFolders, transcriptPlace } from '../../store/index.ts';
import { sendOutbox } from '../../trace/outbox/index.ts';
import {
  createTraceContext,
  isSettled,
  recoverSessions,
  type TraceContext,
  traceSession,
} from '../../trace/session/index.ts';
import { logFailure } from '../../trace/state/index.ts';
import type { CommandInput } from '../command/index.ts';
import { rootsOf } from '../input/index.ts';
import { createStop, writeNotice } from '../terminal/index.ts';
import { neededConfigOf } from './trace-config.ts';

const quietMs = 5_000;
const sendMs = 60_000;

export async function run(input: CommandInput): Promise<void> {
  const { io } = input;
  const context = createTraceContext(io.env, neededConfigOf(input));
  const roots = rootsOf(input);
  const { signal, listen, dispose } = createStop();
  const follower = new Follower(context, (message) => writeNotice(io.stderr, message), signal);
  listen();
  try {
    await recoverSessions(context);
    watchLibrary(roots, (paths) => follower.onChange(mainsOf(paths, roots)), signal);
    writeNotice(io.stderr, `tracing sessions in ${roots.join(' and ')}; press Ctrl-C to stop`);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await follower.end();
  } finally {
    dispose();
  }
}

function mainsOf(paths: readonly string[], roots: readonly string[]): readonly string[] {
  const folders = projectsFolders(roots);
  return [...new Set(paths.flatMap((each) => transcriptPlace(each, folders)?.mainPath ?? []))];
}

class Follower {
  readonly #context: TraceContext;
  readonly #notice: (message: string) => void;
  readonly #signal: AbortSignal;
  readonly #quiet = new Map<string, NodeJS.Timeout>();
  #work: Promise<void> = Promise.resolve();

  constructor(context: TraceContext, notice: (message: string) => void, signal: AbortSignal) {
    this.#context = context;
    this.#notice = notice;
    this.#signal = signal;
  }

  onChange(files: readonly string[]): void {
    for (const file of files) {
      clearTimeout(this.#quiet.get(file));
      this.#quiet.set(
        file,
        setTimeout(() => this.#trace(file, isSettled(file, undefined)), quietMs),
      );
      this.#trace(file, false);
    }
  }

  /** Finishes the current work; unsent batches stay in the outbox. */
  async end(): Promise<void> {
    for (const timer of this.#quiet.values()) clearTimeout(timer);
    await this.#work;
  }

  /** Sequential, so that a session is not read twice at once. */
  #trace(file: string, isQuiet: boolean): void {
    this.#work = this.#work.then(async () => {
      const { places, config } = this.#context;
      const sessionId = path.basename(file, '.jsonl');
      const run = { file, sessionId, atEnd: isQuiet ? 'turn' : undefined, endMs: undefined, fromStart: false } as const;
      try {
        const { spans } = await traceSession(run, this.#context);
        if (spans === 0) return;
        const { destinations } = config;
        await sendOutbox({ places, destinations, endMs: Date.now() + sendMs, signal: this.#signal });
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        logFailure(places.log, `follow ${sessionId}`, error);
        this.#notice(`${sessionId}: ${message}`);
      }
    });
  }
}
