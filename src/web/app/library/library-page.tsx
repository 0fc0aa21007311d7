// The library page: projects and sessions.
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { type Client, readJson } from '../../client/index.ts';
import type { ProjectRow, SessionsQuery } from '../../wire/index.ts';
import {
  type Abortable,
  Empty,
  PageFrame,
  ProblemNote,
  useAnswer,
  useEvent,
  usePlace,
  useServices,
  useStatus,
  useThrottled,
  Waiting,
} from '../page/index.ts';
import { type LibraryAddress, listQuery, readLibraryAddress } from './library-address.ts';
import { ListTools } from './list-tools.tsx';
import { ProjectList, ProjectSelect } from './project-list.tsx';
import { BulkBar, SelectionProvider } from './select/index.ts';
import { SessionRows, useRows } from './session-rows.ts';
import { SessionTable } from './session-table.tsx';
import { StarKey } from './star-button.tsx';

const refreshMs = 1_500;

export function LibraryPage() {
  const { search } = usePlace();
  return <LibraryList projects={useProjects()} search={search} />;
}

export function useProjects(): readonly ProjectRow[] {
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
  const rows = useSessionRows(client, address);
  return (
    <PageFrame title="Library" className="library" isReady={rows.total !== null} scrollRef={scroll}>
      <div className="library-grid">
        <ProjectList projects={projects} current={address.project} />
        <section className="sessions" aria-label="Sessions">
          <ProjectSelect projects={projects} current={address.project} />
          <ListTools address={address} sessions={rows.total === null ? null : rows.sessions} />
          {rows.problem !== null && rows.total === null ? (
            <ProblemNote problem={rows.problem} onRetry={() => rows.refresh()} />
          ) : rows.total === null ? (
            <Waiting what="Listing the sessions" />
          ) : rows.total === 0 ? (
            <Nothing isFiltered={address.only !== null || address.project !== null || address.text !== ''} />
          ) : status?.store != null ? (
            // Nothing can be done to sessions of a store.
            <SessionTable rows={rows} scroll={scroll} address={address} isReading={false} />
          ) : (
            <SelectionProvider query={shownQuery(address)}>
              <StarKey find={rows.find}>
                <SessionTable
                  rows={rows}
                  scroll={scroll}
                  address={address}
                  isReading={status !== null && status.index.phase !== 'current'}
                />
              </StarKey>
              <BulkBar total={rows.sessions} />
            </SelectionProvider>
          )}
        </section>
      </div>
    </PageFrame>
  );
}

/** One more opened fork does not load the whole list again. */
function useSessionRows(client: Client, address: LibraryAddress): SessionRows {
  const query = JSON.stringify(listQuery(address));
  const open = address.open.join(' ');
  const rows = useRows(useCallback(() => new SessionRows(client, JSON.parse(query) as SessionsQuery), [client, query]));
  useEffect(() => rows.setOpen(open), [rows, open]);
  return rows;
}

function shownQuery(address: LibraryAddress): SessionsQuery {
  return { ...listQuery(address), ...(address.open.length === 0 ? {} : { open: address.open.join(' ') }) };
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  const isStored = useStatus()?.store != null;
  return (
    <Empty>
      {isFiltered ? (
        <p>
          No session matches these filters. <a href="/">Show all</a>
        </p>
      ) : isStored ? (
        <>
          <p>The store has no sessions here yet.</p>
          <p className="quiet">
            They appear as soon as someone pushes one with <code>clew push</code>; no reload needed.
          </p>
        </>
      ) : (
        <>
          <p>There are no sessions yet.</p>
          <p className="quiet">They appear here as soon as Claude Code writes one; no reload needed.</p>
        </>
      )}
    </Empty>
  );
}
