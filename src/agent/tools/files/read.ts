// The Read tool: returns numbered lines, the cells of a notebook, or an image or document block. The hash of the content
// is remembered, so that Edit and Write notice when the file has changed since.

import type { FileHandle } from 'node:fs/promises';
import * as z from 'zod';
import { formatBytes } from '../../../base/text/index.ts';
import type { CallContext, Tool, ToolOutcome } from '../../contract/index.ts';
import { defineTool, limits, pathSchema, resolvePath, ToolFailure } from '../shared/index.ts';
import { type FoundFile, linkNote, readWhole, sha256, withFile } from './file-access.ts';
import { decodeText, encodingNames, type FileText, looksBinary } from './file-text.ts';
import { isNotebook, showNotebook } from './notebook.ts';
import { readImage } from './read-image.ts';
import { isPdf, readPdf } from './read-pdf.ts';

const maxLine = 1_000_000_000;
const lineNumber = z.number().int().min(-maxLine).max(maxLine);

const schema = z.object({
  file_path: pathSchema.describe('The absolute path of the file'),
  // As in the client, a start before the file means its beginning, and a number of lines below 1 means all.
  offset: lineNumber.optional().describe('The line to start at, counted from 1'),
  limit: lineNumber.optional().describe('How many lines; as many as fit if not given'),
  pages: z
    .string()
    .max(100)
    .optional()
    .describe(`Only for PDF files: the pages, such as "1-5" or "3"; at most ${limits.pdf.pages}`),
  allow_large: z.boolean().optional().describe('Show more of a long text at once; only if all of it is really needed'),
});

type ReadInput = z.infer<typeof schema>;

export const readTool: Tool = defineTool({
  name: 'Read',
  description: [
    'Shows a file of the local disk, each line with its number.',
    `- Without offset and limit: from the beginning, up to ${limits.read.totalChars} characters. Where something is left out, the result says how to go on.`,
    '- The number and the tab in front of a line are not part of the file.',
    `- PNG, JPEG, GIF and WebP files are shown as pictures, notebooks (.ipynb) cell by cell with their outputs. PDF files are shown whole up to ${limits.pdf.wholePages} pages; of longer ones give pages.`,
    '- A file must be read before Write or NotebookEdit may change it.',
    '- Several files can be read in one answer. Folders cannot be read: use Glob, or ls in Bash.',
  ].join('\n'),
  schema,
  isReadOnly: true,
  run: async (input, context) => {
    const file = resolvePath(context.workspace, input.file_path);
    return withFile(context, 'read', file, async (handle, found) => {
      const image = await readImage(handle, found);
      if (image !== undefined) return image;
      if (isPdf(found)) return readPdf(context, handle, found, input.pages);
      if (found.sizeBytes > limits.read.wholeFileBytes) {
        const picked = await pickLines(handle, startOf(input), countOf(input));
        return showLines(input, found, picked, '');
      }
      return showWhole(input, context, found, await readWhole(handle, found, limits.read.wholeFileBytes));
    });
  },
});

function startOf({ offset }: ReadInput): number {
  return Math.max(1, offset ?? 1);
}

function countOf({ limit }: ReadInput): number {
  return limit === undefined || limit < 1 ? Number.POSITIVE_INFINITY : limit;
}

async function showWhole(
  input: ReadInput,
  { workspace }: CallContext,
  found: FoundFile,
  bytes: Buffer,
): Promise<ToolOutcome> {
  const decoded = decodeText(bytes);
  if (decoded === undefined)
    throw new ToolFailure(
      `${found.file} is a binary file of ${formatBytes(bytes.length)} and is not shown as text. Use Bash (file, xxd, strings) to look into it.`,
    );
  if (isNotebook(found)) {
    const outcome = await showNotebook(found, decoded.text);
    workspace.files.remember(found.realPath, { sha256: sha256(bytes), isPartial: false });
    return outcome;
  }
  const lines = decoded.text.replaceAll('\r\n', '\n').split('\n');
  const start = startOf(input);
  const picked: PickedLines = {
    start,
    lines: lines.slice(start - 1, start - 1 + countOf(input)),
    totalLines: lines.length,
    isTotalKnown: true,
  };
  const outcome = showLines(input, found, picked, bytes.length === 0 ? emptyNote : encodingNote(decoded));
  const { shown } = fitLines(picked.lines, charsOf(input));
  workspace.files.remember(found.realPath, {
    sha256: sha256(bytes),
    isPartial: start > 1 || shown.length < lines.length || shown.some((line) => line.length > limits.read.lineChars),
  });
  return outcome;
}

const emptyNote = 'The file is there, but it is empty.';

function encodingNote({ encoding }: FileText): string {
  return encoding === 'utf8' ? '' : `The file is ${encodingNames[encoding]}; an edit keeps it so.`;
}

