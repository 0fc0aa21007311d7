// The process of an instance that forwards. It outlives the one that takes requests: if that is killed, it finishes the requests
// that are on their way, because nobody else could know whether the server has them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Forwarding } from '../../team/gateway/index.ts';
import type { Destination } from '../../trace/config/index.ts';
import { programFile } from '../input/index.ts';

/** The first message. It has passwords and keys, which a command line would show. */
export interface ForwardingTask {
  readonly address: string;
  readonly destinations: readonly Destination[];
}

/** What follows. */
export type ForwardingMessage = 'kick' | 'stop';

/** How long its requests may take after the end of the instance. Orchestrators kill after 30 seconds. */
export const graceMs = 25_000;

const restartMs = 1_000;

export function startForwardingProcess(task: ForwardingTask, log: (line: string) => void): Forwarding {
  let isStopping = false;
  let child: ChildProcess;
  const post = (message: ForwardingMessage | ForwardingTask): void => {
    if (child.connected) child.send(message, () => {}); // without a channel it has ended, or is about to
  };
  const start = (): void => {
    // In a group of its own: what ends the group of the instance does not end it.
    child = spawn(process.execPath, [programFile, 'team', 'gateway', 'forward'], {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    child.stderr?.pipe(process.stderr, { end: false });
    child.once('error', (error) => log(`the forwarding process cannot be started: ${error.message}`));
    child.once('close', (code, signal) => {
      if (isStopping) return;
      log(`the forwarding process ended (${signal ?? code}); another one is started`);
      setTimeout(() => {
        if (!isStopping) start();
      }, restartMs);
    });
    post(task);
  };
  start();
  return {
    kick: () => post('kick'),
    stop: async (stopMs) => {
      isStopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'close');
      post('stop');
      await Promise.race([ended, delay(stopMs, undefined, { ref: false })]);
    },
  };
}
