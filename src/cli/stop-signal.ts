// Ctrl-C, a kill or a closed terminal → one signal that a command which runs on and on ends by, in its own order. The
// reason of that signal is the name of the system's.

export interface StopSignal {
  readonly signal: AbortSignal;
  /** From here on the system's signals end the work; before, they end the process, as they do by themselves. */
  listen(): void;
  /** Ends the work from inside; `reason` as if that signal had come. */
  stop(reason?: string): void;
  /** Gives the system's signals their own meaning back. */
  dispose(): void;
}

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function createStop(): StopSignal {
  const controller = new AbortController();
  const stop = (reason?: string): void => controller.abort(reason);
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