function showLines(input: ReadInput, found: FoundFile, picked: PickedLines, note: string): ToolOutcome {
  const { start, totalLines } = picked;
  const isBeyond = picked.lines.length === 0 && start > totalLines;
  const { shown, isCut } = fitLines(picked.lines, charsOf(input));
  const next = start + shown.length;
  const numbered = shown.map((line, i) => `${start + i}\t${cutLine(line)}`);
  const beyond = `The file is there, but it has only ${totalLines} lines: there is nothing at offset ${start}.`;
  const notes = [note, isBeyond ? beyond : '', linkNote(found) === '' ? '' : `${found.file}${linkNote(found)}.`];
  if (next <= totalLines)
    notes.push(
      `${isCut ? 'The result was full. ' : ''}This is lines ${start} to ${next - 1} of ${picked.isTotalKnown ? '' : 'at least '}${totalLines}. Use offset=${next} to go on.`,
    );
  const said = notes.filter((line) => line !== '').map((line) => `(${line})`);
  const body = note === emptyNote ? [] : numbered;
  return {
    content: [...body, ...(body.length > 0 && said.length > 0 ? [''] : []), ...said].join('\n'),
    isError: false,
    stored: {
      type: 'text',
      file: {
        filePath: found.file,
        content: shown.map(cutLine).join('\n'),
        numLines: shown.length,
        startLine: start,
        totalLines,
      },
    },
  };
}

function charsOf({ allow_large }: ReadInput): number {
  return allow_large === true ? limits.read.largeChars : limits.read.totalChars;
}

/** As many lines as fit into a result, at least one. */
function fitLines(
  lines: readonly string[],
  maxChars: number,
): { readonly shown: readonly string[]; readonly isCut: boolean } {
  let chars = 0;
  for (const [i, line] of lines.entries()) {
    chars += Math.min(line.length, limits.read.lineChars) + 8;
    if (chars > maxChars && i > 0) return { shown: lines.slice(0, i), isCut: true };
  }
  return { shown: lines, isCut: false };
}

function cutLine(line: string): string {
  if (line.length <= limits.read.lineChars) return line;
  // Does not split a surrogate pair.
  const cut = line
    .slice(0, limits.read.lineChars)
    .toWellFormed()
    .replace(/\ufffd$/, '');
  return `${cut}… (${line.length - cut.length} more characters of this line; Grep or cut -c in Bash shows them)`;
}

interface PickedLines {
  readonly start: number;
  readonly lines: readonly string[];
  /** Counts a last line without a newline, and an empty line after the last newline, as editors do. */
  readonly totalLines: number;
  readonly isTotalKnown: boolean;
}

const chunkBytes = 1 << 20;
/** After this many bytes lines are no longer counted, once the wanted ones are found. */
const countedBytes = 512 * chunkBytes;

async function pickLines(handle: FileHandle, start: number, count: number): Promise<PickedLines> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  const picked = new LinePicker(start, count);
  let position = 0;
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, chunkBytes, position);
    if (bytesRead === 0) return picked.finish(true);
    const bytes = chunk.subarray(0, bytesRead);
    if (position === 0 && looksBinary(bytes))
      throw new ToolFailure('It is a large binary file and is not shown as text. Use Bash (file, xxd, strings) on it.');
    picked.take(bytes);
    position += bytesRead;
    if (position >= countedBytes && picked.isDone) return picked.finish(false);
  }
}

class LinePicker {
  private line = 1;
  private readonly kept: Buffer[][] = [];
  private keptBytes = 0;
  private readonly start: number;
  private readonly count: number;

  constructor(start: number, count: number) {
    this.start = start;
    this.count = count;
  }

  get isDone(): boolean {
    return this.line >= this.start + this.count || this.keptBytes > maxKeptBytes;
  }

  take(bytes: Buffer): void {
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      this.keep(bytes.subarray(from, end));
      this.line++;
      from = end + 1;
    }
    this.keep(bytes.subarray(from));
  }

  finish(isTotalKnown: boolean): PickedLines {
    const lines = this.kept.map((parts) => Buffer.concat(parts).toString('utf8').replace(/\r$/, ''));
    return { start: this.start, lines, totalLines: this.line, isTotalKnown };
  }

  private keep(part: Buffer): void {
    if (this.line < this.start || this.isDone) return;
    const index = this.line - this.start;
    const parts = this.kept[index] ?? [];
    this.kept[index] = parts;
    const room = maxLineBytes - parts.reduce((sum, { length }) => sum + length, 0);
    if (room <= 0 || part.length === 0) return;
    // A copy, because the chunk is reused.
    const kept = Buffer.from(part.subarray(0, room));
    parts.push(kept);
    this.keptBytes += kept.length;
  }
}

/** Longer than the shown part, so that a cut is detected. */
const maxLineBytes = limits.read.lineChars * 8;
const maxKeptBytes = limits.read.largeChars * 8;
