// The Read tool: returns numbered lines, or an image block. The hash of the content is remembered, and only then Edit
// and Write may change the file.

import type { FileHandle } from 'node:fs/promises';
import * as z from 'zod';
import {
  asObject,
  asString,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../../base/json/index.ts';
import { formatBytes } from '../../../base/text/index.ts';
import type { CallContext, Tool, ToolOutcome } from '../../contract/index.ts';
import { defineTool, limits, pathSchema, resolvePath, ToolFailure } from '../shared/index.ts';
import { type FoundFile, linkNote, readWhole, sha256, withFile } from './file-access.ts';
import { decodeText, encodingNames, type FileText, looksBinary } from './file-text.ts';
import { readImage } from './read-image.ts';

const schema = z.object({
  file_path: pathSchema.describe('The absolute path of the file'),
  offset: z.number().int().min(0).optional().describe('The line to start at, counted from 1'),
  limit: z.number().int().min(1).optional().describe(`How many lines; ${limits.read.defaultLines} if not given`),
});

type ReadInput = z.infer<typeof schema>;

export const readTool: Tool = defineTool({
  name: 'Read',
  description: [
    'Shows a file of the local disk, each line with its number.',
    `- Without offset and limit: the first ${limits.read.defaultLines} lines. Lines are cut after ${limits.read.lineChars} characters. Where something is left out, the result says how to go on.`,
    '- The number and the arrow in front of a line are not part of the file.',
    '- PNG, JPEG, GIF and WebP files are shown as pictures; notebooks (.ipynb) cell by cell.',
    '- A file must be read before Edit or Write may change it.',
    '- Several files can be read in one answer. Folders cannot be read: use Glob, or ls in Bash.',
  ].join('\n'),
  schema,
  isReadOnly: true,
  run: async (input, context) => {
    const file = resolvePath(context.workspace, input.file_path);
    return withFile(context, 'read', file, async (handle, found) => {
      const image = await readImage(handle, found);
      if (image !== undefined) return image;
      if (found.sizeBytes > limits.read.wholeFileBytes)
        return showLines(found, await pickLines(handle, startOf(input), input.limit ?? limits.read.defaultLines), '');
      return showWhole(input, context, found, await readWhole(handle, found, limits.read.wholeFileBytes));
    });
  },
});

function startOf({ offset }: ReadInput): number {
  return Math.max(1, offset ?? 1);
}

function showWhole(input: ReadInput, { workspace }: CallContext, found: FoundFile, bytes: Buffer): ToolOutcome {
  const decoded = decodeText(bytes);
  if (decoded === undefined)
    throw new ToolFailure(
      `${found.file} is a binary file of ${formatBytes(bytes.length)} and is not shown as text. Use Bash (file, xxd, strings) to look into it.`,
    );
  const text = found.file.endsWith('.ipynb') ? (readNotebook(decoded.text) ?? decoded.text) : decoded.text;
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const start = startOf(input);
  const picked: PickedLines = {
    start,
    lines: lines.slice(start - 1, start - 1 + (input.limit ?? limits.read.defaultLines)),
    totalLines: lines.length,
    isTotalKnown: true,
  };
  const outcome = showLines(found, picked, bytes.length === 0 ? emptyNote : encodingNote(decoded));
  const { shown } = fitLines(picked.lines);
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

function showLines(found: FoundFile, picked: PickedLines, note: string): ToolOutcome {
  const { start, totalLines } = picked;
  if (picked.lines.length === 0 && start > 1)
    throw new ToolFailure(`${found.file} has only ${totalLines} lines: there is nothing at offset ${start}.`);
  const { shown, isCut } = fitLines(picked.lines);
  const next = start + shown.length;
  const numbered = shown.map((line, i) => `${String(start + i).padStart(6)}→${cutLine(line)}`);
  const notes = [note, linkNote(found) === '' ? '' : `${found.file}${linkNote(found)}.`];
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

/** As many lines as fit into a result, at least one. */
function fitLines(lines: readonly string[]): { readonly shown: readonly string[]; readonly isCut: boolean } {
  let chars = 0;
  for (const [i, line] of lines.entries()) {
    chars += Math.min(line.length, limits.read.lineChars) + 8;
    if (chars > limits.read.totalChars && i > 0) return { shown: lines.slice(0, i), isCut: true };
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
const maxKeptBytes = limits.read.totalChars * 8;

/** Returns `undefined` if the text is not a notebook. */
function readNotebook(text: string): string | undefined {
  const cells = asObject(parseJson(text))?.cells;
  if (!isArray(cells)) return undefined;
  return cells
    .filter(isObject)
    .map((cell, i) => showCell(cell, i))
    .join('\n');
}

function showCell(cell: JsonObject, index: number): string {
  const id = asString(cell.id) ?? `cell-${index}`;
  const head = `<cell id="${id}" type="${asString(cell.cell_type) ?? 'unknown'}">`;
  const outputs = isArray(cell.outputs) ? cell.outputs.filter(isObject).flatMap(showOutput) : [];
  const shown = outputs.length === 0 ? [] : ['<output>', ...outputs, '</output>'];
  return [head, joinText(cell.source), ...shown, '</cell>'].join('\n');
}

function showOutput(output: JsonObject): string[] {
  if (output.output_type === 'error')
    return [`${asString(output.ename) ?? 'Error'}: ${asString(output.evalue) ?? ''}`, joinText(output.traceback)];
  const data = asObject(output.data);
  if (data === undefined) return [joinText(output.text)];
  const pictures = Object.keys(data).filter((type) => type.startsWith('image/'));
  return [joinText(data['text/plain']), ...pictures.map((type) => `[${type}, not shown]`)];
}

/** Text is a string or a list of lines. */
function joinText(value: JsonValue | undefined): string {
  if (isArray(value)) return value.filter((line) => typeof line === 'string').join('');
  return asString(value) ?? '';
}
