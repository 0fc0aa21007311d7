// The Edit tool: replaces a string in a file. The string must occur exactly once unless `replace_all` is set, because a
// guess could silently change the wrong place.

import { lstat } from 'node:fs/promises';
import * as z from 'zod';
import { counted } from '../../../base/text/index.ts';
import type { CallContext, Tool, ToolOutcome } from '../../contract/index.ts';
import { defineTool, limits, pathSchema, resolvePath, ToolFailure } from '../shared/index.ts';
import { createText, keptText, makePatch, readSeenText, replaceText, type SeenText } from './change-file.ts';
import { linkNote } from './file-access.ts';
import { lineEndOf, withLineEnd } from './file-text.ts';

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
    '- The file must have been read with Read. Leave out the line number and the arrow that Read puts before each line.',
    '- old_string must stand in the file exactly once, whitespace included; take more lines around it if it does not, or set replace_all (to rename something, for example).',
    '- An empty old_string makes a new file, or fills an empty one.',
    '- Encoding, byte order mark and line ends of the file are kept.',
  ].join('\n'),
  schema,
  isReadOnly: false,
  run: async (input, context) => {
    const file = resolvePath(context.workspace, input.file_path);
    if (input.old_string === input.new_string)
      throw new ToolFailure('old_string and new_string are the same; nothing was changed.');
    if (input.old_string === '' && !(await isThere(file))) return createByEdit(input, context, file);
    const seen = await readSeenText(context, file);
    const text = changeText(input, seen);
    if (text === seen.text)
      throw new ToolFailure('old_string and new_string differ only in their line ends; nothing was changed.');
    await replaceText(context, seen, text);
    return describeEdit(input, file, seen, text);
  },
});

function changeText({ old_string, new_string, replace_all }: EditInput, { text, found }: SeenText): string {
  if (old_string === '') {
    if (text === '') return new_string;
    throw new ToolFailure(`old_string is empty, but ${found.file} is not. Name the text to replace, or use Write.`);
  }
  const stretches = findStretches(text, old_string);
  if (stretches.length === 0)
    throw new ToolFailure(`old_string was not found in ${found.file}.${nearestHint(text, old_string)}`);
  if (stretches.length > 1 && !replace_all)
    throw new ToolFailure(
      `old_string stands ${stretches.length} times in ${found.file} (lines ${lineNumbers(text, stretches)}). Take more lines around the one that is meant, or set replace_all.`,
    );
  return replaceStretches(text, stretches, new_string);
}

const shownPlaces = 10;

function lineNumbers(text: string, stretches: readonly Stretch[]): string {
  const numbers: string[] = [];
  let line = 1;
  let from = 0;
  for (const { start } of stretches.slice(0, shownPlaces)) {
    for (let at = text.indexOf('\n', from); at >= 0 && at < start; at = text.indexOf('\n', at + 1)) line++;
    from = start;
    numbers.push(String(line));
  }
  return numbers.join(', ') + (stretches.length > shownPlaces ? ', …' : '');
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

function describeEdit(input: EditInput, file: string, seen: SeenText, text: string): ToolOutcome {
  const count = input.replace_all ? findStretches(seen.text, input.old_string).length : 1;
  return {
    content: `The file ${file}${linkNote(seen.found)} has been updated${count > 1 ? `: ${counted(count, 'occurrence')} replaced` : ''}.`,
    isError: false,
    stored: {
      filePath: file,
      oldString: input.old_string,
      newString: input.new_string,
      originalFile: keptText(seen.text),
      structuredPatch: makePatch(file, seen.text, text),
      userModified: false,
      replaceAll: input.replace_all,
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

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The matches of `wanted`, as offsets into `text`. */
function findStretches(text: string, wanted: string): readonly Stretch[] {
  const plain = text.replaceAll('\r\n', '\n');
  const part = wanted.replaceAll('\r\n', '\n');
  if (part === '') return [];
  const stretches: Stretch[] = [];
  const toText = plain.length === text.length ? (at: number) => at : makeMap(text);
  for (let at = plain.indexOf(part); at >= 0; at = plain.indexOf(part, at + part.length))
    stretches.push({ start: toText(at), end: toText(at + part.length) });
  return stretches;
}

function replaceStretches(text: string, stretches: readonly Stretch[], replacement: string): string {
  const usual = lineEndOf(text);
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of stretches) {
    const replaced = text.slice(start, end);
    pieces.push(
      text.slice(from, start),
      withLineEnd(replacement, replaced.includes('\n') ? lineEndOf(replaced) : usual),
    );
    from = end;
  }
  return [...pieces, text.slice(from)].join('');
}

/** Maps offsets without the `\r` of line endings to offsets with them. Calls must be in ascending order. */
function makeMap(text: string): (plainAt: number) => number {
  let removed = 0;
  let next = text.indexOf('\r\n');
  return (plainAt) => {
    while (next >= 0 && next - removed < plainAt) {
      removed++;
      next = text.indexOf('\r\n', next + 2);
    }
    return plainAt + removed;
  };
}
