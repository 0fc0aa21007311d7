// The index as every command wants it: open, current for the roots of the call, and closed again. An index that turns
// out to be broken is made anew once: everything in it can be read again.

import type { Database } from '../library/database.ts';
import { type IndexReport, updateRows } from '../library/indexer.ts';
import { indexError, indexPath, isBroken, openIndex, removeIndex } from '../library/schema.ts';
import { stateFolder } from '../store/roots.ts';
import type { CommandInput } from './command.ts';
import { writeNotice } from './notice.ts';
import { rootsOf } from './session-argument.ts';
import { startProgress } from './terminal/progress.ts';

export async function withIndex<T>(
  input: CommandInput,
  work: (database: Database, report: IndexReport) => Promise<T> | T,
): Promise<T> {
  const folder = stateFolder(input.io.env);
  const file = indexPath(folder);
  try {
    try {
      return await attempt(input, folder, work);
    } catch (error) {
      if (!isBroken(error)) throw error;
      writeNotice(input.io.stderr, 'the index was damaged and is made anew');
      removeIndex(file);
      return await attempt(input, folder, work);
    }
  } catch (error) {
    throw indexError(error, file);
  }
}

async function attempt<T>(
  input: CommandInput,
  folder: string,
  work: (database: Database, report: IndexReport) => Promise<T> | T,
): Promise<T> {
  const { stderr } = input.io;
  const roots = rootsOf(input);
  const database = openIndex({ folder, onNotice: (message) => writeNotice(stderr, message) });
  try {
    const bar = startProgress(stderr, 'reading sessions');
    const report = updateRows(database, {
      roots,
      onProgress: ({ bytesDone, bytesTotal }) => bar.update(bytesDone, bytesTotal),
    });
    bar.end();
    for (const problem of report.problems) writeNotice(stderr, `cannot read ${problem.path} (${problem.code})`);
    return await work(database, report);
  } finally {
    database.close();
  }
}
