// The index, brought up to date for the roots of a call, for as long as a command works with it.
import { systemErrorCode, UserError } from '../base/errors.ts';
import type { Database } from '../library/database.ts';
import { type IndexReport, updateRows } from '../library/indexer.ts';
import { indexError, indexPath, openIndex } from '../library/schema.ts';
import { diskError } from '../store/disk.ts';
import type { DiskProblem } from '../store/folders.ts';
import { stateFolder } from '../store/roots.ts';
import type { CommandInput } from './command.ts';
import { writeNotice } from './notice.ts';
import { rootsOf } from './session-argument.ts';
import { showProgress } from './terminal/progress.ts';

export async function withIndex<T>(
  input: CommandInput,
  work: (database: Database, report: IndexReport) => Promise<T> | T,
): Promise<T> {
  const { stderr, env } = input.io;
  const roots = rootsOf(input);
  const folder = stateFolder(env);
  const database = openIndex({ folder, onNotice: (message) => writeNotice(stderr, message) });
  const progress = showProgress({ stderr, label: 'reading sessions' });
  try {
    const onProgress = ({ bytesDone, bytesTotal }: { bytesDone: number; bytesTotal: number }): void =>
      progress.update(bytesDone, bytesTotal);
    const report = updateRows(database, { roots, onProgress });
    progress.end();
    for (const problem of report.problems) writeNotice(stderr, problemText(problem));
    return await work(database, report);
  } catch (error) {
    // What the work itself could not read or write is no fault of the index.
    throw isOfDatabase(error) ? indexError(error, indexPath(folder)) : error;
  } finally {
    progress.end();
    database.close();
  }
}

export function problemText({ path, code }: DiskProblem): string {
  const error = diskError(Object.assign(new Error(code), { code }), 'read', path);
  return error instanceof UserError ? error.message : `cannot read ${path} (${code})`;
}

export function isOfDatabase(error: unknown): boolean {
  return /SQLITE/.test(systemErrorCode(error) ?? '');
}
