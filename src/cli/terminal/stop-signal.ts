// Ctrl-C, a kill or a closed terminal → an AbortSignal that lets a long-running command end in order. Its reason is the
// name of the system signal.

export interface StopSignal {
  readonly signal: AbortSignal;
  /** From now on system signals abort `signal` instead of ending the process. */
  listen(): void;
  /** Aborts `signal` without a system signal. */
  stop(reason?: string): void;
  /** System signals end the process again. */
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
