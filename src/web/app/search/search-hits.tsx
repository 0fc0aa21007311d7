// The sessions that a search found, each with its hits below; a hit opens the session at the match.
import { useState } from 'react';
import { formatAge } from '../../../base/text/index.ts';
import { readJson } from '../../client/index.ts';
import type { SearchHit, SearchSession, SnippetPiece } from '../../wire/index.ts';
import { shortProject } from '../library/index.ts';
import { useServices } from '../page/index.ts';
import { formatTime } from '../session/format/index.ts';
import { writeAddress } from '../session/source/index.ts';
import { Words } from '../session/text/index.ts';
import { type SearchAddress, searchQuery } from './search-address.ts';
import { kindNames } from './search-filters.tsx';
import { cleanSnippet } from './snippet-text.ts';

const moreHits = 100;

export function SessionHits({
  session,
  address,
}: {
  readonly session: SearchSession;
  readonly address: SearchAddress;
}) {
  const { client } = useServices();
  const [more, setMore] = useState<SearchSession | null>(null);
  const [state, setState] = useState<'idle' | 'asking' | 'failed'>('idle');
  const { hits, hasMore } = more ?? session;
  const showMore = async (): Promise<void> => {
    setState('asking');
    try {
      const { project, ...query } = searchQuery({ ...address, offset: 0 });
      const asked = { ...query, session: session.key, perSession: moreHits };
      const [found] = (await readJson(client.search.$get({ query: asked }))).sessions;
      if (found !== undefined) setMore(found);
      setState('idle');
    } catch {
      setState('failed');
    }
  };
  const { text: q, mode } = address;
  return (
    <article>
      <h3>
        <a href={`/s/${encodeURIComponent(session.key)}`}>
          <Words text={session.title ?? session.id} />
        </a>{' '}
        <span className="quiet">
          <Words
            text={[session.person ?? '', shortProject(session.project)].filter((part) => part !== '').join(' · ')}
          />
          {session.endedAt === null ? '' : ` · ${formatAge(session.endedAt, Date.now())}`}
        </span>
      </h3>
      <ol>
        {hits.map((hit) => (
          <li key={`${hit.agentId ?? ''} ${hit.line} ${hit.kind} ${hit.nth}`}>
            <HitLink sessionKey={session.key} hit={hit} q={q} mode={mode} />
          </li>
        ))}
      </ol>
      {!hasMore ? null : more !== null ? (
        <p className="quiet">
          <a href={writeAddress(session.key, { q, mode })}>All in this session</a>
        </p>
      ) : (
        <button type="button" className="more" disabled={state === 'asking'} onClick={() => void showMore()}>
          {state === 'asking' ? 'Loading…' : state === 'failed' ? 'Try again: more hits' : 'More hits'}
        </button>
      )}
    </article>
  );
}

interface HitLinkProps {
  readonly sessionKey: string;
  readonly hit: SearchHit;
  readonly q: string;
  readonly mode: SearchAddress['mode'];
}

function HitLink({ sessionKey, hit, q, mode }: HitLinkProps) {
  const { line, agentId, kind, nth, offset } = hit;
  return (
    <a
      className="hit"
      href={writeAddress(sessionKey, { line, agentId, hit: { kind, nth, offset }, q, mode })}
      data-stop=""
      title={formatTime(hit.time)}
    >
      <span className="hit-kind">
        {kindNames[kind]}
        {hit.tool === null ? null : (
          <>
            {' '}
            <Words text={hit.tool} />
          </>
        )}
        {agentId === null ? '' : ', sub-agent'}
      </span>
      <span className="hit-text" dir="auto">
        {keyed(cleanSnippet(hit.snippet, kind)).map(({ at, piece }) =>
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

/** Keys for React: where each piece begins. */
function keyed(pieces: readonly SnippetPiece[]): readonly { readonly at: number; readonly piece: SnippetPiece }[] {
  let at = 0;
  return pieces.map((piece) => {
    const here = at;
    at += piece.text.length;
    return { at: here, piece };
  });
}
