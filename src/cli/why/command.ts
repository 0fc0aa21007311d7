// clew why FILE[:LINE[-LINE]]: which session, turn and prompt wrote the lines of a file.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type FoundFile, findTarget, type LineAnswer } from '../../authorship/answer/index.ts';
import { UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import type { CommandInput } from '../command/index.ts';
import { terminalWidth, writeOut } from '../terminal/index.ts';
import { CallList, lineJson } from './answer-json.ts';
import { openAnswers } from './open-answers.ts';
import { countText, groupAnswers, lineText, rangeTable } from './render.ts';

export async function run(input: CommandInput): Promise<void> {
  const { io, flags } = input;
  const asked = readPlace(input.argument ?? '', io.cwd);
  const found = await findTarget(asked.file, io.env);
  const { answer, ids } = await openAnswers(input, [found.target], found.repository);
  const [file] = answer.files;
  if (file === undefined) throw new Error('one file has one answer');
  const lines = chosenLines(file.lines, asked);
  if (flags.json === true) return writeOut([whyJson(found, lines, input)], io);
  const options = { width: terminalWidth(io.stdout, io.env), style: io.style, ids };
  const [only] = lines;
  const text =
    only !== undefined && asked.first !== undefined && lines.length === 1
      ? lineText(found.target.path, only, options)
      : `${rangeTable(groupAnswers(lines), options)}\n${countText(lines)}\n`;
  await writeOut([text], { ...io, pager: true });
}

interface AskedPlace {
  readonly file: string;
  /** Lines from 1; `undefined` for all. */
  readonly first: number | undefined;
  readonly last: number | undefined;
}

/** A name that exists is a name, even if it ends like a line number. */
function readPlace(argument: string, cwd: string): AskedPlace {
  const whole = path.resolve(cwd, argument);
  const found = existsSync(whole) ? null : /^(.+?):(\d{1,9})(?:-(\d{1,9})|:\d{1,9})?$/s.exec(argument);
  if (found === null) {
    if (!existsSync(whole)) throw new UserError(`there is no file ${whole}`, 'give the path of a file');
    return { file: whole, first: undefined, last: undefined };
  }
  const file = path.resolve(cwd, found[1] as string);
  if (!existsSync(file)) throw new UserError(`there is no file ${file}`, 'give the path of a file');
  const first = Number(found[2]);
  return { file, first, last: Number(found[3] ?? first) };
}

function chosenLines(lines: readonly LineAnswer[], { file, first, last }: AskedPlace): readonly LineAnswer[] {
  if (first === undefined || last === undefined) return lines;
  if (first < 1 || last < first || last > lines.length)
    throw new UserError(
      `${file} has ${lines.length} lines, not line ${last < first ? first : last}`,
      'give a line of the file',
    );
  return lines.slice(first - 1, last);
}

function whyJson({ repository, target }: FoundFile, lines: readonly LineAnswer[], input: CommandInput): string {
  const calls = new CallList();
  const rows = lines.map((line) => lineJson(line, calls));
  const report = {
    file: target.path,
    repository: repository?.root ?? null,
    commit: target.commit ?? null,
    lines: rows,
    calls: calls.calls,
    unread: input.unread.problems,
  };
  return `${jsonText(report, 2)}\n`;
}
