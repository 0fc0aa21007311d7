// clew export --store --format parquet --to PLACE: month tables of the team's store, in a folder or a bucket.
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { counted, formatCount, neutralise } from '../../base/text/index.ts';
import { type Level, levels } from '../../team/contract/index.ts';
import { connect, storeError } from '../../team/database/index.ts';
import {
  exportLake,
  type LakeOptions,
  type LakeReport,
  type LakeTableName,
  lakeTableNames,
  openStorage,
} from '../../team/lake/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { refuseWithStore, storeChoice } from '../input/index.ts';
import { showProgress, writeOut } from '../terminal/index.ts';

export async function exportStore(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const place = lakePlace(input);
  const options = optionsOf(input);
  const address = await addressOf(input);
  const storage = await openStorage(place, io.env);
  const progress = showProgress({ stderr: io.stderr, label: 'writing months' });
  // One connection holds the lock.
  const sql = await connect(address, { connections: 2, readsArrays: true });
  try {
    const report = await exportLake(sql, storage, { ...options, onMonth: progress.update });
    progress.end();
    const text = flags.json === true ? jsonText(reportJson(place, report), 2) : reportText(place, report);
    await writeOut([`${text}\n`], io);
  } catch (error) {
    throw storeError(error, address);
  } finally {
    progress.end();
    await sql.end({ timeout: 5 });
  }
}

function lakePlace({ flags, io, words }: CommandInput): string {
  if (textFlag(flags, 'format') !== 'parquet')
    throw new UserError('the store is exported as Parquet', 'add --format parquet');
  if (words.length > 0) throw new UserError('all sessions of the store are exported', 'leave out the names');
  const place = textFlag(flags, 'to');
  if (place === undefined) throw new UserError('the tables need a place', 'add --to DIR, or --to s3://BUCKET/PREFIX');
  return place.startsWith('s3://') ? place : path.resolve(io.cwd, place);
}

/** Everything that the role may see is exported. */
async function addressOf(input: CommandInput): Promise<string> {
  const reason = 'the tables have the person in each row';
  refuseWithStore(input, { person: reason, group: reason, everyone: reason });
  const choice = await storeChoice(input);
  if (choice === undefined) throw new UserError('there is no store to export', 'add --store');
  return choice.address;
}

function optionsOf({ flags }: CommandInput): LakeOptions {
  const level = levelOf(textFlag(flags, 'level'));
  const tables = tablesOf(textFlag(flags, 'tables'));
  const since = monthOf('since', textFlag(flags, 'since'));
  const until = monthOf('until', textFlag(flags, 'until'));
  return {
    ...(level === undefined ? {} : { level }),
    ...(tables === undefined ? {} : { tables }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    isPurge: flags.purge === true,
  };
}

/** The transcripts themselves are not tables. */
const lakeLevels = levels.filter((level) => level !== 'files');

function levelOf(name: string | undefined): Level | undefined {
  if (name === undefined) return undefined;
  const level = lakeLevels.find((each) => each === name);
  if (level === undefined) throw new UserError(`there is no level "${name}"`, `use ${lakeLevels.join(', ')}`);
  return level;
}

function tablesOf(list: string | undefined): readonly LakeTableName[] | undefined {
  return list?.split(',').map((name) => {
    const table = lakeTableNames.find((each) => each === name);
    if (table === undefined) throw new UserError(`there is no table "${name}"`, `use ${lakeTableNames.join(', ')}`);
    return table;
  });
}

function monthOf(flag: string, value: string | undefined): string | undefined {
  if (value !== undefined && !/^\d{4}-(0[1-9]|1[0-2])$/.test(value))
    throw new UserError(`--${flag} takes a month, not "${value}"`, `for example --${flag} 2026-03`);
  return value;
}

function reportText(place: string, { level, tables, sessions, purgedFiles }: LakeReport): string {
  const rows = tables.map(
    ({ table, files, rows: count }) =>
      `  ${table.padEnd(10)}  ${formatCount(count).padStart(6)} rows in ${counted(files, 'file')}`,
  );
  const outdated =
    sessions.outdated === 0 ? [] : [`${counted(sessions.outdated, 'older version')} in files: remove with --purge`];
  return [
    `wrote ${counted(sessions.written, 'session')} at the level ${level} to ${neutralise(place)}`,
    ...rows,
    `${counted(sessions.removed, 'session')} removed, ${sessions.unchanged} unchanged`,
    ...outdated,
    ...(purgedFiles === 0 ? [] : [`${counted(purgedFiles, 'old file')} removed`]),
  ].join('\n');
}

function reportJson(place: string, { level, tables, sessions, purgedFiles }: LakeReport): object {
  return { operation: 'export', format: 'parquet', path: place, level, sessions, tables, purgedFiles };
}
