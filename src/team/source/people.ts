// Whose sessions a reading of the store is about, and what they are called.
import { UserError } from '../../base/errors/index.ts';
import type { Sql } from '../database/index.ts';

/** `me`: the person who is connected. */
export type PeopleChoice =
  | { readonly kind: 'me' }
  | { readonly kind: 'person'; readonly name: string }
  | { readonly kind: 'group'; readonly name: string }
  | { readonly kind: 'everyone' };

export interface StoreChoice {
  /** Of PostgreSQL. It may have a password: messages show `hidePassword(address)`. */
  readonly address: string;
  readonly people: PeopleChoice;
}

export interface Scope {
  readonly me: number;
  /** `undefined`: everyone whom the policies of the store show. */
  readonly people: readonly number[] | undefined;
  /** Everyone is all people of the store: sums of everyone are sums that this person may see. */
  readonly isWhole: boolean;
  /** Rows name their person. */
  readonly namesPeople: boolean;
  nameOf(person: number): string;
}

export async function readScope(sql: Sql, choice: PeopleChoice): Promise<Scope> {
  const [row] = await sql<{ me: number | null; sees: boolean }[]>`
    SELECT clew.reader_person() AS me, clew.sees_others() AS sees`;
  const me = row?.me ?? undefined;
  if (me === undefined)
    throw new UserError('the store does not know this role', 'ask its administrator for a role with `clew team grant`');
  if (choice.kind === 'me') return { me, people: [me], isWhole: false, namesPeople: false, nameOf: () => '' };
  const known = await sql<{ person: number; name: string }[]>`SELECT person, name FROM clew.people`;
  const names = new Map(known.map(({ person, name }) => [person, name]));
  const nameOf = (person: number): string => names.get(person) ?? '';
  const isWhole = choice.kind === 'everyone' && row?.sees === true;
  return { me, people: await chosenPeople(sql, choice, known), isWhole, namesPeople: true, nameOf };
}

async function chosenPeople(
  sql: Sql,
  choice: Exclude<PeopleChoice, { readonly kind: 'me' }>,
  known: readonly { readonly person: number; readonly name: string }[],
): Promise<readonly number[] | undefined> {
  if (choice.kind === 'everyone') return undefined;
  if (choice.kind === 'person') {
    const found = known.find(({ name }) => name === choice.name);
    if (found === undefined)
      throw new UserError(
        `the store has nobody called "${choice.name}"`,
        'check the name; `clew ls --store --everyone` shows names',
      );
    return [found.person];
  }
  const [group] = await sql`SELECT 1 FROM clew.groups WHERE name = ${choice.name}`;
  if (group === undefined) throw new UserError(`the store has no group "${choice.name}"`, 'check the name');
  const members = await sql<{ person: number }[]>`SELECT person FROM clew.members WHERE group_name = ${choice.name}`;
  return members.map(({ person }) => person);
}
