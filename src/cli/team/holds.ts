// clew team hold PERSON|SESSION --reason TEXT: nothing of it is replaced or deleted until clew team release. Without words, the
// list of holds.
import { UserError } from '../../base/errors/index.ts';
import { counted } from '../../base/text/index.ts';
import { type Hold, hold, listHolds, release } from '../../team/admin/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { print, table, withTenant, wordsOf } from './action.ts';

export async function runHold(input: CommandInput): Promise<void> {
  const holds = await withTenant(input, (sql, tenant) => {
    if (input.words.length === 0) return listHolds(sql, tenant);
    const [name = ''] = wordsOf(input, 'hold', 'PERSON|SESSION');
    const reason = textFlag(input.flags, 'reason');
    if (reason === undefined) throw new UserError('a hold needs a reason', 'add --reason TEXT');
    return hold(sql, tenant, name, reason);
  });
  await print(input, holdsJson(holds), holds.length === 0 ? ['nothing is on hold'] : [holdTable(input, holds)]);
}

export function holdsJson(holds: readonly Hold[]): object {
  return holds.map(({ person, session, reason, since }) => ({ person, session, reason, since: since.toISOString() }));
}

function holdTable(input: CommandInput, holds: readonly Hold[]): string {
  const columns = [
    { header: 'SINCE' },
    { header: 'PERSON' },
    { header: 'SESSION' },
    { header: 'REASON', flex: true, minWidth: 20 },
  ];
  const rows = holds.map(({ person, session, reason, since }) => [
    since.toISOString().slice(0, 10),
    person,
    session ?? 'all',
    reason,
  ]);
  return table(input, columns, rows);
}

export async function runRelease(input: CommandInput): Promise<void> {
  const [name = ''] = wordsOf(input, 'release', 'PERSON|SESSION');
  const released = await withTenant(input, (sql, tenant) => release(sql, tenant, name));
  await print(input, { released }, [`${counted(released, 'hold')} released`]);
}
