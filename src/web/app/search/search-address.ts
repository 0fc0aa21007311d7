// The address of a search → the question to the server. The address may come from anywhere: invalid values are ignored.
import { type SearchQuery, searchModes, textKinds } from '../../wire/index.ts';

export type SearchAddress = Required<Pick<SearchQuery, 'text' | 'mode' | 'offset'>> & {
  readonly [Key in 'kind' | 'tool' | 'since' | 'until' | 'project']: NonNullable<SearchQuery[Key]> | null;
};

export const sessionsPerPage = 20;

export function readSearchAddress(search: string): SearchAddress {
  const query = new URLSearchParams(search);
  const word = <T extends string>(name: string, known: readonly T[]): T | undefined =>
    known.find((each) => each === query.get(name));
  const day = (name: string): string | null => {
    const text = query.get(name) ?? '';
    return /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : null;
  };
  const page = /^\d{1,4}$/.exec(query.get('page') ?? '')?.[0];
  return {
    text: (query.get('q') ?? '').trim().slice(0, 500),
    mode: word('mode', searchModes) ?? 'words',
    kind: word('kind', textKinds) ?? null,
    tool: query.get('tool')?.trim().slice(0, 200) || null,
    since: day('since'),
    until: day('until'),
    project: query.get('project'),
    offset: page === undefined ? 0 : Math.max(0, Number(page) - 1) * sessionsPerPage,
  };
}

const perSession = 3;

export function searchQuery({ text, mode, offset, ...filters }: SearchAddress): SearchQuery {
  const given = Object.entries(filters).filter(([, value]) => value !== null);
  return { text, mode, offset, limit: sessionsPerPage, perSession, ...Object.fromEntries(given) };
}

export function isFiltered({ kind, tool, since, until, project }: SearchAddress): boolean {
  return [kind, tool, since, until, project].some((each) => each !== null);
}
