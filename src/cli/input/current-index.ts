// Runs work with an index that is open and current for the roots, and closes it afterwards. A broken index is rebuilt
// once, because everything in it comes from the transcripts.
import { existsSync } from 'node:fs';
import {
  type Database,
  IndexHandle,
  type IndexReport,
  IndexUnavailable,
  indexPath,
  listSessions,
  type ReadSummaries,
  type SessionList,
  updateRows,
} from '../../library/index/index.ts';
import { type TextReport, updateText } from '../../library/search/index.ts';
import { stateFolder } from '../../store/index.ts';
import type { CommandInput } from '../command/index.ts';
import { showProgress, writeNotice } from '../terminal/index.ts';
import { rootsOf } from './session.ts';

type Work<T> = (database: Database, report: IndexReport, summaries: ReadSummaries) => Promise<T> | T;

export interface IndexNeed {
  /** Reading all sessions for one call takes too long, or the index is the result. */
  readonly mustBeOnDisk?: boolean;
  /** The work lists sessions (`sessionsIn`): their summaries are made while they are read. */
  readonly withSummaries?: boolean;
  /** A command that writes nothing else does not make an index either: without one, it is in memory. */
  readonly makesNone?: boolean;
}

/**
 * If the index cannot be used because of the disk or a newer Clew, the work runs on one in memory, which is slower. The
 * work may run twice, so what it writes must not depend on running once.
 */
export async function withIndex<T>(input: CommandInput, work: Work<T>, need: IndexNeed = {}): Promise<T> {
  const { stderr, env } = input.io;
  const onNotice = (message: string): void => writeNotice(stderr, message);
  const run = async (folder: string): Promise<T> => {
    const index = new IndexHandle({ folder, onNotice });
    try {
      return await index.work((database) => attempt(input, database, work, need));
    } finally {
      index.close();
    }
  };
  try {
    const state = stateFolder(env);
    return await run(need.makesNone === true && !existsSync(indexPath(state)) ? 'memory' : state);
  } catch (error) {
    if (need.mustBeOnDisk === true || !(error instanceof IndexUnavailable)) throw error;
    onNotice(`${error.message}; until then every call reads all sessions`);
    return run('memory');
  }
}

async function attempt<T>(
  input: CommandInput,
  database: Database,
  work: Work<T>,
  { withSummaries = false }: IndexNeed,
): Promise<T> {
  const { stderr } = input.io;
  const roots = rootsOf(input);
  const progress = showProgress({ stderr, label: 'reading sessions' });
  const summaries: ReadSummaries = new Map();
  try {
    const report = updateRows(database, {
      roots,
      ...(withSummaries && { summaries }),
      onProgress: ({ bytesDone, bytesTotal }) => progress.update(bytesDone, bytesTotal),
    });
    progress.end();
    input.unread.add(report.problems);
    return await work(database, report, summaries);
  } finally {
    progress.end();
  }
}

export function bringTextUpToDate(input: CommandInput, database: Database): TextReport {
  const { stderr } = input.io;
  const bar = showProgress({ stderr, label: 'indexing their text' });
  const report = updateText(database, {
    roots: rootsOf(input),
    onProgress: ({ bytesDone, bytesTotal }) => bar.update(bytesDone, bytesTotal),
  });
  bar.end();
  input.unread.add(report.problems);
  return report;
}

export function currentSessions(input: CommandInput, need: IndexNeed = {}): Promise<SessionList> {
  const work: Work<SessionList> = (database, _, summaries) => sessionsIn(database, input, summaries);
  return withIndex(input, work, { ...need, withSummaries: true });
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
