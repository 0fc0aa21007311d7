// A search of the page → what the store finds. The reading of other people's text is announced before.

import { searchStore } from '../../../team/search/index.ts';
import type { PeopleChoice, StoredSession, StoreSource } from '../../../team/source/index.ts';
import { type SearchAsked, type SearchFound, searchFound, textQuery } from '../answers/index.ts';
import type { StoreConnection } from './store-connection.ts';
import { placeText } from './stored-place.ts';

export function searchStored(store: StoreConnection, asked: SearchAsked): Promise<SearchFound> {
  return store.ask(async (source) => {
    const { scope, sql } = source;
    const stored = await source.stored();
    const only = asked.path === undefined ? undefined : stored.find((each) => placeText(each) === asked.path);
    const found = await searchStore(sql, {
      ...textQuery(asked),
      ...placesWanted(asked, only),
      people: peopleOf(store.people, source, only),
    });
    // A search names a session by its person and the path on its machine.
    const nameOf = (person: string, path: string): string => (scope.namesPeople ? `${person}\n${path}` : path);
    const places = new Map(
      stored.map((each) => [nameOf(scope.nameOf(each.person), each.session.path), placeText(each)]),
    );
    return searchFound(found, asked, ({ person, session }) => places.get(nameOf(person, session.path)) ?? '');
  });
}

/** Only the sessions of a project, or one session. */
function placesWanted({ project }: SearchAsked, only: StoredSession | undefined) {
  if (project === undefined && only === undefined) return {};
  return {
    isOfProject: (of: { readonly path: string; readonly cwd: string | undefined; readonly project: string }) =>
      (project === undefined || (of.cwd ?? of.project) === project) &&
      (only === undefined || of.path === only.session.path),
  };
}

function peopleOf(people: PeopleChoice, { scope }: StoreSource, only: StoredSession | undefined): PeopleChoice {
  if (only === undefined || !scope.namesPeople) return people;
  return { kind: 'person', name: scope.nameOf(only.person) };
}
