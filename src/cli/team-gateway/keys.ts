// clew team gateway key add|list|revoke: the keys of people for the gateway.
import { isoDate, jsonText } from '../../base/json/index.ts';
import { counted } from '../../base/text/index.ts';
import { addKey, type KeyRow, listKeys, revokeKeys } from '../../team/gateway/index.ts';
import type { CommandInput } from '../command/index.ts';
import { type Column, renderTable } from '../render/index.ts';
import { safeText, terminalWidth, writeNotice, writeOut } from '../terminal/index.ts';
import { withStore } from './store.ts';

/** The key alone on stdout, so that it can be piped to where it belongs. */
export async function runAddKey(input: CommandInput, person: string): Promise<void> {
  const key = await withStore(input, 1, (sql) => addKey(sql, person));
  const { io, flags } = input;
  if (flags.json !== true)
    writeNotice(io.stderr, `the key of ${person}; the store has only its hash, so it is shown once`);
  await writeOut([flags.json === true ? `${jsonText({ person, key })}\n` : `${key}\n`], io);
}

export async function runListKeys(input: CommandInput, person: string | undefined): Promise<void> {
  const rows = await withStore(input, 1, (sql) => listKeys(sql, person));
  const { io, flags } = input;
  const text = flags.json === true ? jsonText(rows.map(keyJson), 2) : keyTable(rows, input);
  await writeOut([`${text}\n`], io);
}

export async function runRevokeKeys(input: CommandInput, person: string, key: number | undefined): Promise<void> {
  const revoked = await withStore(input, 1, (sql) => revokeKeys(sql, person, key));
  const { io, flags } = input;
  const text =
    flags.json === true ? jsonText({ person, revoked }) : `${safeText(person)}: ${counted(revoked, 'key')} revoked`;
  await writeOut([`${text}\n`], io);
}

function keyJson({ key, person, hint, createdBy, createdAt, revokedAt, lastUsedAt }: KeyRow): object {
  const timeOf = (time: Date | null): string | null => (time === null ? null : isoDate(time.getTime()));
  const times = { createdAt: timeOf(createdAt), revokedAt: timeOf(revokedAt), lastUsedAt: timeOf(lastUsedAt) };
  return { key, person, hint, createdBy, ...times };
}

function keyTable(rows: readonly KeyRow[], { io }: CommandInput): string {
  if (rows.length === 0) return 'no keys; `clew team gateway key add PERSON` makes one';
  const minuteOf = (time: Date | null): string =>
    time === null ? '–' : time.toISOString().slice(0, 16).replace('T', ' ');
  const columns: readonly Column[] = [
    { header: 'PERSON', flex: true },
    { header: 'KEY', align: 'right' },
    ...['BEGINS WITH', 'CREATED', 'BY', 'LAST USED', 'REVOKED'].map((header) => ({ header })),
  ];
  const cells = rows.map(({ person, key, hint, createdAt, createdBy, lastUsedAt, revokedAt }) => [
    ...[person, String(key), hint, minuteOf(createdAt), createdBy, minuteOf(lastUsedAt), minuteOf(revokedAt)],
  ]);
  return renderTable(columns, cells, { width: terminalWidth(io.stdout, io.env), style: io.style });
}
