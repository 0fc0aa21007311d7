// clew team audit: who read whose text, newest first.
import { parseTime } from '../../base/time/index.ts';
import { listReadings, type Reading } from '../../team/admin/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { print, table, withTenant, wordsOf } from './action.ts';

export async function run(input: CommandInput): Promise<void> {
  wordsOf(input, 'audit');
  const since = textFlag(input.flags, 'since');
  const question = {
    person: textFlag(input.flags, 'person'),
    sinceMs: since === undefined ? undefined : parseTime(since, '--since', false),
  };
  const readings = await withTenant(input, (sql, tenant) => listReadings(sql, tenant, question));
  const json = readings.map((reading) => ({ ...reading, at: reading.at.toISOString() }));
  await print(input, json, readings.length === 0 ? ['no readings'] : [readingTable(input, readings)]);
}

function readingTable(input: CommandInput, readings: readonly Reading[]): string {
  const columns = [
    { header: 'TIME (UTC)' },
    { header: 'READER' },
    { header: 'ACTION' },
    { header: 'WHOSE' },
    { header: 'SESSION' },
    { header: 'DETAIL', flex: true, minWidth: 10 },
  ];
  const rows = readings.map(({ at, reader, action, person, session, detail }) => [
    at.toISOString().slice(0, 19).replace('T', ' '),
    reader,
    action,
    person ?? 'everyone',
    session ?? '',
    detail ?? '',
  ]);
  return table(input, columns, rows);
}
