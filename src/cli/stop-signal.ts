// Ctrl-C, a kill or a closed terminal → one signal that a command which runs on and on ends by, in its own order.

export interface StopSignal {
  readonly signal: AbortSignal;
  /** From here on the system's signals end the work; before, they end the process, as they do by themselves. */
  listen(): void;
  /** Ends the work from inside. */
  stop(): void;
  /** Gives the system's signals their own meaning back. */
  dispose(): void;
}

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function createStop(): StopSignal {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  return {
    signal: controller.signal,
    listen: () => {
      for (const name of names) process.on(name, stop);
    },
    stop,
    dispose: () => {
      for (const name of names) process.off(name, stop);
    },
  };
}
