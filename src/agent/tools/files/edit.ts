// The Edit tool: replaces a string in a file. The string must occur exactly once unless `replace_all` is set, because a
// guess could silently change the wrong place. So it is safe in a file that the model has not read, or that has changed.

import { lstat } from 'node:fs/promises';
import * as z from 'zod';
import { counted } from '../../../base/text/index.ts';
import type { CallContext, Tool, ToolOutcome } from '../../contract/index.ts';
import { defineTool, limits, pathSchema, resolvePath, ToolFailure } from '../shared/index.ts';
import { createText, keptText, makePatch, readSeenText, replaceText, type SeenText } from './change-file.ts';
import { linkNote } from './file-access.ts';
import { findText, type Place, replaceFound } from './find-text.ts';
import { isNotebook } from './notebook.ts';

const schema = z.object({
  file_path: pathSchema.describe('The absolute path of the file'),
  old_string: z.string().max(limits.change.fileBytes).describe('The text to replace, exactly as it is in the file'),
  new_string: z.string().max(limits.change.fileBytes).describe('The text to put there; must differ from old_string'),
  replace_all: z.boolean().default(false).describe('Replace every occurrence of old_string'),
});

type EditInput = z.infer<typeof schema>;

export const editTool: Tool = defineTool({
  name: 'Edit',
  description: [
    'Replaces one string in a file by another.',
    '- Read the file first, and leave out the line number and the tab that Read puts before each line.',
    '- old_string must be in the file exactly once, whitespace included; take more lines around it if it is not, or set replace_all (to rename something, for example).',
    '- An empty old_string makes a new file, or fills an empty one.',
    '- Encoding, byte order mark and line ends of the file are kept.',
  ].join('\n'),
  schema,
  aliases: { path: 'file_path', old_str: 'old_string', new_str: 'new_string' },
  isReadOnly: false,
  run: async (input, context) => {
    const file = resolvePath(context.workspace, input.file_path);
    if (input.old_string === input.new_string)
      throw new ToolFailure('old_string and new_string are the same; nothing was changed.');
    if (input.old_string === '' && !(await isThere(file))) return createByEdit(input, context, file);
    if (isNotebook({ file })) throw new ToolFailure(`${file} is a notebook: use NotebookEdit for its cells.`);
    const seen = await readSeenText(context, file, 'any');
    const { text, places } = changeText(input, seen);
    if (text === seen.text)
      throw new ToolFailure('old_string and new_string differ only in their line ends; nothing was changed.');
    await replaceText(context, seen, text);
    return describeEdit(input, file, seen, text, places);
  },
});

interface ChangedText {
  readonly text: string;
  readonly places: readonly Place[];
}

function changeText({ old_string, new_string, replace_all }: EditInput, { text, found }: SeenText): ChangedText {
  if (old_string === '') {
    if (text === '') return { text: new_string, places: [] };
    throw new ToolFailure(`old_string is empty, but ${found.file} is not. Name the text to replace, or use Write.`);
  }
  const places = findText(text, old_string);
  if (places.length === 0)
    throw new ToolFailure(`old_string was not found in ${found.file}.${nearestHint(text, old_string)}`);
  if (places.length > 1 && !replace_all)
    throw new ToolFailure(
      `old_string is ${places.length} times in ${found.file} (lines ${lineNumbers(text, places)}). Take more lines around the one that is meant, or set replace_all.`,
    );
  return { text: replaceFound(text, places, old_string, new_string), places };
}

const shownPlaces = 10;

function lineNumbers(text: string, places: readonly Place[]): string {
  const numbers: string[] = [];
  let line = 1;
  let from = 0;
  for (const { start } of places.slice(0, shownPlaces)) {
    for (let at = text.indexOf('\n', from); at >= 0 && at < start; at = text.indexOf('\n', at + 1)) line++;
    from = start;
    numbers.push(String(line));
  }
  return numbers.join(', ') + (places.length > shownPlaces ? ', …' : '');
}

/** Most misses are whitespace, or text that was changed a moment ago. */
function nearestHint(text: string, wanted: string): string {
  const first = wanted
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim();
  if (first === undefined) return '';
  const index = text.split('\n').findIndex((line) => line.trim() === first);
  return index < 0
    ? ' Read the file again to see its present text.'
    : ` Line ${index + 1} is like its first line: compare whitespace and the lines after it.`;
}

const unseenNotes: Readonly<Record<SeenText['known'], string>> = {
  whole: '',
  part: '',
  nothing: ' You have not read this file: read it before edits that depend on the rest of it.',
  old: ' The file had changed since it was read: read it before edits that depend on the rest of it.',
};

function describeEdit(
  input: EditInput,
  file: string,
  seen: SeenText,
  text: string,
  places: readonly Place[],
): ToolOutcome {
  const count = places.length;
  const [first] = places;
  return {
    content: `The file ${file}${linkNote(seen.found)} has been updated${count > 1 ? `: ${counted(count, 'occurrence')} replaced` : ''}.${unseenNotes[seen.known]}`,
    isError: false,
    stored: {
      filePath: file,
      // As it is in the file, which may have other quotation marks.
      oldString:
        first === undefined ? input.old_string : seen.text.slice(first.start, first.end).replaceAll('\r\n', '\n'),
      newString: input.new_string,
      originalFile: keptText(seen.text.replaceAll('\r\n', '\n')),
      structuredPatch: makePatch(file, seen.text, text),
      userModified: false,
      replaceAll: input.replace_all,
      ...(seen.known === 'old' ? { staleRecovered: true } : {}),
      ...(seen.known === 'whole' ? {} : { contentNotInModelContext: true }),
    },
  };
}

async function createByEdit(input: EditInput, context: CallContext, file: string): Promise<ToolOutcome> {
  await createText(context, file, input.new_string);
  return {
    content: `File created: ${file}`,
    isError: false,
    stored: {
      filePath: file,
      oldString: '',
      newString: input.new_string,
      originalFile: '',
      structuredPatch: makePatch(file, '', input.new_string),
      userModified: false,
      replaceAll: input.replace_all,
    },
  };
}

async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}
