// Converts a PDF file to a document block: the whole file, or a PDF of the wanted pages. The pages are counted before the
// file is sent, because the API refuses a damaged file in every request of the session.
import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolderSync } from '../../../base/files/index.ts';
import type { JsonObject } from '../../../base/json/index.ts';
import { counted, formatBytes } from '../../../base/text/index.ts';
import type { CallContext, ToolOutcome } from '../../contract/index.ts';
import { type ExtractedPages, readPages } from '../../media/index.ts';
import { limits, ToolFailure } from '../shared/index.ts';
import { type FoundFile, readWhole } from './file-access.ts';

export function isPdf({ file }: FoundFile): boolean {
  return /\.pdf$/i.test(file);
}

export async function readPdf(
  context: CallContext,
  handle: FileHandle,
  found: FoundFile,
  pages: string | undefined,
): Promise<ToolOutcome> {
  const range = readRange(pages);
  const bytes = await readWhole(handle, found, limits.pdf.fileBytes);
  if (bytes.length === 0) throw new ToolFailure(`${found.file} is empty: it has the name of a PDF, but no bytes.`);
  if (!bytes.subarray(0, 1024).includes('%PDF-'))
    throw new ToolFailure(
      `${found.file} is not a PDF: it lacks the mark %PDF- at its beginning. Look at it with Bash: file, or head -c 500.`,
    );
  const read = await readPages(bytes, range);
  if ('problem' in read)
    throw new ToolFailure(
      `${found.file} cannot be read as a PDF: ${read.problem}. Repair it with Bash if a program is there (qpdf, mutool clean), take its text with pdftotext, or ask for another copy.`,
    );
  if (range === undefined && read.total > limits.pdf.wholePages)
    throw new ToolFailure(
      `${found.file} has ${read.total} pages, more than ${limits.pdf.wholePages}: name those to read, such as pages: "1-${limits.pdf.wholePages}". At most ${limits.pdf.pages} at a time.`,
    );
  if (read.count === 0)
    throw new ToolFailure(`${found.file} has only ${counted(read.total, 'page')}: pages "${pages}" are not in it.`);
  if (read.bytes.length > limits.pdf.sentBytes)
    throw new ToolFailure(
      `${read.count === read.total ? found.file : `This part of ${found.file}`} is too large to be sent: ${formatBytes(read.bytes.length)}, the limit is ${formatBytes(limits.pdf.sentBytes)}. ${read.count === 1 ? 'Take its text with pdftotext in Bash.' : 'Read fewer pages at a time.'}`,
    );
  return range === undefined ? showWhole(found, bytes) : showPart(context, found, read, range.first);
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** `undefined` for the whole file. */
function readRange(pages: string | undefined): Range | undefined {
  if (pages === undefined || pages.trim() === '') return undefined;
  const match = /^\s*(\d{1,7})\s*(?:(-)\s*(\d{1,7})?)?\s*$/.exec(pages);
  const first = Number(match?.[1] ?? 0);
  const isOpen = match?.[2] !== undefined && match[3] === undefined;
  const last = isOpen ? Number.POSITIVE_INFINITY : Number(match?.[3] ?? first);
  if (first < 1 || last < first)
    throw new ToolFailure(
      `pages "${pages.slice(0, 100)}" is not a page or a range: give one page ("3") or one range ("1-5"), counted from 1. Read several ranges with several calls.`,
    );
  if (last - first >= limits.pdf.pages)
    throw new ToolFailure(`pages "${pages}" are more than ${limits.pdf.pages} pages. Use a smaller range.`);
  return { first, last };
}

function showWhole(found: FoundFile, bytes: Buffer): ToolOutcome {
  const base64 = bytes.toString('base64');
  return {
    content: [
      { type: 'text', text: `PDF file read: ${found.file} (${formatBytes(bytes.length)})` },
      documentBlock(base64),
    ],
    isError: false,
    stored: { type: 'pdf', file: { filePath: found.file, base64, originalSize: bytes.length } },
  };
}

async function showPart(
  { workspace }: CallContext,
  found: FoundFile,
  { bytes, total, count }: ExtractedPages,
  first: number,
): Promise<ToolOutcome> {
  const last = first + count - 1;
  const outputDir = path.join(workspace.sessionDir, 'tool-results', `pdf-${randomUUID()}`);
  makeFolderSync(outputDir);
  await writeFile(path.join(outputDir, `pages-${first}-${last}.pdf`), bytes, { flag: 'wx', mode: 0o600 });
  const text = `PDF pages ${first} to ${last} of ${total}: ${found.file} (${formatBytes(found.sizeBytes)})`;
  return {
    content: [{ type: 'text', text }, documentBlock(bytes.toString('base64'))],
    isError: false,
    stored: {
      type: 'parts',
      file: { filePath: found.file, originalSize: found.sizeBytes, outputDir, count },
      firstPage: first,
    },
  };
}

function documentBlock(data: string): JsonObject {
  return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } };
}
