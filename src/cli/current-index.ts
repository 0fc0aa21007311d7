// A command that needs the index → the index, up to date: opened, brought up to date for the roots of the call, and
// closed when the work is done. What could not be read is said on stderr; long work shows a bar there.
import { formatBytes } from '../base/human.ts';
import type { Database } from '../library/database.ts';
import { type IndexProgress, type IndexReport, updateRows } from '../library/indexer.ts';
import { indexError, indexPath, openIndex } from '../library/schema.ts';
import { stateFolder } from '../store/roots.ts';
import type { CommandInput } from './command.ts';
import { writeNotice } from './notice.ts';
import { rootsOf } from './roots-argument.ts';
import type { OutputStream } from './terminal/output.ts';

export async function withIndex<T>(
  input: CommandInput,
  work: (database: Database, report: IndexReport) => Promise<T> | T,
): Promise<T> {
  const { stderr, env } = input.io;
  const roots = rootsOf(input);
  const folder = stateFolder(env);
  const database = openIndex({ folder, onNotice: (message) => writeNotice(stderr, message) });
  try {
    const bar = progressBar(stderr);
    const report = updateRows(database, { roots, onProgress: bar.show });
    bar.clear();
    for (const { path, code } of report.problems) writeNotice(stderr, `cannot read ${path} (${code})`);
    return await work(database, report);
  } catch (error) {
    throw indexError(error, indexPath(folder));
  } finally {
    database.close();
  }
}

const barCells = 24;
/** Work of a moment shows nothing. */
const longBytes = 64 * 1024 * 1024;

function progressBar(stderr: OutputStream): { show(progress: IndexProgress): void; clear(): void } {
  let isShown = false;
  return {
    show: ({ bytesDone, bytesTotal }) => {
      if (stderr.isTTY !== true || bytesTotal < longBytes) return;
      isShown = true;
      const done = Math.min(1, bytesDone / bytesTotal);
      const cells = Math.round(done * barCells);
      const bar = '█'.repeat(cells) + '░'.repeat(barCells - cells);
      stderr.write(`\r\x1b[Kreading sessions ${bar} ${Math.floor(done * 100)} % of ${formatBytes(bytesTotal)}`);
    },
    clear: () => {
      if (isShown) stderr.write('\r\x1b[K');
    },
  };
}
