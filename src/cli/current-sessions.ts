// The roots → the list of their sessions; what could not be read is reported on stderr.
import type { Database } from '../library/database.ts';
import { listSessions, type SessionList } from '../library/session-list.ts';
import type { CommandInput } from './command.ts';
import { withIndex } from './current-index.ts';
import { writeNotice } from './notice.ts';
import { rootsOf } from './roots-argument.ts';
import { showProgress } from './terminal/progress.ts';

export function currentSessions(input: CommandInput): Promise<SessionList> {
  return withIndex(input, (database) => sessionsIn(database, input));
}

/** The same from an open, current index. */
export async function sessionsIn(database: Database, input: CommandInput): Promise<SessionList> {
  const { stderr } = input.io;
  const progress = showProgress({ stderr, label: 'counting turns' });
  try {
    const onProgress = ({ bytesDone, bytesTotal }: { bytesDone: number; bytesTotal: number }): void =>
      progress.update(bytesDone, bytesTotal);
    const list = await listSessions(database, { roots: rootsOf(input), onProgress });
    progress.end();
    for (const file of list.foreign) writeNotice(stderr, `skipped ${file}: it is not a Claude Code transcript`);
    input.unread.add(list.problems);
    return list;
  } finally {
    progress.end();
  }
}
