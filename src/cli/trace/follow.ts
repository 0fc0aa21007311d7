// clew trace follow: traces all sessions as they go on, for those who set up no hook. Nobody says here that a turn is at
// its end: it is taken to be when its answer is complete and nothing was written for a while.
import path from 'node:path';
import { placeOf } from '../../library/transcript-files.ts';
import { watchLibrary } from '../../library/watch.ts';
import { projectsFolders } from '../../store/roots.ts';
import { createTraceContext, type TraceContext } from '../../trace/context.ts';
import { logFailure } from '../../trace/log.ts';
import { recoverSessions } from '../../trace/recover.ts';
import { sendOutbox } from '../../trace/send.ts';
import { isSettled } from '../../trace/settle.ts';
import { traceSession } from '../../trace/trace-session.ts';
import type { CommandInput } from '../command.ts';
import { writeNotice } from '../notice.ts';
import { rootsOf } from '../roots-argument.ts';
import { createStop } from '../stop-signal.ts';
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
    watchLibrary(roots, (paths) => follower.hear(mainsOf(paths, roots)), signal);
    writeNotice(io.stderr, `tracing what is written below ${roots.join(' and ')}; Ctrl-C ends it`);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await follower.end();
  } finally {
    dispose();
  }
}

function mainsOf(paths: readonly string[], roots: readonly string[]): readonly string[] {
  const folders = projectsFolders(roots);
  return [...new Set(paths.flatMap((each) => placeOf(each, folders)?.mainPath ?? []))];
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

  hear(files: readonly string[]): void {
    for (const file of files) {
      clearTimeout(this.#quiet.get(file));
      this.#quiet.set(
        file,
        setTimeout(() => this.#trace(file, isSettled(file, undefined)), quietMs),
      );
      this.#trace(file, false);
    }
  }

  /** What was begun is finished; what waits to be sent stays in the outbox. */
  async end(): Promise<void> {
    for (const timer of this.#quiet.values()) clearTimeout(timer);
    await this.#work;
  }

  /** One after the other: the same session must not be read twice at once, and the machine has other things to do. */
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
