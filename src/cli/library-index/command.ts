// clew index: brings the rows and the full text of the index up to date, and says what it read for that.

import { jsonText } from '../../base/json/index.ts';
import { counted, formatBytes, neutralise } from '../../base/text/index.ts';
import { indexPath } from '../../library/index/index.ts';
import { stateFolder } from '../../store/index.ts';
import type { CommandInput } from '../command/index.ts';
import { bringTextUpToDate, withIndex } from '../input/index.ts';
import { writeOut } from '../terminal/index.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  await withIndex(
    input,
    async (database, rows) => {
      const text = bringTextUpToDate(input, database);
      const { files, filesRead, bytesRead, rowsWritten } = rows;
      const report = {
        files,
        filesRead,
        bytesRead,
        rowsWritten,
        textBytes: text.bytesRead,
        unread: input.unread.problems,
      };
      if (flags.json === true) return writeOut([`${jsonText(report, 2)}\n`], io);
      const lines = [
        `${counted(files, 'transcript')}, ${counted(filesRead, 'of them new or changed', 'of them new or changed')}`,
        `${formatBytes(bytesRead)} read for sessions, calls and usage, ${counted(rowsWritten, 'row')} written`,
        `${formatBytes(text.bytesRead)} read for the full text, ${counted(text.documentsWritten, 'document')} written`,
        io.style.muted(neutralise(indexPath(stateFolder(io.env)))),
      ];
      await writeOut([`${lines.join('\n')}\n`], io);
    },
    { mustBeOnDisk: true },
  );
}
