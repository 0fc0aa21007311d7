// clew team people, groups, group add and group remove: who is in the store, with roles, groups and the last push.
import { UserError } from '../../base/errors/index.ts';
import { isoDate } from '../../base/json/index.ts';
import { addToGroup, listGroups, listPeople, type Person, removeFromGroup } from '../../team/admin/index.ts';
import type { CommandInput } from '../command/index.ts';
import { print, table, withTenant, wordsOf } from './action.ts';
import { checkedName } from './grant.ts';

export async function runPeople(input: CommandInput): Promise<void> {
  wordsOf(input, 'people');
  const people = await withTenant(input, (sql, tenant) => listPeople(sql, tenant));
  const json = people.map((person) => ({
    ...person,
    lastPush: person.lastPush === null ? null : isoDate(person.lastPush.getTime()),
  }));
  await print(
    input,
    json,
    people.length === 0 ? ['nobody yet; clew team grant PERSON --role developer'] : [personTable(input, people)],
  );
}

function personTable(input: CommandInput, people: readonly Person[]): string {
  const columns = [
    { header: 'PERSON', flex: true, minWidth: 10 },
    { header: 'LOGIN' },
    { header: 'ROLES' },
    { header: 'GROUPS' },
    { header: 'SESSIONS', align: 'right' as const },
    { header: 'LAST PUSH' },
    { header: 'STATE' },
  ];
  const rows = people.map(({ name, login, roles, groups, leads, sessions, lastPush, isHeld, isForgotten }) => [
    name,
    login ?? '',
    (roles ?? []).join(', '),
    groups.map((group) => (leads.includes(group) ? `${group} (lead)` : group)).join(', '),
    String(sessions),
    lastPush === null ? '' : lastPush.toISOString().slice(0, 16).replace('T', ' '),
    [isHeld === true ? 'on hold' : [], isForgotten === true ? 'forgotten' : []].flat().join(', '),
  ]);
  return table(input, columns, rows);
}

export async function runGroups(input: CommandInput): Promise<void> {
  wordsOf(input, 'groups');
  const groups = await withTenant(input, (sql, tenant) => listGroups(sql, tenant));
  const columns = [{ header: 'GROUP' }, { header: 'LEADS' }, { header: 'MEMBERS', flex: true, minWidth: 20 }];
  const rows = groups.map(({ name, leads, members }) => [name, leads.join(', '), members.join(', ')]);
  await print(
    input,
    groups,
    groups.length === 0 ? ['no groups; clew team group add NAME PERSON'] : [table(input, columns, rows)],
  );
}

export async function runGroup(input: CommandInput): Promise<void> {
  const [what, name = '', ...people] = input.words;
  if ((what !== 'add' && what !== 'remove') || name === '')
    throw new UserError(
      'clew team group needs add or remove, and a group',
      'write clew team group add NAME [PERSON...]',
    );
  const change = what === 'add' ? addToGroup : removeFromGroup;
  const group = await withTenant(input, async (sql, tenant) => {
    await change(sql, tenant, checkedName(name, 'NAME'), people);
    return (await listGroups(sql, tenant)).find((each) => each.name === name);
  });
  const members = group === undefined ? 'the group is removed' : `${name}: ${group.members.join(', ') || 'no members'}`;
  await print(input, group ?? { name, members: [], leads: [] }, [members]);
}
