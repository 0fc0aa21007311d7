// The library's address → what to list. The address may come from anywhere: invalid values are ignored.
import {
  type SessionFilter,
  type SessionSort,
  type SessionsQuery,
  sessionFilters,
  sessionSorts,
} from '../../wire/index.ts';

export interface LibraryAddress {
  readonly sort: SessionSort;
  readonly reverse: boolean;
  readonly only: SessionFilter | null;
  readonly project: string | null;
  /** Filters the list by words. */
  readonly text: string;
  /** Keys of sessions whose forks are listed. */
  readonly open: readonly string[];
}

export function readLibraryAddress(search: string): LibraryAddress {
  const query = new URLSearchParams(search);
  const word = <T extends string>(name: string, known: readonly T[]): T | undefined =>
    known.find((each) => each === query.get(name));
  return {
    sort: word('sort', sessionSorts) ?? 'age',
    reverse: query.get('reverse') === '1',
    only: word('only', sessionFilters) ?? null,
    project: query.get('project'),
    text: (query.get('text') ?? '').slice(0, 200),
    open: [...new Set((query.get('open') ?? '').slice(0, mostOpenChars).split(' '))].filter((key) => key !== ''),
  };
}

/** As the server accepts it. */
const mostOpenChars = 4_000;

/** Without `open`: the list is the same, with more rows. */
export function listQuery({ sort, reverse, only, project, text }: LibraryAddress): SessionsQuery {
  return {
    sort,
    reverse,
    fold: true,
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...(only == null ? {} : { only }),
    ...(project === null ? {} : { project }),
    ...(text === '' ? {} : { text }),
  };
}
