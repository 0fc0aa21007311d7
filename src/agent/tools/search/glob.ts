// The Glob tool: finds files by a pattern of their names, newest first.
import path from 'node:path';
import * as z from 'zod';
import type { CallContext, Tool } from '../../contract/index.ts';
import { defineTool, limits, pathSchema, resolvePath, ToolFailure } from '../shared/index.ts';
import { findPlace, hiddenArgs, type RipgrepPath, runRipgrep, type SearchPlace } from './ripgrep.ts';

const schema = z.object({
  pattern: pathSchema.describe('A pattern such as "**/*.ts" or "src/{a,b}/*.js"'),
  path: pathSchema.optional().describe('The folder to look in; the project folder if not given'),
});

export function makeGlobTool(rgPath?: RipgrepPath): Tool {
  return defineTool({
    name: 'Glob',
    description: [
      'Finds files by a pattern of their names and shows their paths, the most recently changed first.',
      `- * stays inside a folder, ** does not. At most ${limits.search.globFiles} files are shown.`,
      '- Hidden files are found; what .gitignore names only where nothing else matches.',
      '- To find files by their content, use Grep.',
    ].join('\n'),
    schema,
    isReadOnly: true,
    run: async (input, context) => {
      const startMs = Date.now();
      const { folder, pattern } = splitPattern(resolvePath(context.workspace, input.path ?? '.'), input.pattern);
      const place = await findPlace(context, folder);
      if (!place.isFolder) throw new ToolFailure(`${place.absolute} is a file; path must be a folder.`);
      const hidden = hiddenArgs(context.workspace, place, place.realPath);
      const { files, isIgnored } = await listFiles(rgPath, place, [`--glob=/${pattern}`, ...hidden], context);
      const filenames = files.slice(0, limits.search.globFiles);
      const truncated = files.length > filenames.length;
      const notes = [
        truncated
          ? `(${files.length} files match; the ${filenames.length} newest are shown. Use a narrower pattern or path.)`
          : '',
        isIgnored ? '(All of these are ignored by .gitignore.)' : '',
      ];
      return {
        content: [...filenames, ...notes].filter((line) => line !== '').join('\n') || 'No files found',
        isError: false,
        stored: { filenames, durationMs: Date.now() - startMs, numFiles: filenames.length, truncated },
      };
    },
  });
}

/** The search starts in the folders before the first wildcard, which may be absolute or contain `..`. */
function splitPattern(folder: string, pattern: string): { readonly folder: string; readonly pattern: string } {
  const parts = pattern.split('/');
  const wild = parts.findIndex((part) => /[*?[\]{}]/.test(part));
  const fixed = wild < 0 ? parts.slice(0, -1) : parts.slice(0, wild);
  const rest = parts.slice(fixed.length);
  if (rest.includes('..')) throw new ToolFailure('".." may stand only at the beginning of a pattern.');
  const start = fixed[0] === '' ? `/${fixed.join('/')}` : fixed.join('/');
  return { folder: path.resolve(folder, start), pattern: rest.join('/') };
}

async function listFiles(
  rgPath: RipgrepPath,
  { absolute, realPath }: SearchPlace,
  globs: readonly string[],
  context: CallContext,
): Promise<{ readonly files: readonly string[]; readonly isIgnored: boolean }> {
  // A leading slash anchors the pattern to the folder; without it `*.js` would match at any depth.
  const args = ['--files', '--null', '--hidden', '--sortr', 'modified', ...globs, '--glob', '!.git'];
  const list = async (more: readonly string[]): Promise<readonly string[]> => {
    // ripgrep anchors patterns to its working directory.
    const search = { rgPath, args: [...args, ...more], cwd: realPath, place: realPath };
    const { stdout } = await runRipgrep(search, context);
    return stdout
      .split('\0')
      .filter((name) => name !== '')
      .map((name) => path.join(absolute, name));
  };
  const files = await list([]);
  if (files.length > 0) return { files, isIgnored: false };
  const ignored = await list(['--no-ignore']);
  return { files: ignored, isIgnored: ignored.length > 0 };
}
