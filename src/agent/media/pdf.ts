// A PDF file → its number of pages, or a PDF of some of its pages. It is parsed in a worker thread, because a damaged or
// hostile file may take any time and memory.
import type { MediaProblem } from './image.ts';
import { runMediaJob } from './run-job.ts';

export interface ExtractedPages {
  /** Pages of the whole file. */
  readonly total: number;
  /** A PDF of the wanted pages; the file itself if all were wanted. */
  readonly bytes: Buffer;
  readonly count: number;
}

/** `pages`: first and last, from 1; the last may be beyond the end. */
export async function readPages(
  bytes: Buffer,
  pages?: { readonly first: number; readonly last: number },
): Promise<ExtractedPages | MediaProblem> {
  const answer = await runMediaJob({ kind: 'pdf', bytes, ...(pages === undefined ? {} : { pages }) });
  return 'problem' in answer ? answer : { ...answer, bytes: Buffer.from(answer.bytes) };
}
