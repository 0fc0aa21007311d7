// The library page: projects and sessions, or the results of a search.
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { counted } from '../../../base/text/index.ts';
import { readJson } from '../../client/index.ts';
import type { ProjectRow } from '../../wire/index.ts';
import {
  type Abortable,
  addressWith,
  Empty,
  goTo,
  PageFrame,
  ProblemNote,
  useAnswer,
  useEvent,
  usePlace,
  useServices,
  useStatus,
  useThrottled,
  useTypedText,
  Waiting,
} from '../page/index.ts';
import { type LibraryAddress, listQuery, onlyNames, readLibraryAddress } from './library-address.ts';
import { ProjectList, ProjectSelect } from './project-list.tsx';
import { SearchResults } from './search-results.tsx';
import { SessionRows, useRows } from './session-rows.ts';
import { SessionTable } from './session-table.tsx';

const refreshMs = 1_500;

export function LibraryPage() {
  const { search } = usePlace();
  const address = useMemo(() => readLibraryAddress(search), [search]);
  const projects = useProjects();
  return address.search === '' ? (
    <LibraryList projects={projects} search={search} />
  ) : (
    <SearchResults address={address} projects={projects} />
  );
}

function useProjects(): readonly ProjectRow[] {
  const { client, events } = useServices();
  const ask = useCallback((options: Abortable) => readJson(client.projects.$get({}, options)), [client]);
  const { answer, askAgain } = useAnswer(ask);
  useEvent('sessions', useThrottled(askAgain, refreshMs));
  useEffect(() => events.onMissed(askAgain), [events, askAgain]);
  return answer ?? [];
}

function LibraryList({ projects, search }: { readonly projects: readonly ProjectRow[]; readonly search: string }) {
  const { client } = useServices();
  const status = useStatus();
  const scroll = useRef<HTMLElement>(null);
  const address = useMemo(() => readLibraryAddress(search), [search]);
  const rows = useRows(useCallback(() => new SessionRows(client, listQuery(address)), [client, address]));
  const counts = useCounts();
  return (
    <PageFrame
      title="Library"
      className="library"
      isReady={rows.total !== null}
      scrollRef={scroll}
      tools={<p className="quiet page-facts">{factsOf(rows.total, projects.length)}</p>}
    >
      <div className="library-grid">
        <ProjectList projects={projects} current={address.project} />
        <section className="sessions" aria-label="Sessions">
          <ProjectSelect projects={projects} current={address.project} />
          <ListTools address={address} counts={counts} />
          {rows.problem !== null && rows.total === null ? (
            <ProblemNote problem={rows.problem} onRetry={() => rows.refresh()} />
          ) : rows.total === null ? (
            <Waiting what="Listing the sessions" />
          ) : rows.total === 0 ? (
            <Nothing isFiltered={address.only !== null || address.project !== null || address.text !== ''} />
          ) : (
            <SessionTable
              rows={rows}
              total={rows.total}
              scroll={scroll}
              address={address}
              isReading={status !== null && status.index.phase !== 'current'}
            />
          )}
        </section>
      </div>
    </PageFrame>
  );
}

function factsOf(total: number | null, projects: number): string {
  return total === null ? '' : `${counted(total, 'session')} · ${counted(projects, 'project')}`;
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <Empty>
      {isFiltered ? (
        <p>
          No session matches these filters. <a href="/">Show all</a>
        </p>
      ) : (
        <>
          <p>There are no sessions yet.</p>
          <p className="quiet">They appear here as soon as Claude Code writes one; no reload needed.</p>
        </>
      )}
    </Empty>
  );
}

type FilterCounts = Readonly<Record<(typeof onlyNames)[number], number | null>>;

function useCounts(): FilterCounts {
  const { client } = useServices();
  const ask = useCallback(
    async (options: Abortable) => {
      const pages = await Promise.all(
        onlyNames.map((only) => readJson(client.sessions.$get({ query: { only, limit: 1 } }, options))),
      );
      return pages.map(({ total }) => total);
    },
    [client],
  );
  const { answer, askAgain } = useAnswer(ask);
  useEvent('sessions', useThrottled(askAgain, refreshMs));
  const [live = null, damaged = null, expiring = null, unexamined = null] = answer ?? [];
  return { live, damaged, expiring, unexamined };
}

const filters = [
  { only: null, name: 'All' },
  { only: 'live', name: 'Live' },
  { only: 'damaged', name: 'Damaged' },
  { only: 'expiring', name: 'Expiring soon' },
  { only: 'unexamined', name: 'Not examined' },
] as const;

const sorts = [
  ['age', 'Last used'],
  ['title', 'Title'],
  ['project', 'Project'],
  ['turns', 'Turns'],
  ['size', 'Size'],
  ['cost', 'Cost'],
  ['damage', 'Damage'],
  ['expires', 'Deleted soonest'],
] as const;

function ListTools({ address, counts }: { readonly address: LibraryAddress; readonly counts: FilterCounts }) {
  const [text, setText] = useTypedText(address.text, (typed) => goTo(addressWith({ text: typed }), { replaces: true }));
  return (
    <div className="list-tools">
      <fieldset className="filters">
        <legend className="unseen">Which sessions</legend>
        {filters.map(({ only, name }) => {
          const count = only === null ? null : counts[only];
          return (
            <button
              key={name}
              type="button"
              aria-pressed={address.only === only}
              onClick={() => goTo(addressWith({ only, ...(only === 'expiring' ? { sort: 'expires' } : {}) }))}
            >
              {name}
              {count === null ? '' : <span className="quiet"> {count}</span>}
            </button>
          );
        })}
      </fieldset>
      <input
        type="search"
        aria-label="Filter by title, folder or id"
        placeholder="Filter titles"
        value={text}
        maxLength={200}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <label className="sort">
        <span className="quiet">Sort</span>
        <select
          value={address.sort}
          onChange={(event) => goTo(addressWith({ sort: event.currentTarget.value, reverse: null }))}
        >
          {sorts.map(([sort, name]) => (
            <option key={sort} value={sort}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
