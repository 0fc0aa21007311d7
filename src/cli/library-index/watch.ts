// clew watch: keeps the index current until it is stopped, and says line by line what it took in.
import path from 'node:path';
import { jsonText } from '../../base/json/index.ts';
import { AsyncQueue } from '../../base/process/index.ts';
import { counted, formatBytes, neutralise } from '../../base/text/index.ts';
import type { IndexReport } from '../../library/index/index.ts';
import { keepCurrent } from '../../library/watch/index.ts';
import { stateFolder } from '../../store/index.ts';
import type { CommandInput } from '../command/index.ts';
import { rootsOf } from '../input/index.ts';
import { clockTime } from '../render/index.ts';
import { createStop, showProgress, writeNotice, writeOut } from '../terminal/index.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const roots = rootsOf(input);
  const { signal, listen, stop, dispose } = createStop();
  const lines = new AsyncQueue<string>();
  const output = writeOut(lines, io).finally(stop);
  output.catch(() => {}); // it is awaited below, once the index is closed
  const progress = showProgress({ stderr: io.stderr, label: 'reading sessions' });
  let isFirst = true;
  try {
    await keepCurrent({
      folder: stateFolder(io.env),
      roots,
      signal,
      onNotice: (message) => writeNotice(io.stderr, message),
      onProgress: ({ bytesDone, bytesTotal }) => progress.update(bytesDone, bytesTotal),
      onUpdate: (report, files) => {
        progress.end();
        // The first reading may be long, and it can be cut off at any time: until it is done, Ctrl-C ends the process.
        if (isFirst) listen();
        isFirst = false;
        if (files === undefined && flags.quiet !== true) {
          writeNotice(io.stderr, `watching ${counted(report.files, 'transcript')}; press Ctrl-C to stop`);
        }
        if (flags.quiet === true || report.filesRead + report.filesGone === 0) return;
        lines.push(flags.json === true ? `${jsonText(updateJson(report, files))}\n` : updateLine(report, files));
      },
    });
  } finally {
    lines.end();
    dispose();
  }
  await output;
}

function updateJson(report: IndexReport, files: readonly string[] | undefined): object {
  const { filesRead, filesGone, bytesRead, rowsWritten } = report;
  return { time: new Date().toISOString(), files: files ?? null, filesRead, filesGone, bytesRead, rowsWritten };
}

function updateLine(report: IndexReport, files: readonly string[] | undefined): string {
  const [only] = files ?? [];
  const count = report.filesRead + report.filesGone;
  const what = only !== undefined && files?.length === 1 ? nameOf(only) : counted(count, 'transcript');
  const facts = [
    ...(report.filesRead === 0 ? [] : [`${formatBytes(report.bytesRead)} read, ${counted(report.rowsWritten, 'row')}`]),
    ...(report.filesGone === 0 ? [] : [`${report.filesGone === 1 ? '' : `${report.filesGone} `}gone`]),
  ];
  return `${clockTime(Date.now())}  ${what}  ${facts.join(', ')}\n`;
}

/** `-home-ada-lighthouse/3f2b8c1e`, and after it the agent where it is one. */
function nameOf(file: string): string {
  const parts = neutralise(file).split(path.sep);
  const at = parts.lastIndexOf('subagents');
  const [slug = '', session = ''] = at < 0 ? parts.slice(-2) : parts.slice(at - 2, at);
  const agent = at < 0 ? '' : ` ↳ ${parts.at(-1)?.replace(/\.jsonl$/, '')}`;
  return `${slug}/${session.replace(/\.jsonl$/, '').slice(0, 8)}${agent}`;
}
