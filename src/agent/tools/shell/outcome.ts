// How a command ended → the outcome of the call: its output, a picture that it printed, what its exit code means, and notes
// about the working directory.
import { readFile } from 'node:fs/promises';
import { isObject, type JsonObject } from '../../../base/json/index.ts';
import { formatDuration } from '../../../base/text/index.ts';
import { failedOutcome, type ToolOutcome } from '../../contract/index.ts';
import { fitImage } from '../../media/index.ts';
import { limits } from '../shared/index.ts';
import type { CommandOutput } from './output.ts';

export const interruptedText = '[Request interrupted by user for tool use]';

export interface EndedCommand {
  readonly input: { readonly command: string; readonly dangerouslyDisableSandbox?: boolean | undefined };
  readonly code: number;
  readonly output: CommandOutput;
  /** Has the whole output if that is long. */
  readonly file: string;
  readonly why: 'interrupted' | 'timeout' | undefined;
  readonly timeoutMs: number;
}

export async function describeExit({ input, code, output, file, why, timeoutMs }: EndedCommand): Promise<ToolOutcome> {
  const { command, dangerouslyDisableSandbox } = input;
  const meaning = why === undefined && code !== 0 ? explainExit(command, code) : undefined;
  if (why !== undefined || (code !== 0 && meaning === undefined)) {
    const said = why === 'interrupted' ? interruptedText : `Command timed out after ${formatDuration(timeoutMs)}`;
    return failedOutcome(
      [`Exit code ${code}`, why === undefined ? '' : said, output.describe()].filter((line) => line !== '').join('\n'),
    );
  }
  const picture = await readPicture(output, file);
  return {
    content: picture?.content ?? (output.describe() || meaning || '(no output)'),
    isError: false,
    stored: {
      stdout: picture?.dataUrl ?? output.text,
      stderr: '',
      interrupted: false,
      isImage: picture !== undefined,
      ...(meaning === undefined ? {} : { returnCodeInterpretation: meaning }),
      noOutputExpected: false,
      ...(dangerouslyDisableSandbox === true ? { dangerouslyDisableSandbox } : {}),
      ...(output.isLong && picture === undefined
        ? { persistedOutputPath: file, persistedOutputSize: output.totalBytes }
        : {}),
    },
  };
}

/** For the model after the output; in the stored result as standard error, as the client does. */
export function addNotes(outcome: ToolOutcome, notes: readonly string[]): ToolOutcome {
  if (notes.length === 0) return outcome;
  const note = notes.join('\n');
  const { content, stored } = outcome;
  return {
    ...outcome,
    content: typeof content === 'string' ? `${content}\n${note}` : [...content, { type: 'text', text: note }],
    stored: isObject(stored) ? { ...stored, stderr: `\n${note}` } : `${String(stored)}\n${note}`,
  };
}

const dataUrl = /^\s*data:image\/(?:png|jpeg|gif|webp);base64,/;

/** A command shows the model a picture by printing a data URL. */
async function readPicture(
  output: CommandOutput,
  file: string,
): Promise<{ readonly content: readonly JsonObject[]; readonly dataUrl: string } | undefined> {
  if (!dataUrl.test(output.text) || output.totalBytes > limits.bash.pictureBytes) return undefined;
  const text = output.isLong ? await readFile(file, 'utf8').catch(() => '') : output.text;
  const base64 = text.replace(dataUrl, '').replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const image = await fitImage(Buffer.from(base64, 'base64'));
  if (image === undefined || 'problem' in image) return undefined;
  const data = image.bytes.toString('base64');
  return {
    content: [{ type: 'image', source: { type: 'base64', media_type: image.type, data } }],
    dataUrl: `data:${image.type};base64,${data}`,
  };
}

const meanings: Readonly<Record<string, string>> = {
  grep: 'No matches found',
  egrep: 'No matches found',
  fgrep: 'No matches found',
  rg: 'No matches found',
  diff: 'Files differ',
  cmp: 'Files differ',
  test: 'Condition is false',
  '[': 'Condition is false',
  '[[': 'Condition is false',
  find: 'Some directories were inaccessible',
};

/** Explains exit code 1 of the last command, which decides the exit code of the line. */
function explainExit(command: string, code: number): string | undefined {
  if (code !== 1) return undefined;
  const last =
    command
      .trim()
      .split(/\|\||&&|[|;\n]/)
      .at(-1)
      ?.trim() ?? '';
  const name = last.split(/\s+/).find((word) => !/^\w+=/.test(word)) ?? '';
  return Object.hasOwn(meanings, name) ? meanings[name] : undefined;
}
