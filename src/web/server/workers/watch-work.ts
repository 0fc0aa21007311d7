// A worker that reports every transcript that changes below the roots. It has a thread of its own: the first scan of ten
// thousand files would delay the first answers of any other.
import { watchLibrary } from '../../../library/watch/index.ts';
import type { ThreadSetup } from './thread.ts';
import type { Emit, WorkerMethods } from './worker-methods.ts';

export function watchMethods({ roots }: Pick<ThreadSetup, 'roots'>, emit: Emit<'watch'>): WorkerMethods['watch'] {
  return {
    watch: () => {
      const onNotice = (message: string): void => emit('notice', message);
      watchLibrary(roots, (paths) => emit('changed', paths), new AbortController().signal, { onNotice });
      emit('watching', null);
    },
  };
}
