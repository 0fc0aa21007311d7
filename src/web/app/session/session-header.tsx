// The top of the session page: title, folder, times, usage, branches and actions.
import { useState } from 'react';
import { neutralise, shellQuote } from '../../../base/text/index.ts';
import type { SessionHead } from '../../../export/wire/index.ts';
import { branchText, sessionFacts } from './format/index.ts';
import { LiveBadge } from './live/index.ts';
import { type Presence, type RelatedSession, useActions, useMenus, useSource } from './source/index.ts';
import { Words } from './text/index.ts';
import type { SideState } from './use-side.ts';
import { ViewBar, type ViewBarProps } from './view/index.ts';

export interface SessionHeaderProps {
  readonly head: SessionHead;
  /** `false`: the head describes the beginning, and the rest is being read. */
  readonly isWhole: boolean;
  onFind(): void;
  onOutline(): void;
  onHelp(): void;
  /** The right side of the page, if it has one. */
  readonly side?: SideState;
  /** Absent on paper. */
  readonly view?: ViewBarProps;
  readonly presence?: Presence | null;
  /** Notices. */
  readonly children?: React.ReactNode;
}

export function SessionHeader(props: SessionHeaderProps) {
  const { head, isWhole, onFind, onOutline, onHelp, side, view, presence = null, children } = props;
  const [isOpen, setOpen] = useState(false);
  const source = useSource();
  const { copy, linkTo, showBranch } = useActions();
  const menus = useMenus();
  const { facts, cost, damage } = sessionFacts(head, isWhole);
  const resume = `${head.cwd === null ? '' : `cd ${shellQuote(head.cwd)} && `}claude --resume ${shellQuote(head.sessionId)}`;
  // The header of the page is Clew's own, except in an exported file.
  const Frame = source.exported === null ? 'section' : 'header';
  return (
    <Frame className={`session-header ${isOpen ? 'open' : ''}`} aria-label="Session">
      <div className="session-title">
        {source.exported === null ? (
          <a className="home" href="/">
            Clew
          </a>
        ) : null}
        <button type="button" className="outline-toggle" onClick={onOutline}>
          Turns
        </button>
        <h1>
          <Words text={head.title ?? 'Untitled session'} />
        </h1>
        <LiveBadge presence={presence} />
        <button type="button" className="find-button" onClick={onFind} aria-keyshortcuts="/">
          Find
        </button>
        <button type="button" className="header-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span aria-hidden="true">⋯</span>
          <span className="unseen">View and actions</span>
        </button>
        {head.branches.length < 2 ? null : (
          <select aria-label="Branch" value={head.branch} onChange={(event) => showBranch(Number(event.target.value))}>
            {head.branches.map((branch) => (
              <option key={branch.number} value={branch.number}>
                {branchText(branch, isWhole)}
              </option>
            ))}
          </select>
        )}
        <div className="session-tools">
          {menus === null ? null : <menus.Session head={head} />}
          {side === undefined ? null : (
            <button
              type="button"
              aria-pressed={side.isOpen}
              aria-keyshortcuts="i"
              title="What the context is made of, cost, to-do list and files (i)"
              onClick={() => side.setOpen(!side.isOpen)}
            >
              Details
            </button>
          )}
          <button type="button" onClick={onHelp} aria-label="Keyboard help" aria-keyshortcuts="?">
            ?
          </button>
        </div>
      </div>
      <div className="session-line">
        <p className="session-facts">
          <Words text={facts.join(' · ')} />
          {cost === null ? null : (
            <span className="cost">
              {' · '}
              {cost}
            </span>
          )}
        </p>
        <div className="session-copies">
          {source.exported === null && (presence === null || presence.stored === null) ? (
            <button type="button" onClick={() => copy(resume, 'Resume command')} title={neutralise(resume)}>
              Copy resume command
            </button>
          ) : null}
          <button type="button" onClick={() => copy(source.markdown({ branch: head.branch }), 'Markdown')}>
            Copy as Markdown
          </button>
          <button type="button" onClick={() => copy(linkTo(0, null), 'Link')}>
            Copy link
          </button>
        </div>
      </div>
      <RelatedSessions sessions={presence?.relations ?? []} />
      {view === undefined ? null : <ViewBar {...view} />}
      {children}
      {source.exported === null ? null : (
        <p className="quiet export-note">
          <Words text={source.exported.note} />
        </p>
      )}
      {damage === null ? null : <Damage head={head} summary={damage} />}
      {head.strangePrompt === null ? null : <p className="damage">{head.strangePrompt}</p>}
    </Frame>
  );
}

/** Links to the sessions that this one came from, and to those that came from it. */
function RelatedSessions({ sessions }: { readonly sessions: readonly RelatedSession[] }) {
  if (sessions.length === 0) return null;
  return (
    <p className="session-relations quiet">
      {sessions.map(({ label, key, id, title }, i) => (
        <span key={`${label} ${key ?? id}`}>
          {i === 0 ? '' : ' · '}
          {label}{' '}
          {key === null ? (
            <Words text={`${id.slice(0, 8)} (not in the library)`} />
          ) : (
            <a href={`/s/${encodeURIComponent(key)}`}>
              <Words text={title ?? id.slice(0, 8)} />
            </a>
          )}
        </span>
      ))}
    </p>
  );
}

function Damage({ head, summary }: { readonly head: SessionHead; readonly summary: string }) {
  return (
    <details className="damage">
      <summary>{summary}</summary>
      <ul>
        {head.damage.map(({ code, line, message }, i) => (
          <li key={`${i} ${line} ${code}`}>
            line {line}: <Words text={message} /> <span className="quiet">({code})</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
