// Runs the built command in a thread, one call after the other: the same bundle, arguments, environment and output as in
// a process, without the cost of starting Node each time. This file contains both sides: the tests' and the thread's.
import { createRequire } from 'node:module';
import {
  isMainThread,
  MessageChannel,
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  SHARE_ENV,
  Worker,
  workerData,
} from 'node:worker_threads';
import type { Run } from './clew.ts';
import { clew } from './dist.ts';

interface Call {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Connection {
  readonly worker: Worker;
  readonly port: MessagePort;
  /** Becomes 1 when the result was posted. */
  readonly signal: Int32Array;
}

let connection: Connection | undefined;

/** Only the main thread can change the working directory; it waits meanwhile, so nothing else is affected. */
export function runInThread(call: Call, cwd: string | undefined): Run {
  if (cwd === undefined) return ask(call);
  const before = process.cwd();
  process.chdir(cwd);
  try {
    return ask(call);
  } finally {
    process.chdir(before);
  }
}

function ask(call: Call): Run {
  connection ??= startThread();
  const { worker, port, signal } = connection;
  Atomics.store(signal, 0, 0);
  port.postMessage(call);
  // The thread may notify for the call before, after this one has reset the signal.
  while (Atomics.load(signal, 0) === 0) if (Atomics.wait(signal, 0, 0, 60_000) === 'timed-out') break;
  const answer = receiveMessageOnPort(port);
  if (answer !== undefined) return answer.message as Run;
  connection = undefined;
  void worker.terminate();
  throw new Error(`clew ${call.args.join(' ')} did not end; if it reads stdin, give it a process (isAlone)`);
}

function startThread(): Connection {
  const { port1, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  // The home folder and the time zone depend only on the environment of the process.
  const worker = new Worker(new URL(import.meta.url), {
    env: SHARE_ENV,
    workerData: { port: port2, signal },
    transferList: [port2],
  });
  worker.unref();
  port1.unref();
  return { worker, port: port1, signal };
}

/** In the thread: handles calls until its process ends. */
function answerCalls({ port, signal }: Omit<Connection, 'worker'>): void {
  const output: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].setMaxListeners(0);
    process[name]._writev = (chunks, done) => {
      for (const { chunk, encoding } of chunks) output[name].push(Buffer.from(chunk, encoding));
      done();
    };
  }
  const require = createRequire(import.meta.url);
  catchWrites(require('node:fs'), output);
  port.on('message', async ({ args, env }: Call) => {
    const before = { ...process.env };
    setEnvironment(env);
    process.argv.splice(1, Infinity, clew, ...args);
    process.exitCode = 0;
    output.stdout = [];
    output.stderr = [];
    // The first file runs again; what it loads stays loaded.
    delete require.cache[clew];
    await require(clew).ended;
    setEnvironment(before);
    const result: Run = {
      status: Number(process.exitCode),
      stdout: Buffer.concat(output.stdout).toString('utf8'),
      stderr: Buffer.concat(output.stderr).toString('utf8'),
    };
    process.exitCode = 0; // else the process of the tests would end with it
    port.postMessage(result);
    Atomics.store(signal, 0, 1);
    Atomics.notify(signal, 0);
  });
}

/** Lean commands write to the descriptors of the process, past its streams. */
function catchWrites(fs: typeof import('node:fs'), output: Record<'stdout' | 'stderr', Buffer[]>): void {
  const { writeSync } = fs;
  fs.writeSync = (descriptor: number, ...rest: readonly unknown[]) => {
    const bytes = rest[0];
    if ((descriptor !== 1 && descriptor !== 2) || !(bytes instanceof Uint8Array))
      return Reflect.apply(writeSync, fs, [descriptor, ...rest]);
    output[descriptor === 1 ? 'stdout' : 'stderr'].push(Buffer.from(bytes));
    return bytes.length;
  };
}

function setEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

if (!isMainThread && parentPort !== null && workerData?.signal !== undefined) answerCalls(workerData);
