// Whose text a search covers → the numbers of these people; the reading of others is announced first, because the store shows
// their text only then.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import type { Sql } from '../database/index.ts';
import type { PeopleChoice } from '../source/index.ts';

export interface SearchedPeople {
  readonly numbers: readonly number[];
  /** By number. */
  readonly names: ReadonlyMap<number, string>;
}

/** Commits a row in `clew.readings` if there are others among them. */
export async function searchedPeople(sql: Sql, choice: PeopleChoice, text: string): Promise<SearchedPeople> {
  const rows = await sql<{ person: number; name: string; me: boolean | null }[]>`
    SELECT person, name, person = (SELECT clew.my_person()) AS me FROM clew.people ORDER BY person`;
  const wanted = new Set(await numbersOf(sql, choice, rows));
  const found = rows.filter(({ person, me }) => (choice.kind === 'me' ? me === true : wanted.has(person)));
  if (found.length === 0) throw unknownPeople(choice);
  if (found.some(({ me }) => me !== true)) await announce(sql, choice, text);
  return {
    numbers: found.map(({ person }) => person),
    names: new Map(found.map(({ person, name }) => [person, name])),
  };
}

async function numbersOf(
  sql: Sql,
  choice: PeopleChoice,
  rows: readonly { readonly person: number; readonly name: string }[],
): Promise<readonly number[]> {
  if (choice.kind !== 'group')
    return rows.flatMap(({ person, name }) =>
      choice.kind === 'everyone' || (choice.kind === 'person' && name === choice.name) ? [person] : [],
    );
  const members = await sql<{ person: number }[]>`SELECT person FROM clew.members WHERE group_name = ${choice.name}`;
  return members.map(({ person }) => person);
}

function unknownPeople(choice: PeopleChoice): UserError {
  if (choice.kind === 'person' || choice.kind === 'group')
    return new UserError(`the store has no ${choice.kind} "${choice.name}"`, `check --${choice.kind}`);
  return new UserError('the store does not know your role', 'ask the administrator: `clew team grant`');
}

/** A search looks at everything that it may see before it knows what it finds, so that it is a reading of everyone. */
async function announce(sql: Sql, choice: PeopleChoice, text: string): Promise<void> {
  const [row] = await sql<{ sees: boolean }[]>`SELECT clew.sees_others() AS sees`;
  if (row?.sees !== true)
    throw new UserError(
      'your role may not read what others said',
      'search your own sessions: leave out --person, --group and --everyone',
      exitCodes.refused,
    );
  const whose = choice.kind === 'person' || choice.kind === 'group' ? `--${choice.kind} ${choice.name}` : '--everyone';
  // One statement is one transaction: it is committed when this returns.
  await sql`SELECT clew.announce_reading('find', NULL, NULL, ${`${whose}: ${text}`})`;
}
