// The entry of every worker thread: its role decides which methods it has.
import { parentPort, workerData } from 'node:worker_threads';
import { collectGarbage, shareNativeCalls } from '../../../base/process/index.ts';
import type { StoreChoice } from '../../../team/source/index.ts';
import { failureOf, isEncoded } from '../protocol/index.ts';
import type { Message, Question, ThreadSetup, WorkerSetup } from './thread.ts';
import type { Emit, Role, WorkerMethods } from './worker-methods.ts';

const port = parentPort;
if (port !== null) await serve(workerData as WorkerSetup); // set by Thread

async function serve({ nativeCalls, ...setup }: WorkerSetup): Promise<void> {
  shareNativeCalls(nativeCalls);
  const methods = await methodsFor(setup, (name, value) => send({ kind: 'event', name, value }));
  port?.on('message', async ({ id, method, params }: Question) => {
    try {
      const call = methods[method as keyof typeof methods] as (params: unknown) => unknown; // see `Thread.ask`
      const value = await call(params);
      if (id !== 0) sendAnswer(id, value);
      collectWhenIdle();
    } catch (error) {
      const stack = error instanceof Error ? (error.stack ?? '') : String(error);
      send({ kind: 'failure', id, failure: failureOf(error), stack });
    }
  });
}

const idleMs = 1_000;
const muchBytes = 24 * 1024 * 1024;
let idle: NodeJS.Timeout | undefined;
let keptBytes = 0;

/** Counting the whole library leaves 100 MB of garbage, an append to a long session 20 MB; then nothing may run for hours. */
function collectWhenIdle(): void {
  clearTimeout(idle);
  idle = setTimeout(() => {
    if (process.memoryUsage().heapUsed - keptBytes < muchBytes) return;
    collectGarbage();
    keptBytes = process.memoryUsage().heapUsed;
  }, idleMs).unref();
}

async function methodsFor(setup: ThreadSetup, emit: Emit<Role>): Promise<WorkerMethods[Role]> {
  return setup.store === undefined ? localMethods(setup, emit) : storedMethods(setup, setup.store, emit);
}

/** The code of the store is loaded only for a store. */
async function storedMethods(setup: ThreadSetup, store: StoreChoice, emit: Emit<Role>): Promise<WorkerMethods[Role]> {
  switch (setup.role) {
    case 'index':
      return (await import('./stored-index-work.ts')).storedIndexMethods(store, emit);
    case 'reader':
      return (await import('./stored-reader-work.ts')).storedReaderMethods(setup, store);
    case 'doctor':
      return (await import('./stored-doctor-work.ts')).storedDoctorMethods();
    case 'watch':
      return { watch: () => {} }; // there are no files to watch
    default:
      return setup.role satisfies never;
  }
}

async function localMethods(setup: ThreadSetup, emit: Emit<Role>): Promise<WorkerMethods[Role]> {
  switch (setup.role) {
    case 'index':
      return (await import('./index-work.ts')).indexMethods(setup, emit);
    case 'reader':
      return (await import('./reader-work.ts')).readerMethods(setup);
    case 'watch':
      return (await import('./watch-work.ts')).watchMethods(setup, emit);
    case 'doctor':
      return (await import('./doctor-work.ts')).doctorMethods(setup, emit);
    default:
      return setup.role satisfies never;
  }
}

function sendAnswer(id: number, value: unknown): void {
  const answer = isEncoded(value) ? value : { type: 'application/json', bytes: encode(value) };
  // A buffer that is not shared can be transferred instead of copied.
  const bytes = Uint8Array.from(answer.bytes);
  port?.postMessage({ kind: 'answer', id, answer: { ...answer, bytes } } satisfies Message, [bytes.buffer]);
}

function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value ?? null));
}

function send(message: Message): void {
  port?.postMessage(message);
}
