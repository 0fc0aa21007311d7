// What was counted in all transcripts of the roots, brought up to date.

import { UsageStore } from '../../library/usage/index.ts';
import type { PriceList } from '../../models/index.ts';
import { stateFolder } from '../../store/index.ts';
import type { CommandInput } from '../command/index.ts';
import { showProgress, writeNotice } from '../terminal/index.ts';
import { rootsOf } from './session.ts';

/** If nothing can be kept on the disk, every call reads all sessions, which is slower. */
export function currentUsage(input: CommandInput, prices: PriceList): UsageStore {
  const { stderr, env } = input.io;
  const store = new UsageStore({ folder: stateFolder(env), roots: rootsOf(input) });
  const progress = showProgress({ stderr, label: 'reading sessions' });
  try {
    const { problems, saveError } = store.update({
      prices,
      onProgress: ({ bytesDone, bytesTotal }) => progress.update(bytesDone, bytesTotal),
    });
    progress.end();
    input.unread.add(problems);
    if (saveError !== undefined) writeNotice(stderr, `${saveError.message}; until then every call reads all sessions`);
    return store;
  } finally {
    progress.end();
  }
}
