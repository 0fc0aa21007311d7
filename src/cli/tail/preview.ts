// The last lines of a session. Only the end of the transcript is read, so that the size does not matter.
import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegularFile } from '../../base/files/index.ts';
import type { ListedSession } from '../../library/index/index.ts';
import { type NewRecord, recordsOf } from '../../library/watch/index.ts';
import { readLineBatches } from '../../store/index.ts';
import type { Style } from '../terminal/index.ts';
import { TailText } from './render.ts';

export interface PreviewOptions {
  readonly columns: number;
  readonly style: Style;
}

const firstBytes = 128 * 1024;
const mostBytes = 8 * 1024 * 1024;

/** As many lines as the end of the file has; none if it has no text. */
export async function previewOf(
  session: Pick<ListedSession, 'path' | 'project' | 'root'>,
  { columns, style }: PreviewOptions,
): Promise<readonly string[]> {
  for (let bytes = firstBytes; ; bytes *= 8) {
    const { records, isWhole } = lastRecords(session, bytes);
    const tail = new TailText({ style, width: () => columns, isExcerpt: true });
    const texts: string[] = [];
    for await (const text of tail.render(records)) texts.push(text);
    if (texts.length > 0 || isWhole || bytes >= mostBytes) return texts.join('').trimEnd().split('\n');
  }
}

function lastRecords(
  session: Pick<ListedSession, 'path' | 'project' | 'root'>,
  bytes: number,
): { records: NewRecord[]; isWhole: boolean } {
  const { path, project: slug, root } = session;
  const place = { path, mainPath: path, agentId: undefined, slug, root };
  const start = lineStartNear(path, bytes);
  const records: NewRecord[] = [];
  for (const batch of readLineBatches(path, { from: { offset: start, number: 1 } })) {
    for (const line of batch) {
      if (line.length <= mostBytes) records.push(...recordsOf(place, line.bytes, line.offset));
    }
  }
  return { records: records.filter(({ head }) => !head.isSidechain), isWhole: start === 0 };
}

/** The start of the first whole line in the last `bytes` of a file. */
function lineStartNear(path: string, bytes: number): number {
  const file = openRegularFile(path);
  try {
    const { size } = fstatSync(file);
    if (size <= bytes) return 0;
    const buffer = Buffer.alloc(bytes);
    const length = readSync(file, buffer, 0, bytes, size - bytes);
    const at = buffer.subarray(0, length).indexOf(0x0a);
    return at < 0 ? size : size - bytes + at + 1;
  } finally {
    closeSync(file);
  }
}
