// Runs jobs in a worker thread, one at a time, with limits on time and memory: a decoder that hangs or traps on a damaged
// file ends with its thread.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { MediaAnswer, MediaJob } from './job.ts';

/** The GIF decoder never ends on some damaged files, and is fast on others. */
const timeoutOf = (job: MediaJob): number => (job.kind === 'image' && job.type === 'image/gif' ? 8000 : 30_000);
const memoryMb = 1024;
/** A thread that has nothing to do for so long ends: loading the decoders again takes a third of a second. */
const idleMs = 5000;

let thread: Worker | undefined;
let idle: NodeJS.Timeout | undefined;
let last: Promise<unknown> = Promise.resolve();

/** Never rejects. */
export async function runMediaJob<J extends MediaJob>(
  job: J,
  timeoutMs: number = timeoutOf(job),
): Promise<MediaAnswer<J>> {
  const turn = last.then(() => runInThread(job, timeoutMs));
  last = turn;
  return turn;
}

function runInThread<J extends MediaJob>(job: J, timeoutMs: number): Promise<MediaAnswer<J>> {
  clearTimeout(idle);
  thread ??= startThread();
  const worker = thread;
  return new Promise((resolve) => {
    const settle = (answer: MediaAnswer<J>, isUsable: boolean): void => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      worker.unref();
      if (isUsable) idle = setTimeout(endThread, idleMs).unref();
      else endThread();
      resolve(answer);
    };
    const fail = (problem: string): void => settle({ problem }, false);
    const onMessage = (answer: MediaAnswer<J>): void => settle(answer, !('problem' in answer));
    const onError = (error: Error): void => fail(`its data is damaged (${firstLine(error)})`);
    const onExit = (): void => fail('the decoder ended without a result');
    const timer = setTimeout(() => fail(`it took longer than ${timeoutMs / 1000} s`), timeoutMs);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.ref();
    worker.postMessage(job);
  });
}

function startThread(): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: memoryMb };
  const worker = new Worker(workerFile(), { env: {}, resourceLimits, stdout: true, stderr: true });
  // Without a listener, a failure between two jobs would end the process.
  worker.on('error', () => {
    if (thread === worker) thread = undefined;
  });
  return worker;
}

function endThread(): void {
  void thread?.terminate();
  thread = undefined;
}

function firstLine({ message }: Error): string {
  return (message.split('\n')[0] ?? '').slice(0, 200);
}

/** Next to this file if only compiled; in a bundle, this code is in a chunk one folder below the worker. */
function workerFile(): URL {
  const places = ['./media-worker.js', './media-worker.mjs', '../media-worker.mjs'];
  const files = places.map((name) => new URL(name, import.meta.url));
  const found = files.find((file) => existsSync(fileURLToPath(file)));
  if (found === undefined) throw new Error(`no worker file next to ${import.meta.url}`);
  return found;
}
