// The roots → the list of their sessions; what could not be read is reported on stderr.
import type { Database } from '../../library/index/database.ts';
import { listSessions, type SessionList } from '../../library/index/session-list.ts';
import type { ReadSummaries } from '../../library/index/session-summaries.ts';
import type { CommandInput } from '../command/command.ts';
import { writeNotice } from '../terminal/notice.ts';
import { showProgress } from '../terminal/progress.ts';
import { withIndex } from './current-index.ts';
import { rootsOf } from './session.ts';

export function currentSessions(input: CommandInput): Promise<SessionList> {
  return withIndex(input, (database, _, summaries) => sessionsIn(database, input, summaries), { withSummaries: true });
}

/** The same from an open, current index. */
export async function sessionsIn(
  database: Database,
  input: CommandInput,
  summaries: ReadSummaries,
): Promise<SessionList> {
  const { stderr } = input.io;
  const progress = showProgress({ stderr, label: 'counting turns' });
  try {
    const onProgress = ({ bytesDone, bytesTotal }: { bytesDone: number; bytesTotal: number }): void =>
      progress.update(bytesDone, bytesTotal);
    const list = listSessions(database, { roots: rootsOf(input), onProgress, summaries });
    progress.end();
    for (const file of list.foreign) writeNotice(stderr, `skipped ${file}: it is not a Claude Code transcript`);
    input.unread.add(list.problems);
    return list;
  } finally {
    progress.end();
  }
}
