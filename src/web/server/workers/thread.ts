// The server's side of a worker thread. Reading, counting and searching are synchronous and may take seconds, so they run
// in workers; answers come back as bytes that are ready to send.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { newNativeCallState, terminateWorker } from '../../../base/process/index.ts';
import type { StoreChoice } from '../../../team/source/index.ts';
import { type Encoded, Refusal, type StatusFailure } from '../protocol/index.ts';
import type { EventHandlers, Params, Result, Role, WorkerMethods } from './worker-methods.ts';

export interface ThreadSetup<R extends Role = Role> {
  readonly role: R;
  readonly roots: readonly string[];
  /** Clew's own state folder. */
  readonly state: string;
  readonly isDemo: boolean;
  /** For sessions that are only in the archive or in a store; the server removes it. */
  readonly archivedFolder: string;
  /** The sessions are those of a store, instead of those below the roots. */
  readonly store?: StoreChoice | undefined;
}

/** What a worker gets when it starts. */
export interface WorkerSetup extends ThreadSetup {
  /** For `shareNativeCalls`. */
  readonly nativeCalls: Int32Array;
}

/** From the server to the worker: `id` 0 wants no answer. */
export interface Question {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

/** From the worker to the server. */
export type Message =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Encoded<unknown> }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: StatusFailure; readonly stack: string }
  | { readonly kind: 'event'; readonly name: string; readonly value: unknown };

export interface ThreadOptions<R extends Role> {
  readonly env: NodeJS.ProcessEnv;
  readonly on: EventHandlers<R>;
  /** Bugs, with their stack. */
  onFault(message: string): void;
  /** A method that `begin` calls, and calls again in every worker that replaces one that died. */
  readonly task?: keyof WorkerMethods[R] & string;
}

interface Waiting {
  resolve(answer: Encoded<unknown>): void;
  reject(error: Error): void;
}

/** The default young generation of every thread would take more memory than everything else. */
const youngMb = 16;
/** The pause before a restart doubles while the worker keeps dying. */
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;

/** Starts its worker at the first question, and a new one after a worker died, which fails its open questions. */
export class Thread<R extends Role> {
  readonly #setup: ThreadSetup<R>;
  readonly #options: ThreadOptions<R>;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #nativeCalls = newNativeCallState();
  #lastId = 0;
  #isClosed = false;
  #hasBegun = false;
  #pauseMs = firstPauseMs;
  #pause: NodeJS.Timeout | undefined;

  constructor(setup: ThreadSetup<R>, options: ThreadOptions<R>) {
    this.#setup = setup;
    this.#options = options;
  }

  /** The answer as the bytes of a response. */
  ask<M extends keyof WorkerMethods[R] & string>(method: M, params: Params<R, M>): Promise<Encoded<Result<R, M>>> {
    if (this.#isClosed) return Promise.reject(new Refusal(503, 'the server is stopping'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      // The worker is checked against the same types.
      this.#waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
      this.#post({ id, method, params });
    });
  }

  async askValue<M extends keyof WorkerMethods[R] & string>(method: M, params: Params<R, M>): Promise<Result<R, M>> {
    const { bytes } = await this.ask(method, params);
    return JSON.parse(Buffer.from(bytes).toString('utf8')); // the worker is checked against the same types
  }

  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  /** Loads the worker's code before the first question. */
  start(): void {
    if (!this.#isClosed) this.#worker ??= this.#startWorker();
  }

  /** Without an answer. */
  send<M extends keyof WorkerMethods[R] & string>(method: M, params: Params<R, M>): void {
    if (!this.#isClosed) this.#post({ id: 0, method, params });
  }

  /** Runs the task until the thread is closed. */
  begin(): void {
    this.#hasBegun = true;
    const { task } = this.#options;
    if (task !== undefined && !this.#isClosed) this.#post({ id: 0, method: task, params: {} });
  }

  /** For tests: the worker ends as after a fault. */
  async killWorker(): Promise<void> {
    await this.#terminate();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#pause);
    this.#fail(new Refusal(503, 'the server is stopping'));
    await this.#terminate();
  }

  async #terminate(): Promise<void> {
    if (this.#worker !== undefined) await terminateWorker(this.#worker, this.#nativeCalls);
  }

  #post(question: Question): void {
    this.#worker ??= this.#startWorker();
    this.#worker.postMessage(question);
  }

  #startWorker(): Worker {
    this.#nativeCalls = newNativeCallState();
    const worker = new Worker(workerFile(), {
      workerData: { ...this.#setup, nativeCalls: this.#nativeCalls } satisfies WorkerSetup,
      env: this.#options.env,
      resourceLimits: { maxYoungGenerationSizeMb: youngMb },
    });
    worker.on('message', (message: Message) => this.#receive(message));
    worker.on('error', (error) => this.#options.onFault(error.stack ?? String(error)));
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#fail(new Refusal(500, 'internal error', 'see the terminal where clew open runs'));
      this.#beginAgain();
    });
    return worker;
  }

  #beginAgain(): void {
    if (this.#isClosed || !this.#hasBegun) return;
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.begin(), this.#pauseMs).unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs);
  }

  #receive(message: Message): void {
    if (message.kind === 'event') {
      const handle = this.#options.on[message.name as keyof EventHandlers<R>]; // `Emit` sends only these
      handle(message.value as never);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'answer') waiting?.resolve(message.answer);
    else {
      const { status, error, next } = message.failure;
      if (status === 500) this.#options.onFault(message.stack);
      waiting?.reject(new Refusal(status, error, next));
    }
  }

  #fail(error: Error): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}

/** Next to this file if only compiled; in a bundle, this code is in a chunk one folder below the worker. */
function workerFile(): URL {
  const places = ['./worker.js', './web-worker.mjs', '../web-worker.mjs'].map((name) => new URL(name, import.meta.url));
  const found = places.find((place) => existsSync(fileURLToPath(place)));
  if (found === undefined) throw new Error(`no worker file next to ${import.meta.url}`);
  return found;
}
