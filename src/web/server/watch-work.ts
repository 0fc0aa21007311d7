// A worker: the roots → news of every transcript that changes. By itself, because the first look at ten thousand files
// would hold up the server's first answers, and any other thread is busy just when there is something to report.
import { watchLibrary } from '../../library/watch.ts';
import type { ThreadSetup } from './thread.ts';
import type { Methods, Tell } from './worker.ts';

/** News of this worker, by name. */
export interface WatchNews {
  readonly changed: readonly string[];
  /** From here on nothing is missed. */
  readonly watching: null;
  readonly notice: string;
}

export function watchMethods({ roots }: ThreadSetup, tell: Tell): Methods {
  return {
    /** Until the thread is ended. */
    watch: () => {
      const onNotice = (message: string): void => tell('notice', message);
      watchLibrary(roots, (paths) => tell('changed', paths), new AbortController().signal, { onNotice });
      tell('watching', null);
    },
  };
}
