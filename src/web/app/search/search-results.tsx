// Search results: sessions whose title or folder matches, and the sessions that contain the words, a page at a time.
import { useCallback, useMemo } from 'react';
import { counted, formatAge, formatCount } from '../../../base/text/index.ts';
import { readJson } from '../../client/index.ts';
import type { SearchAnswer } from '../../wire/index.ts';
import { shortProject, useProjects } from '../library/index.ts';
import {
  type Abortable,
  addressWith,
  Empty,
  PageFrame,
  ProblemNote,
  useAnswer,
  usePlace,
  useServices,
  useStatus,
  Waiting,
} from '../page/index.ts';
import { Words } from '../session/text/index.ts';
import { isFiltered, readSearchAddress, type SearchAddress, searchQuery, sessionsPerPage } from './search-address.ts';
import { SearchFilters } from './search-filters.tsx';
import { SessionHits } from './search-hits.tsx';

export function SearchPage() {
  const { client } = useServices();
  const { search } = usePlace();
  const projects = useProjects();
  const status = useStatus();
  const address = useMemo(() => readSearchAddress(search), [search]);
  const ask = useCallback(
    (options: Abortable) => readJson(client.search.$get({ query: searchQuery(address) }, options)),
    [client, address],
  );
  const { answer, problem, isAsking, askAgain } = useAnswer(ask);
  return (
    <PageFrame title="Search" className="search-page" isReady={answer !== null}>
      <div className="list-tools">
        <SearchFilters address={address} projects={projects} tools={answer?.tools ?? []} />
        <output className="quiet">
          {answer === null ? '' : resultText(answer)}
          {status !== null && status.index.phase !== 'current' ? ' The index is not complete yet.' : ''}
        </output>
      </div>
      {problem === null ? null : <ProblemNote problem={problem} onRetry={askAgain} />}
      {isFiltered({ ...address, project: null }) || address.offset > 0 ? null : <ByTitle address={address} />}
      {answer === null && problem === null ? <Waiting what="Searching" /> : null}
      {answer === null ? null : <Hits answer={answer} address={address} isAsking={isAsking} />}
    </PageFrame>
  );
}

const maxByTitle = 5;

function ByTitle({ address: { text, project } }: { readonly address: SearchAddress }) {
  const { client } = useServices();
  const ask = useCallback(
    (options: Abortable) => {
      const query = { text: text.slice(0, 200), limit: maxByTitle, ...(project == null ? {} : { project }) };
      return readJson(client.sessions.$get({ query }, options));
    },
    [client, text, project],
  );
  const { answer } = useAnswer(ask);
  if (answer === null || answer.total === 0) return null;
  return (
    <section className="called" aria-label="Sessions by title or folder">
      <h2>By title or folder</h2>
      <ul>
        {answer.rows.map((row) => (
          <li key={row.key}>
            <a href={`/s/${encodeURIComponent(row.key)}`} data-stop="">
              <Words text={row.title ?? row.firstPrompt ?? row.id} />
            </a>{' '}
            <span className="quiet">
              <Words text={shortProject(row.project)} /> · {formatAge(row.endedAt ?? row.changedAt, Date.now())}
            </span>
          </li>
        ))}
      </ul>
      {answer.total <= maxByTitle ? null : (
        <p>
          <a href={addressWith({ q: null, mode: null, text })}>All {answer.total}</a>
        </p>
      )}
    </section>
  );
}

function resultText({ total, sessionCount, sessions, offset }: SearchAnswer): string {
  if (total === 0) return '';
  const matches = `${formatCount(total)} ${total === 1 ? 'match' : 'matches'} in ${counted(sessionCount, 'session')}`;
  if (sessions.length === sessionCount) return `${matches}.`;
  return `${matches}; ${offset + 1} to ${offset + sessions.length} are shown.`;
}

interface HitsProps {
  readonly answer: SearchAnswer;
  readonly address: SearchAddress;
  readonly isAsking: boolean;
}

function Hits({ answer, address, isAsking }: HitsProps) {
  if (answer.total === 0 && !isAsking)
    return (
      <Empty>
        <p>No session contains this.</p>
        <p className="quiet">
          All words must be in one block; a word with * at its end matches the beginning of words.
        </p>
      </Empty>
    );
  return (
    <section className="hits" aria-label="Matches in sessions" aria-busy={isAsking}>
      <h2>In the sessions</h2>
      {answer.sessions.map((session) => (
        <SessionHits
          key={`${session.key} ${address.text} ${address.mode} ${address.kind} ${address.tool}`}
          session={session}
          address={address}
        />
      ))}
      <Pages answer={answer} />
    </section>
  );
}

function Pages({ answer: { offset, sessionCount } }: { readonly answer: SearchAnswer }) {
  const page = Math.floor(offset / sessionsPerPage) + 1;
  const last = Math.ceil(sessionCount / sessionsPerPage);
  if (last <= 1) return null;
  const to = (number: number): string => addressWith({ page: number === 1 ? null : String(number) });
  return (
    <nav className="pages" aria-label="Pages of results">
      {page <= 1 ? null : (
        <a href={to(page - 1)} rel="prev">
          ← Previous
        </a>
      )}
      <span className="quiet">
        Page {formatCount(page)} of {formatCount(last)}
      </span>
      {page >= last ? null : (
        <a href={to(page + 1)} rel="next">
          Next →
        </a>
      )}
    </nav>
  );
}
