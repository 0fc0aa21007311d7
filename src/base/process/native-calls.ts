// Node aborts the whole process when a worker thread is terminated inside a native call of libsql. So a worker marks its
// native calls in shared memory, and `terminateWorker` waits for the call that is running and prevents the next one.
import type { Worker } from 'node:worker_threads';

const inCall = 0;
const isStopping = 1;
const pollMs = 2;

/** Set in workers by `shareNativeCalls`; the main thread is never terminated. */
let shared: Int32Array | undefined;

export function newNativeCallState(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(8));
}

/** Called in a worker before its first native call. */
export function shareNativeCalls(state: Int32Array): void {
  shared = state;
}

export function nativeCall<T>(call: () => T): T {
  if (shared === undefined) return call();
  Atomics.store(shared, inCall, 1);
  try {
    if (Atomics.load(shared, isStopping) === 1) waitForTermination(shared);
    return call();
  } finally {
    Atomics.store(shared, inCall, 0);
  }
}

/** Throwing instead would look like a broken database. */
function waitForTermination(state: Int32Array): void {
  Atomics.store(state, inCall, 0);
  Atomics.wait(state, isStopping, 1);
}

export async function terminateWorker(worker: Worker, state: Int32Array): Promise<void> {
  Atomics.store(state, isStopping, 1);
  while (Atomics.load(state, inCall) === 1) await new Promise((resolve) => setTimeout(resolve, pollMs));
  await worker.terminate();
}
