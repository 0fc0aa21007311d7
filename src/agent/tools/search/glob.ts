// The Glob tool: finds files by a pattern of their names, oldest first, as the client does. A pattern without a slash
// matches at any depth.
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { counted } from '../../../base/text/index.ts';
import type { CallContext, Tool } from '../../contract/index.ts';
import { defineTool, folderSchema, limits, resolvePath, shownPath, ToolFailure } from '../shared/index.ts';
import { findPlace, hiddenArgs, type RipgrepPath, runRipgrep, type SearchPlace } from './ripgrep.ts';

const schema = z.object({
  pattern: folderSchema.describe('A pattern such as "**/*.ts" or "src/{a,b}/*.js"'),
  path: folderSchema.optional().describe('The folder to look in; the working directory if not given'),
});

export function makeGlobTool(rgPath?: RipgrepPath): Tool {
  return defineTool({
    name: 'Glob',
    description: [
      'Finds files by a pattern of their names and shows their paths, the least recently changed first.',
      `- *.ts matches at any depth, src/*.ts only in src, src/**/*.ts below it. At most ${limits.search.globFiles} files are shown.`,
      '- Hidden files and those that .gitignore names are found too.',
      '- To find files by their content, use Grep.',
    ].join('\n'),
    schema,
    isReadOnly: true,
    run: async (input, context) => {
      const startMs = Date.now();
      const base = resolvePath(context.workspace, input.path === undefined || input.path === '' ? '.' : input.path);
      const { folder, pattern } = await splitPattern(base, input.pattern);
      const place = await findPlace(context, folder);
      if (!place.isFolder) throw new ToolFailure(`${place.absolute} is a file; path must be a folder.`);
      const { files, isCut } = await listFiles(rgPath, place, pattern, context);
      const filenames = files
        .slice(0, limits.search.globFiles)
        .map((file) => shownPath(context.workspace, path.join(place.absolute, file)));
      const truncated = files.length > filenames.length;
      const total = `${files.length}${isCut ? ' or more' : ''}`;
      const note = truncated
        ? `(${filenames.length} of ${total} matching files are shown; ${counted(files.length - filenames.length, 'file')} more are not. Use a narrower pattern or path.)`
        : '';
      return {
        content: [...filenames, note].filter((line) => line !== '').join('\n') || 'No files found',
        isError: false,
        stored: {
          filenames,
          durationMs: Date.now() - startMs,
          numFiles: filenames.length,
          truncated,
          totalMatches: files.length,
          countIsComplete: !isCut,
        },
      };
    },
  });
}

/** A pattern that is absolute, leads up or through a link is searched from the folder before its first wildcard. */
async function splitPattern(
  folder: string,
  pattern: string,
): Promise<{ readonly folder: string; readonly pattern: string }> {
  const plain = pattern.replace(/^(?:\.\/+)+/, '');
  const parts = plain.split('/');
  const wild = parts.findIndex((part) => /[*?[\]{}]/.test(part));
  const fixed = wild < 0 ? parts.slice(0, -1) : parts.slice(0, wild);
  const rest = parts.slice(fixed.length);
  if (rest.includes('..')) throw new ToolFailure('".." may be only at the beginning of a pattern.');
  const start = resolvePath({ cwd: folder }, plain.startsWith('/') ? `/${fixed.join('/')}` : fixed.join('/') || '.');
  // As the client does it, `/a/*.ts` matches below /a at any depth.
  if (plain.startsWith('/') || /^~(?:\/|$)/.test(plain)) return { folder: start, pattern: rest.join('/') };
  if (fixed.includes('..') || (await leadsElsewhere(folder, start)))
    return { folder: start, pattern: `/${rest.join('/')}` };
  return { folder, pattern: plain };
}

/** ripgrep follows no links, so a link in the path is resolved here, where its target is checked. */
async function leadsElsewhere(folder: string, start: string): Promise<boolean> {
  const [real, top] = await Promise.all([start, folder].map((each) => realpath(each).catch(() => undefined)));
  return real !== undefined && top !== undefined && real !== path.join(top, path.relative(folder, start));
}

interface FoundFiles {
  /** Relative to the place. */
  readonly files: readonly string[];
  readonly isCut: boolean;
}

async function listFiles(
  rgPath: RipgrepPath,
  place: SearchPlace,
  pattern: string,
  context: CallContext,
): Promise<FoundFiles> {
  const { workspace } = context;
  // ripgrep's own rule: a pattern with a slash is anchored to the working directory, one without matches everywhere.
  const anchored = pattern.includes('/') && !/^[/!]/.test(pattern) ? `/${pattern}` : pattern;
  const args = ['--files', '--null', '--hidden', '--sort', 'modified'];
  if (workspace.env.CLAUDE_CODE_GLOB_NO_IGNORE !== 'false') args.push('--no-ignore');
  if (anchored !== '') args.push(`--glob=${anchored}`);
  // After the pattern, because the last one that matches decides.
  if (workspace.env.CLAUDE_CODE_GLOB_HIDDEN === 'false') args.push('--glob', '!.*');
  args.push('--glob', '!.git', ...hiddenArgs(workspace, place, place.realPath));
  const search = { rgPath, args, cwd: place.realPath, place: place.realPath };
  const { stdout, isCut } = await runRipgrep(search, context);
  return { files: stdout.split('\0').filter((name) => name !== ''), isCut };
}
