// Search results: sessions whose title or folder matches, and links to the matching lines.
import { useCallback } from 'react';
import { counted, formatAge } from '../../../base/text/index.ts';
import { readJson } from '../../client/index.ts';
import type { ProjectRow, SearchAnswer, SearchHit, SnippetPiece, TextKind } from '../../wire/index.ts';
import {
  type Abortable,
  addressWith,
  Empty,
  goTo,
  PageFrame,
  ProblemNote,
  useAnswer,
  useServices,
  useStatus,
  Waiting,
} from '../page/index.ts';
import { formatTime } from '../session/format/index.ts';
import { writeAddress } from '../session/source/index.ts';
import { Words } from '../session/text/index.ts';
import { type LibraryAddress, searchModes } from './library-address.ts';
import { ProjectSelect, shortProject } from './project-list.tsx';

export interface SearchResultsProps {
  readonly address: LibraryAddress;
  readonly projects: readonly ProjectRow[];
}

const modeNames = { words: 'Words', exact: 'Exact', regex: 'Regular expression' } as const;
const maxByTitle = 5;

export function SearchResults({ address, projects }: SearchResultsProps) {
  const { client } = useServices();
  const status = useStatus();
  const { search: text, mode, project } = address;
  const within = project === null ? undefined : project;
  const ask = useCallback(
    (options: Abortable) => {
      const query = { text, mode, limit: 60, perSession: 5, ...(within === undefined ? {} : { project: within }) };
      return readJson(client.search.$get({ query }, options));
    },
    [client, text, mode, within],
  );
  const askByTitle = useCallback(
    (options: Abortable) => {
      const query = {
        text: text.slice(0, 200),
        limit: maxByTitle,
        ...(within === undefined ? {} : { project: within }),
      };
      return readJson(client.sessions.$get({ query }, options));
    },
    [client, text, within],
  );
  const { answer, problem, isAsking, askAgain } = useAnswer(ask);
  const byTitle = useAnswer(askByTitle).answer;
  return (
    <PageFrame title="Search" className="search-page" isReady={answer !== null}>
      <div className="list-tools">
        <fieldset className="filters">
          <legend className="unseen">How to search</legend>
          {searchModes.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={mode === each}
              onClick={() => goTo(addressWith({ mode: each === 'words' ? null : each }), { replaces: true })}
            >
              {modeNames[each]}
            </button>
          ))}
        </fieldset>
        <ProjectSelect projects={projects} current={project} />
        <output className="quiet">
          {answer === null ? '' : resultText(answer)}
          {status !== null && status.index.phase !== 'current' ? ' The index is not complete yet.' : ''}
        </output>
      </div>
      {problem === null ? null : <ProblemNote problem={problem} onRetry={askAgain} />}
      {byTitle === null || byTitle.total === 0 ? null : (
        <section className="called" aria-label="Sessions by title or folder">
          <h2>By title or folder</h2>
          <ul>
            {byTitle.rows.map((row) => (
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
          {byTitle.total <= maxByTitle ? null : (
            <p>
              <a href={addressWith({ q: null, mode: null, text })}>All {byTitle.total}</a>
            </p>
          )}
        </section>
      )}
      {answer === null && problem === null ? <Waiting what="Searching" /> : null}
      {answer === null ? null : <Hits answer={answer} isAsking={isAsking} />}
    </PageFrame>
  );
}

function resultText({ total, sessions }: SearchAnswer): string {
  const shown = sessions.reduce((sum, { hits }) => sum + hits.length, 0);
  if (total === 0) return '';
  return shown < total
    ? `${counted(total, 'match', 'matches')}; the best ${shown}, in ${counted(sessions.length, 'session')}, are shown.`
    : `${counted(total, 'match', 'matches')} in ${counted(sessions.length, 'session')}.`;
}

function Hits({ answer, isAsking }: { readonly answer: SearchAnswer; readonly isAsking: boolean }) {
  if (answer.total === 0 && !isAsking)
    return (
      <Empty>
        <p>No session contains this.</p>
        <p className="quiet">All words must be in one block; the last one matches the beginning of a word.</p>
      </Empty>
    );
  return (
    <section className="hits" aria-label="Matches in sessions" aria-busy={isAsking}>
      <h2>In the sessions</h2>
      {answer.sessions.map((session) => (
        <article key={session.key}>
          <h3>
            <a href={`/s/${encodeURIComponent(session.key)}`}>
              <Words text={session.title ?? session.id} />
            </a>{' '}
            <span className="quiet">
              <Words text={shortProject(session.project)} />
            </span>
          </h3>
          <ol>
            {session.hits.map((hit) => (
              <li key={`${hit.agentId ?? ''} ${hit.line} ${hit.kind} ${pieceText(hit.snippet)}`}>
                <HitLink sessionKey={session.key} hit={hit} />
              </li>
            ))}
          </ol>
          {session.hasMore ? <p className="quiet">More in this session: open it and press / to find them.</p> : null}
        </article>
      ))}
    </section>
  );
}

const kindNames: Readonly<Record<TextKind, string>> = {
  title: 'title',
  prompt: 'prompt',
  answer: 'answer',
  thinking: 'thinking',
  'tool-input': 'call',
  'tool-output': 'output',
  note: 'note',
  attachment: 'attachment',
};

function HitLink({ sessionKey, hit }: { readonly sessionKey: string; readonly hit: SearchHit }) {
  return (
    <a
      className="hit"
      href={writeAddress(sessionKey, { line: hit.line, agentId: hit.agentId })}
      data-stop=""
      title={formatTime(hit.time)}
    >
      <span className="hit-kind">
        {kindNames[hit.kind]}
        {hit.tool === null ? null : (
          <>
            {' '}
            <Words text={hit.tool} />
          </>
        )}
        {hit.agentId === null ? '' : ', sub-agent'}
      </span>
      <span className="hit-text" dir="auto">
        {keyed(hit.snippet).map(({ at, piece }) =>
          piece.isMatch ? (
            <mark key={at}>
              <Words text={piece.text} />
            </mark>
          ) : (
            <Words key={at} text={piece.text} />
          ),
        )}
      </span>
    </a>
  );
}

function pieceText(pieces: readonly SnippetPiece[]): string {
  return pieces.map(({ text }) => text).join('');
}

/** Keys for React: where each piece begins. */
function keyed(pieces: readonly SnippetPiece[]): readonly { readonly at: number; readonly piece: SnippetPiece }[] {
  let at = 0;
  return pieces.map((piece) => {
    const here = at;
    at += piece.text.length;
    return { at: here, piece };
  });
}
