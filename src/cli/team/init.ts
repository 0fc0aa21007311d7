// clew team init: creates the store, or brings it to this version.
import { initStore } from '../../team/admin/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { print, withStore, wordsOf } from './action.ts';

export async function run(input: CommandInput): Promise<void> {
  wordsOf(input, 'init');
  const done = await withStore(input, (sql) => initStore(sql, textFlag(input.flags, 'tenant')));
  const { database, owner, isSuperuser, from, to, tenant, isNewTenant } = done;
  const what =
    from === 0 ? `the store is created in ${database}, schema ${to}` : `the store has schema ${to}, before ${from}`;
  await print(input, done, [
    from === to ? `the store has schema ${to} already` : what,
    `tenant ${tenant}${isNewTenant ? ' is new' : ''}; clew team grant PERSON --role developer adds people`,
    ...(isSuperuser
      ? [
          `"${owner}" is a superuser and owns the store; a role with CREATEROLE and CREATE on the database is enough, and safer`,
        ]
      : []),
  ]);
}
