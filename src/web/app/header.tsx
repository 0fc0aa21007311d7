// The header of every page: navigation, search, progress of the index, and notes about the server.
import { useState } from 'react';
import type { IndexState, StoreStatus } from '../wire/index.ts';
import { goTo, readTheme, setTheme, type Theme, themes, usePlace, useStatus, useTypedText } from './page/index.ts';
import { Words } from './session/text/index.ts';

const everywhere = [
  { path: '/', name: 'Library' },
  { path: '/usage', name: 'Usage' },
] as const;
const ofMachine = [...everywhere, { path: '/health', name: 'Health' }, { path: '/live', name: 'Live' }] as const;
const ofStore = [...everywhere, { path: '/people', name: 'People' }] as const;

export interface HeaderProps {
  readonly path: string;
  readonly isConnected: boolean;
  onHelp(): void;
}

export function Header({ path, isConnected, onHelp }: HeaderProps) {
  const status = useStatus();
  const pages = status?.store == null ? ofMachine : ofStore;
  return (
    <header className={`shell-header ${path.startsWith('/s/') ? 'of-session' : ''}`}>
      <a className="skip" href={path.startsWith('/s/') ? '#conversation' : '#main'}>
        To the content
      </a>
      <div className="shell-bar">
        <a className="brand" href="/">
          Clew
        </a>
        <nav aria-label="Pages">
          {pages.map((page) => (
            <a key={page.path} href={page.path} aria-current={page.path === path ? 'page' : undefined}>
              {page.name}
            </a>
          ))}
        </nav>
        <SearchBox />
        <ThemeSwitch />
        {path.startsWith('/s/') ? null : (
          <button type="button" className="help-button" onClick={onHelp} aria-label="Keys" aria-keyshortcuts="?">
            ?
          </button>
        )}
      </div>
      <output className="shell-notes">
        {isConnected ? null : (
          <span className="problem">
            The server does not respond. If you restarted it, open the address that it printed.
          </span>
        )}
        {status?.isDemo === true ? (
          <span className="demo-note">
            These are demo sessions. Yours appear here once Claude Code has written some.
          </span>
        ) : null}
        {status?.store == null ? null : (
          <span className="store-note">
            <Words text={storeText(status.store)} />
          </span>
        )}
        {status === null ? null : <IndexProgress index={status.index} />}
      </output>
      {status === null || status.notices.length === 0 ? null : (
        <details className="shell-notices">
          <summary>Problems in the background</summary>
          <ul>
            {status.notices.map((notice) => (
              <li key={notice}>
                <Words text={notice} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </header>
  );
}

function storeText({ name, people }: StoreStatus): string {
  return `Read-only: ${people === 'me' ? 'your sessions' : people} in the store ${name}`;
}

const phases: Readonly<Record<Exclude<IndexState['phase'], 'current'>, string>> = {
  rows: 'Counting sessions and tokens',
  list: 'Reading titles and turns',
  text: 'Indexing words for search',
};

function IndexProgress({ index }: { readonly index: IndexState }) {
  if (index.phase === 'current') return null;
  const { bytesDone, bytesTotal } = index;
  const name = phases[index.phase];
  return (
    <span className="index-progress">
      <progress aria-label={name} max={Math.max(1, bytesTotal)} value={bytesDone} />
      <span>
        {name}
        {bytesTotal === 0 ? '…' : `, ${Math.floor((100 * bytesDone) / bytesTotal)} %`}
      </span>
    </span>
  );
}

const themeNames: Readonly<Record<Theme, string>> = { system: 'Auto', light: 'Light', dark: 'Dark' };

function ThemeSwitch() {
  const [shown, setShown] = useState(readTheme);
  const change = (name: string): void => {
    const next = themes.find((each) => each === name) ?? 'system';
    setTheme(next);
    setShown(next);
  };
  return (
    <select
      className="theme"
      aria-label="Colours"
      value={shown}
      onChange={(event) => change(event.currentTarget.value)}
    >
      {themes.map((each) => (
        <option key={each} value={each}>
          {themeNames[each]}
        </option>
      ))}
    </select>
  );
}

function SearchBox() {
  const { path, search } = usePlace();
  const asked = path === '/' ? (new URLSearchParams(search).get('q') ?? '') : '';
  // Each letter replaces the history entry, so that "back" leaves the search.
  const searchTyped = (typed: string): void => searchFor(typed, asked !== '');
  // A search of what others said is written into the audit: not with every letter.
  const isAudited = useStatus()?.store?.namesPeople === true;
  const [text, setText] = useTypedText(asked, isAudited ? waitForEnter : searchTyped);
  return (
    <search className="search">
      <input
        type="search"
        aria-label="Search all sessions"
        aria-keyshortcuts="/"
        placeholder={isAudited ? 'Search all sessions, then Enter' : 'Search all sessions'}
        maxLength={400}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && text.trim() !== asked) searchTyped(text.trim());
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key === 'ArrowDown') document.querySelector<HTMLElement>('main [data-stop]')?.focus();
        }}
      />
    </search>
  );
}

function waitForEnter(): void {}

function searchFor(text: string, replaces: boolean): void {
  const mode = new URLSearchParams(location.search).get('mode');
  const query = new URLSearchParams({ ...(text === '' ? {} : { q: text }), ...(mode === null ? {} : { mode }) });
  goTo(text === '' ? '/' : `/?${query}`, { replaces });
}
