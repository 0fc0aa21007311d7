// The Read tool: returns numbered lines, or an image block. The hash of the content is remembered, and only then Edit
// and Write may change the file.
import * as z from 'zod';
import { formatBytes } from '../../../base/text/human.ts';
import type { CallContext, Tool, ToolOutcome } from '../../contract/tool.ts';
import { defineTool, ToolFailure } from '../shared/define.ts';
import { limits } from '../shared/limits.ts';
import { pathSchema, resolvePath } from '../shared/paths.ts';
import { type FoundFile, linkNote, readWhole, sha256, withFile } from './file-access.ts';
import { decodeText, encodingNames, type FileText } from './file-text.ts';
import { type PickedLines, pickLines } from './line-picker.ts';
import { readNotebook } from './notebook.ts';
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
