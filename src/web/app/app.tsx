// The whole page: the header, and below it the page of the address.
import {
  type ComponentType,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import type { Status } from '../wire/index.ts';
import { ActionHostProvider, sessionMenus, useSessionActions } from './actions/index.ts';
import { Header } from './header.tsx';
import { KeyHelp, type KeyMeaning } from './keys/index.ts';
import { LibraryPage } from './library/index.ts';
import {
  goTo,
  PageFrame,
  type PageServices,
  ProblemNote,
  ServicesContext,
  StatusContext,
  useCollapsingBars,
  usePlace,
  useServices,
  Waiting,
} from './page/index.ts';
import { PaletteHost } from './palette/index.ts';
import { httpSource, watchPresence } from './session/http/index.ts';
import { SessionPage, sessionKeys } from './session/index.ts';
import { MenusContext, type SessionSource } from './session/source/index.ts';

export function App({ services }: { readonly services: PageServices }) {
  return (
    <ServicesContext value={services}>
      <Shell />
    </ServicesContext>
  );
}

function Shell() {
  const { events } = useServices();
  const { path } = usePlace();
  const [status, setStatus] = useState<Status | null>(null);
  const [hasHelp, setHelp] = useState(false);
  useEffect(() => events.on('hello', setStatus), [events]);
  useEffect(() => {
    return events.on('index', (index) => setStatus((known) => (known === null ? null : { ...known, index })));
  }, [events]);
  const isConnected = useSyncExternalStore(events.onConnection, () => events.isConnected);
  const key = sessionKeyOf(path);
  const showHelp = useCallback(() => setHelp(true), []);
  useShellKeys({ isSession: key !== null, onHelp: showHelp });
  useCollapsingBars(path);
  return (
    <StatusContext value={status}>
      <ActionHostProvider>
        <div className="shell">
          <Header path={path} isConnected={isConnected} onHelp={showHelp} />
          {key === null ? <PageOf path={path} /> : <SessionAt sessionKey={key} />}
        </div>
        {hasHelp ? <HelpDialog onClose={() => setHelp(false)} /> : null}
        <PaletteAt sessionKey={key} />
      </ActionHostProvider>
    </StatusContext>
  );
}

function PaletteAt({ sessionKey }: { readonly sessionKey: string | null }) {
  return <PaletteHost keys={sessionKey === null ? keys : sessionKeys} actions={useSessionActions(sessionKey)} />;
}

function sessionKeyOf(path: string): string | null {
  const key = /^\/s\/([^/]+)$/.exec(path)?.[1];
  try {
    return key === undefined ? null : decodeURIComponent(key);
  } catch {
    return null; // malformed escape in the address
  }
}

function isSearch(search: string): boolean {
  return (new URLSearchParams(search).get('q') ?? '').trim() !== '';
}

function PageOf({ path }: { readonly path: string }) {
  const { search } = usePlace();
  switch (path) {
    case '/':
      return isSearch(search) ? <Later page={<SearchPage />} title="Search" /> : <LibraryPage />;
    case '/usage':
      return <Later page={<UsagePage />} title="Usage" />;
    case '/health':
      return <Later page={<HealthPage />} title="Health" />;
    case '/live':
      return <Later page={<LivePage />} title="Live" />;
    default:
      return (
        <PageFrame title="No such page" isReady={true}>
          <p>
            There is no page at this address. <a href="/">All sessions</a>
          </p>
        </PageFrame>
      );
  }
}

// Loaded when they are first shown.
const SearchPage = laterPage('Search', async () => (await import('./search/index.ts')).SearchPage);
const UsagePage = laterPage('Usage', async () => (await import('./usage/index.ts')).UsagePage);
const HealthPage = laterPage('Health', async () => (await import('./health/index.ts')).HealthPage);
const LivePage = laterPage('Live', async () => (await import('./live/index.ts')).LivePage);

/** The server may have ended, or may have been updated and have other files. */
function laterPage(title: string, load: () => Promise<ComponentType>) {
  const problem = { message: 'this page cannot be loaded', next: 'check that clew open is still running, then reload' };
  const failed: ComponentType = () => (
    <PageFrame title={title} isReady={true}>
      <ProblemNote problem={problem} onRetry={() => location.reload()} />
    </PageFrame>
  );
  return lazy(async () => ({ default: await load().catch(() => failed) }));
}

function Later({ page, title }: { readonly page: ReactNode; readonly title: string }) {
  const waiting = (
    <PageFrame title={title} isReady={false}>
      <Waiting what="Loading the page" />
    </PageFrame>
  );
  return <Suspense fallback={waiting}>{page}</Suspense>;
}

/** Loaded when it is first shown. */
const SidePanel = lazy(async () => ({ default: (await import('./session/side/index.ts')).SidePanel }));

function SessionAt({ sessionKey }: { readonly sessionKey: string }) {
  const services = useServices();
  const { visit } = usePlace();
  const source = useMemo(() => {
    // The address of an abbreviated id becomes that of the session.
    const onKey = (key: string): void => goTo(`/s/${encodeURIComponent(key)}${location.search}`, { replaces: true });
    return sessionSource(services, sessionKey, onKey);
  }, [services, sessionKey]);
  // Each visit may name another line, so it starts with fresh state.
  return (
    <MenusContext value={sessionMenus}>
      <SessionPage key={visit} source={source} SidePanel={SidePanel} />
    </MenusContext>
  );
}

function sessionSource(services: PageServices, key: string, onKey: (key: string) => void): SessionSource {
  const { client, events, readNow } = services;
  return httpSource(client, key, {
    readNow,
    watchPresence: (onChange) => watchPresence({ client, events }, { key, onKey, onChange }),
    watch: (onChange) => {
      const ends = [
        events.want({ watch: [key] }),
        events.onMissed(() => onChange({ agentId: null, fromPart: 0 })),
        events.on('append', (grown) => {
          if (grown.key === key) onChange(grown);
        }),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
  });
}

export interface ShellKeys {
  readonly isSession: boolean;
  onHelp(): void;
}

const pages: Readonly<Record<string, string>> = { l: '/', u: '/usage', h: '/health', v: '/live' };
const prefixMs = 1_500;

function useShellKeys({ isSession, onHelp }: ShellKeys): void {
  useEffect(() => {
    let prefixAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const isSecond = event.timeStamp - prefixAt < prefixMs;
      prefixAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      const page = isSecond && Object.hasOwn(pages, event.key) ? pages[event.key] : undefined;
      if (page !== undefined) goTo(page);
      else if (isSession) return;
      else if (event.key === 'j') step(1);
      else if (event.key === 'k') step(-1);
      else if (event.key === '/') focusSearch();
      else if (event.key === '?') onHelp();
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    // Runs before the page's own shortcuts, where the second key of a sequence could mean something else.
    document.addEventListener('keydown', onKey, { capture: true });
    return () => document.removeEventListener('keydown', onKey, { capture: true });
  }, [isSession, onHelp]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
}

/** Starts at the focused item, or at the first visible one. */
function step(by: 1 | -1): void {
  const stops = [...document.querySelectorAll<HTMLElement>('main [data-stop]')];
  const at = stops.findIndex((stop) => stop === document.activeElement || stop.contains(document.activeElement));
  const top = document.querySelector('main')?.getBoundingClientRect().top ?? 0;
  const next = at >= 0 ? stops[at + by] : stops.find((stop) => stop.getBoundingClientRect().top >= top);
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

function focusSearch(): void {
  const input = document.querySelector<HTMLInputElement>('.search input');
  input?.focus();
  input?.select();
}

const keys: readonly KeyMeaning[] = [
  [['j', 'k'], 'next, previous item'],
  [['Enter'], 'open the item'],
  [['x'], 'select the session in the library; with Shift, all up to it'],
  [['z'], 'undo what the notice says'],
  [['s'], 'star the session, or take its star away'],
  [['/'], 'search all sessions'],
  [['g', 'l'], 'go to the library'],
  [['g', 'u'], 'go to usage'],
  [['g', 'h'], 'go to health'],
  [['g', 'v'], 'go to live sessions'],
  [['Ctrl', 'k'], 'go to a page, a session or an action'],
  [['?'], 'show this help'],
  [['Esc'], 'close the dialog'],
];

function HelpDialog({ onClose }: { onClose(): void }) {
  return <KeyHelp keys={keys} onClose={onClose} />;
}
