// clew team sweep: applies retention and the most level now, and cleans the tables; --erase rewrites them.
import { counted } from '../../base/text/index.ts';
import { sweep, vacuumRemovals } from '../../team/admin/index.ts';
import type { CommandInput } from '../command/index.ts';
import { print, withTenant, wordsOf } from './action.ts';

export async function run(input: CommandInput): Promise<void> {
  wordsOf(input, 'sweep');
  const erases = input.flags.erase === true;
  await withTenant(input, async (sql, tenant) => {
    const swept = await sweep(sql, tenant);
    const { tables, pending } = await vacuumRemovals(sql, erases);
    await print(input, { ...swept, tables, erased: erases, pending }, [
      `rows of ${counted(swept.sessions, 'session')} removed`,
      ...(swept.held > 0 ? [`${counted(swept.held, 'session')} on legal hold stay`] : []),
      ...(swept.busy > 0
        ? [`${counted(swept.busy, 'person', 'people')} left out because of a running push; sweep again`]
        : []),
      `${counted(tables, 'table')} ${erases ? 'rewritten' : 'cleaned'}`,
      ...pendingLines(pending, erases),
    ]);
  });
}

export function pendingLines(pending: readonly string[], erases: boolean): readonly string[] {
  if (pending.length === 0) return [];
  const months = pending.join(', ');
  return erases
    ? [`not yet erased: ${months}, because another transaction is open; end it and run clew team sweep --erase again`]
    : [
        `bytes of removed rows may still be in unused space of ${months}; clew team sweep --erase rewrites those tables`,
      ];
}
