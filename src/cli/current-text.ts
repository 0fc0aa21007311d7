// Updates the full-text index for the roots, with a progress bar.
import type { Database } from '../library/database.ts';
import { type TextReport, updateText } from '../library/text-indexer.ts';
import type { CommandInput } from './command.ts';
import { rootsOf } from './roots-argument.ts';
import { showProgress } from './terminal/progress.ts';

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
