// clew team status: version, rules, sizes, holds, and what waits for a sweep.
import { counted, formatBytes } from '../../base/text/index.ts';
import { type StoreStatus, storeStatus } from '../../team/admin/index.ts';
import type { CommandInput } from '../command/index.ts';
import { nameOfLevel, print, withTenant, wordsOf } from './action.ts';
import { holdsJson } from './holds.ts';
import { dueText, retentionJson, retentionLines } from './rules.ts';
import { pendingLines } from './sweep.ts';

export async function run(input: CommandInput): Promise<void> {
  wordsOf(input, 'status');
  const status = await withTenant(input, (sql, tenant) => storeStatus(sql, tenant));
  const { tenant, schema, owner, isSuperuser, people, groups, sessions, sizeBytes, due, pending } = status;
  const json = {
    ...{ tenant, schema, owner, isSuperuser, most: nameOfLevel(status.mostLevel) },
    retention: retentionJson(status.retention),
    ...{ people, groups, sessions, sizeBytes, sweptAt: status.sweptAt?.toISOString() ?? null, due },
    holds: holdsJson(status.holds),
    pending,
  };
  await print(input, json, statusLines(status));
}

function statusLines(status: StoreStatus): readonly string[] {
  const { tenant, schema, owner, isSuperuser, people, groups, sessions, sizeBytes, mostLevel, retention, holds } =
    status;
  return [
    `tenant     ${tenant}: ${counted(people, 'person', 'people')}, ${counted(groups, 'group')}, ${counted(sessions, 'session')}`,
    `store      schema ${schema}, owned by ${owner}${isSuperuser ? ' (a superuser)' : ''}, ${formatBytes(sizeBytes)}`,
    `accepts    ${nameOfLevel(mostLevel)} at most`,
    ...retentionLines(retention).map((line) => `retention  ${line}`),
    `due        ${dueText(status.due)}`,
    ...(holds.length === 0 ? [] : [`holds      ${counted(holds.length, 'hold')}; clew team hold lists them`]),
    ...pendingLines(status.pending, false).map((line) => `erase      ${line}`),
  ];
}
