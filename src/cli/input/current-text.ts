// Updates the full-text index for the roots, with a progress bar.
import type { Database } from '../../library/index/database.ts';
import { type TextReport, updateText } from '../../library/search/text-indexer.ts';
import type { CommandInput } from '../command/command.ts';
import { showProgress } from '../terminal/progress.ts';
import { rootsOf } from './session.ts';

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
