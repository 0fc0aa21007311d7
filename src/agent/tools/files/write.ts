// The Write tool: creates a file or replaces its text. An existing file must have been read as a whole, and keeps its
// encoding, byte order mark and line endings.
import { lstat, stat } from 'node:fs/promises';
import * as z from 'zod';
import { systemErrorCode } from '../../../base/errors/index.ts';
import type { Tool } from '../../contract/index.ts';
import { defineTool, limits, pathSchema, resolvePath, ToolFailure } from '../shared/index.ts';
import { createText, keptText, makePatch, readSeenText, replaceText } from './change-file.ts';
import { linkNote } from './file-access.ts';
import { lineEndOf, withLineEnd } from './file-text.ts';

const schema = z.object({
  file_path: pathSchema.describe('The absolute path of the file'),
  content: z.string().max(limits.change.fileBytes, 'is too long for one file').describe('The whole text of the file'),
});

export const writeTool: Tool = defineTool({
  name: 'Write',
  description: [
    'Makes a file with the given text, or replaces all the text of one.',
    '- An existing file must have been read with Read, and whole. To change a part of it, use Edit.',
    '- Missing folders are made. Encoding and line ends of an existing file are kept.',
  ].join('\n'),
  schema,
  aliases: { path: 'file_path', file_text: 'content' },
  isReadOnly: false,
  run: async ({ file_path, content }, context) => {
    const file = resolvePath(context.workspace, file_path);
    if (!(await isThere(file))) {
      await createText(context, file, content);
      return {
        content: `File created: ${file}`,
        isError: false,
        stored: {
          type: 'create',
          filePath: file,
          content,
          structuredPatch: [],
          originalFile: null,
          userModified: false,
        },
      };
    }
    const seen = await readSeenText(context, file, 'must-be-seen');
    if (seen.known === 'part')
      throw new ToolFailure(`Only a part of ${file} has been read. Use Edit to change it, or Read all of it first.`);
    const plain = seen.hasBom && content.startsWith('\ufeff') ? content.slice(1) : content;
    const text = lineEndOf(seen.text) === '\r\n' ? withLineEnd(plain, '\r\n') : plain;
    await replaceText(context, seen, text);
    return {
      content: `File written: ${file}${linkNote(seen.found)}`,
      isError: false,
      stored: {
        type: 'update',
        filePath: file,
        content,
        structuredPatch: makePatch(file, seen.text, text),
        originalFile: keptText(seen.text),
        userModified: false,
      },
    };
  },
});

async function isThere(file: string): Promise<boolean> {
  try {
    const stats = await lstat(file);
    // A broken link counts as missing: `createText` reports its target.
    return stats.isSymbolicLink() ? await leadsSomewhere(file) : true;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') return false;
    if (code === 'ENOTDIR') throw new ToolFailure(`${file} cannot be made: a file stands where its folder should be.`);
    throw error;
  }
}

async function leadsSomewhere(link: string): Promise<boolean> {
  return stat(link).then(
    () => true,
    (error: unknown) => systemErrorCode(error) !== 'ENOENT',
  );
}
