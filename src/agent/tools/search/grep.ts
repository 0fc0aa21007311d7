// The Grep tool: searches files for a regular expression with ripgrep.
import * as z from 'zod';
import type { JsonObject } from '../../../base/json/index.ts';
import { counted } from '../../../base/text/index.ts';
import type { Tool, ToolOutcome } from '../../contract/index.ts';
import { defineTool, folderSchema, limits } from '../shared/index.ts';
import { findPlace, hiddenArgs, type RipgrepPath, runRipgrep, visibilityArgs } from './ripgrep.ts';

const lineCount = z.number().int().min(0).max(100_000);

const schema = z.object({
  pattern: z
    .string()
    .max(limits.search.patternChars, 'is too long')
    .refine((text) => !text.includes('\0'), 'holds a NUL character')
    .describe('A regular expression as ripgrep understands it'),
  path: folderSchema.optional().describe('A file or folder; the working directory if not given'),
  glob: folderSchema.optional().describe('Only files whose names match, such as "*.ts" or "!*.test.ts"'),
  type: z.string().max(50).optional().describe('Only files of this type: js, py, rust, go, …'),
  output_mode: z
    .enum(['content', 'files_with_matches', 'count'])
    .default('files_with_matches')
    .describe('Matching lines, the names of files (if not given), or the number of matches in each file'),
  '-A': lineCount.optional().describe('Lines to show after each match (content)'),
  '-B': lineCount.optional().describe('Lines to show before each match (content)'),
  '-C': lineCount.optional().describe('Lines to show around each match (content)'),
  context: lineCount.optional().describe('The same as -C'),
  '-n': z.boolean().optional().describe('Line numbers (content); on if not given'),
  '-i': z.boolean().optional().describe('Ignore case'),
  '-o': z.boolean().optional().describe('Only the matching parts of the lines (content)'),
  multiline: z.boolean().optional().describe('The pattern may match over several lines, and . matches line ends'),
  head_limit: lineCount
    .optional()
    .describe(`Only the first lines or files; ${limits.search.defaultHeadLimit} if not given, 0 for all`),
  offset: lineCount.optional().describe('Leave out so many lines or files first'),
});

type GrepInput = z.infer<typeof schema>;

export function makeGrepTool(rgPath?: RipgrepPath): Tool {
  return defineTool({
    name: 'Grep',
    description: [
      'Searches the content of files with ripgrep. Use it instead of grep or rg in Bash.',
      '- Braces and other signs of regular expressions must be escaped to be meant as they are.',
      '- Hidden files are searched, files that .gitignore names are not.',
      '- Where something is left out, the result says how to go on.',
    ].join('\n'),
    schema,
    isReadOnly: true,
    run: async (input, context) => {
      const place = await findPlace(context, input.path);
      const hidden = hiddenArgs(context.workspace, place, place.from);
      const args = [...makeArgs(input), ...hidden, '--', ...place.args];
      const search = { rgPath, args, cwd: place.from, place: place.realPath };
      const { stdout, isCut } = await runRipgrep(search, context);
      const lines = stdout.split('\n');
      if (lines.at(-1) === '') lines.pop();
      return describeLines(input, lines, pageLines(input, lines), isCut);
    },
  });
}

function makeArgs(input: GrepInput): string[] {
  const args = ['--color=never', `--regexp=${input.pattern}`];
  if (input['-i']) args.push('--ignore-case');
  if (input.multiline) args.push('--multiline', '--multiline-dotall');
  if (input.type !== undefined) args.push(`--type=${input.type}`);
  for (const glob of splitGlobs(input.glob ?? '')) args.push(`--glob=${glob}`);
  // After the globs of the call, because the last matching glob decides.
  args.push(...visibilityArgs);
  if (input.output_mode === 'files_with_matches') return [...args, '--files-with-matches', '--sortr=modified'];
  if (input.output_mode === 'count') return [...args, '--count', '--with-filename', '--sort=path'];
  args.push('--no-heading', `--max-columns=${limits.search.columns}`, '--max-columns-preview', '--sort=path');
  args.push(input['-n'] === false ? '--no-line-number' : '--line-number');
  if (input['-o'] === true) args.push('--only-matching');
  for (const key of ['-A', '-B', '-C'] as const) if (input[key] !== undefined) args.push(`${key}${input[key]}`);
  if (input['-C'] === undefined && input.context !== undefined) args.push(`-C${input.context}`);
  return args;
}

/** `*.ts *.tsx` and `*.ts,*.tsx` are two globs, `*.{ts,tsx}` is one. */
function splitGlobs(glob: string): string[] {
  return (glob.includes('{') ? glob.split(/\s+/) : glob.split(/[\s,]+/)).filter((part) => part !== '');
}

interface Page {
  readonly shown: readonly string[];
  readonly total: number;
  readonly next: number | undefined;
  readonly appliedLimit: number | undefined;
}

function pageLines({ head_limit, offset = 0 }: GrepInput, lines: readonly string[]): Page {
  const limit = head_limit ?? limits.search.defaultHeadLimit;
  const wanted = lines.slice(offset, limit === 0 ? undefined : offset + limit);
  const shown = fitChars(wanted);
  const next = offset + shown.length < lines.length ? offset + shown.length : undefined;
  return { shown, total: lines.length, next, appliedLimit: next === undefined ? undefined : shown.length };
}

function fitChars(lines: readonly string[]): readonly string[] {
  let chars = 0;
  const end = lines.findIndex((line, i) => {
    chars += line.length + 1;
    return chars > limits.search.contentChars && i > 0;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

function describeLines(input: GrepInput, lines: readonly string[], page: Page, isCut: boolean): ToolOutcome {
  const { shown, total, next, appliedLimit } = page;
  const notes = [
    next === undefined
      ? ''
      : `(${shown.length} of ${total}${isCut ? ' or more' : ''}. Use offset=${next} to go on, or narrow the search.)`,
  ].filter((note) => note !== '');
  const limit: JsonObject = {
    ...(appliedLimit === undefined ? {} : { appliedLimit }),
    ...(input.offset === undefined || input.offset === 0 ? {} : { appliedOffset: input.offset }),
  };
  const text = shown.join('\n').toWellFormed().replaceAll('\0', '\ufffd');
  switch (input.output_mode) {
    case 'files_with_matches':
      return succeed([total === 0 ? 'No files found' : `Found ${counted(total, 'file')}`, ...shown, ...notes], {
        mode: 'files_with_matches',
        filenames: shown,
        numFiles: shown.length,
        totalFiles: total,
        ...limit,
      });
    case 'content':
      return succeed([shown.length === 0 ? 'No matches found' : text, ...notes], {
        mode: 'content',
        numFiles: 0,
        filenames: [],
        content: text,
        numLines: shown.length,
        totalLines: total,
        ...limit,
      });
    case 'count': {
      const numMatches = lines.reduce((sum, line) => sum + (Number(line.slice(line.lastIndexOf(':') + 1)) || 0), 0);
      const found = `Found ${counted(numMatches, 'matching line')} in ${counted(total, 'file')}.`;
      return succeed([total === 0 ? 'No matches found' : `${text}\n\n${found}`, ...notes], {
        mode: 'count',
        numFiles: total,
        filenames: [],
        content: text,
        numMatches,
        ...limit,
      });
    }
    default:
      return input.output_mode satisfies never;
  }
}

function succeed(lines: readonly string[], stored: JsonObject): ToolOutcome {
  return { content: lines.join('\n'), isError: false, stored };
}
