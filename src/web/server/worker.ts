// The entry of every worker thread: what it was started for decides which questions it answers.
import { parentPort, workerData } from 'node:worker_threads';
import { collectGarbage } from '../../base/memory.ts';
import { shareNativeCalls } from '../../base/native-calls.ts';
import { failureOf } from './refusal.ts';
import type { Answer, Message, Question, ThreadSetup, WorkerSetup } from './thread.ts';

/** Gives what is sent as JSON, or bytes with their type. */
export type Method = (params: never) => unknown;
export type Methods = Readonly<Record<string, Method>>;
export type Tell = (name: string, value: unknown) => void;

const port = parentPort;
if (port !== null) await serve(workerData as WorkerSetup); // set by thread.ts

async function serve({ nativeCalls, ...setup }: WorkerSetup): Promise<void> {
  shareNativeCalls(nativeCalls);
  const methods = await methodsFor(setup, (name, value) => send({ kind: 'news', name, value }));
  port?.on('message', async ({ id, method, params }: Question) => {
    try {
      const value = await methods[method]?.(params as never); // both sides are checked against the same types
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

/**
 * A count of the whole library leaves a hundred megabytes behind, and nothing else may be asked for hours; each append
 * to a long session leaves twenty.
 */
function collectWhenIdle(): void {
  clearTimeout(idle);
  idle = setTimeout(() => {
    if (process.memoryUsage().heapUsed - keptBytes < muchBytes) return;
    collectGarbage();
    keptBytes = process.memoryUsage().heapUsed;
  }, idleMs).unref();
}

async function methodsFor(setup: ThreadSetup, tell: Tell): Promise<Methods> {
  switch (setup.role) {
    case 'index':
      return (await import('./index-work.ts')).indexMethods(setup, tell);
    case 'reader':
      return (await import('./reader-work.ts')).readerMethods(setup);
    case 'watch':
      return (await import('./watch-work.ts')).watchMethods(setup, tell);
    case 'doctor':
      return (await import('./doctor-work.ts')).doctorMethods(setup, tell);
    default:
      return setup.role satisfies never;
  }
}

function sendAnswer(id: number, value: unknown): void {
  const answer = isAnswer(value) ? value : { type: 'application/json', bytes: encode(value) };
  // A copy that belongs to nobody else can be handed over instead of copied again.
  const bytes = Uint8Array.from(answer.bytes);
  port?.postMessage({ kind: 'answer', id, answer: { ...answer, bytes } } satisfies Message, [bytes.buffer]);
}

function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value ?? null));
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array;
}

function send(message: Message): void {
  port?.postMessage(message);
}
