// clew index: brings the rows and the full text of the index up to date, and says what it read for that.

import { jsonText } from '../../base/json/json-text.ts';
import { neutralise } from '../../base/text/hostile-text.ts';
import { counted, formatBytes } from '../../base/text/human.ts';
import { indexPath } from '../../library/index/schema.ts';
import { stateFolder } from '../../store/roots.ts';
import type { CommandInput } from '../command/command.ts';
import { bringTextUpToDate, withIndex } from '../input/current-index.ts';
import { writeOut } from '../terminal/output.ts';

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
