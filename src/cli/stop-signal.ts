// Ctrl-C, a kill or a closed terminal → one signal that a command which runs on and on ends by, in its own order.

export interface StopSignal {
  readonly signal: AbortSignal;
  /** Ends the work from inside. */
  stop(): void;
  /** Gives the system's signals their own meaning back. */
  dispose(): void;
}

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function listenForStop(): StopSignal {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  for (const name of names) process.on(name, stop);
  return {
    signal: controller.signal,
    stop,
    dispose: () => {
      for (const name of names) process.off(name, stop);
    },
  };
}
