// clew export --format parquet: the named sessions, or all of them with --all, as tables in a folder.
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { exitCodes, UnreadableError, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { counted, formatCount, neutralise } from '../../base/text/index.ts';
import { tableNames, type WrittenPart, writeParquet } from '../../export/parquet/index.ts';
import { type ExportSource, exportSource } from '../../export/source/index.ts';
import type { PriceList } from '../../models/index.ts';
import { usageLinesOf } from '../../session/facts/index.ts';
import { type CountedMessage, countUsage, type UsageLine } from '../../session/usage/index.ts';
import { discoverSessions } from '../../store/index.ts';
import { redactorFor } from '../../surgery/redact/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { currentPrices, currentUsage, findSessionArgument, rootsOf, rulesArgument } from '../input/index.ts';
import { sourceOf } from '../operation/index.ts';
import { showProgress, writeNotice, writeOut } from '../terminal/index.ts';

export async function exportTables(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const prices = currentPrices(io);
  const folder = targetFolder(input);
  const mains = await mainsOf(input);
  const tally: Tally = { sessions: 0, lines: [] };
  const source = {
    sources: subjectsOf(input, mains, tally),
    countedMessages: () => countedMessages(input, tally, prices),
    prices,
  };
  const parts = await writeParquet(source, folder, { full: flags.full === true });
  const text =
    flags.json === true
      ? jsonText({ ...writtenJson(folder, tally, parts), unread: input.unread.problems }, 2)
      : writtenText(folder, tally, parts);
  await writeOut([`${text}\n`], io);
}

interface Tally {
  sessions: number;
  /** Lines with usage of the named sessions; with --all, what was counted before is used. */
  readonly lines: UsageLine[];
}

function targetFolder({ flags, io }: CommandInput): string {
  const output = textFlag(flags, 'output');
  if (output === undefined) throw new UserError('parquet needs a folder for its tables', 'add --output DIR');
  const folder = path.resolve(io.cwd, output);
  const present = statSync(folder, { throwIfNoEntry: false });
  if (present === undefined) return folder;
  if (!present.isDirectory()) throw new UserError(`${folder} is a file`, 'choose a folder for --output');
  const names = readdirSync(folder);
  const strangers = names.filter((name) => !tableNames.some((table) => table === name));
  // The whole folder is replaced.
  if (strangers.length > 0)
    throw new UserError(`${folder} contains other files`, 'choose a new folder', exitCodes.refused);
  if (names.length > 0 && flags.force !== true)
    throw new UserError(`${folder} is not empty`, 'choose another folder, or add --force', exitCodes.refused);
  return folder;
}

async function mainsOf(input: CommandInput): Promise<readonly string[]> {
  if (input.flags.all !== true) {
    if (input.words.length === 0) throw new UserError('no session is named', 'name some, or add --all');
    const found = input.words.map((word) => findSessionArgument({ ...input, argument: word }));
    return [...new Set(await Promise.all(found))];
  }
  if (input.words.length > 0) throw new UserError('--all already includes every session', 'leave out the names');
  const { sessions, problems } = await discoverSessions(rootsOf(input));
  input.unread.add(problems);
  return sessions.map((session) => session.path);
}

async function* subjectsOf(input: CommandInput, mains: readonly string[], tally: Tally): AsyncGenerator<ExportSource> {
  const { flags, io } = input;
  const rules = flags['no-redact'] === true ? undefined : rulesArgument(input);
  const progress = showProgress({ stderr: io.stderr, label: 'writing tables' });
  try {
    for (const [i, main] of mains.entries()) {
      progress.update(i, mains.length);
      try {
        const source = await sourceOf(main, { roots: rootsOf(input), isOnlyRead: true });
        if (flags.all !== true) tally.lines.push(...usageLinesOf(source.session));
        tally.sessions++;
        yield exportSource(source.session, flags['no-redact'] === true ? undefined : redactorFor([source], rules));
      } catch (error) {
        // With --all, a file that is not a session is skipped.
        if (flags.all !== true || !(error instanceof UserError) || !existsSync(main)) throw error;
        if (error instanceof UnreadableError) input.unread.addFailed(main, error);
        else writeNotice(io.stderr, `left out: ${error.message}`);
      }
    }
  } finally {
    progress.end();
  }
}

function countedMessages(input: CommandInput, { lines }: Tally, prices: PriceList): readonly CountedMessage[] {
  if (input.flags.all !== true) return countUsage(lines).messages;
  return currentUsage(input, prices).messages();
}

function writtenText(folder: string, { sessions }: Tally, parts: readonly WrittenPart[]): string {
  const rows = tableNames.map((table) => {
    const own = parts.filter((part) => part.table === table);
    const total = own.reduce((sum, part) => sum + part.rows, 0);
    return `  ${table.padEnd(10)}  ${formatCount(total).padStart(6)} rows in ${counted(own.length, 'month')}`;
  });
  return [`wrote ${counted(sessions, 'session')} to ${neutralise(folder)}`, ...rows].join('\n');
}

function writtenJson(folder: string, { sessions }: Tally, parts: readonly WrittenPart[]): object {
  return { operation: 'export', format: 'parquet', path: folder, sessions, tables: parts };
}
