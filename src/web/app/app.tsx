// The whole page: the header, and below it the page of the address.
import {
  type ComponentType,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import type { Status } from '../wire/index.ts';
import { ActionHostProvider, useSessionActions } from './actions/index.ts';
import { Header } from './header.tsx';
import { KeyHelp, type KeyMeaning } from './keys/index.ts';
import { type LaterPart, laterPart } from './later/index.ts';
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
  useStatus,
  Waiting,
} from './page/index.ts';
import { PaletteHost } from './palette/index.ts';
import { OpeningSession, sessionKeys } from './session/index.ts';

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
  useEarlyPages();
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
  const isStored = useStatus()?.store != null;
  // Nothing can be done to a session in a store.
  const actions = useSessionActions(isStored ? null : sessionKey);
  return <PaletteHost keys={sessionKey === null ? keys : sessionKeys} actions={actions} isStored={isStored} />;
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

/** Of this machine: they examine files, or follow them. */
const localPages: readonly string[] = ['/health', '/live'];

function PageOf({ path }: { readonly path: string }) {
  const { search } = usePlace();
  const status = useStatus();
  const page = pageAt(path, search);
  if (page === undefined)
    return (
      <PageFrame title="No such page" isReady={true}>
        <p>
          There is no page at this address. <a href="/">All sessions</a>
        </p>
      </PageFrame>
    );
  const waiting = (
    <PageFrame title={page.title} isReady={false}>
      <Waiting what="Loading the page" />
    </PageFrame>
  );
  // Of a store these pages must not ask: nothing is known before the first event.
  if (localPages.includes(path) && status === null) return waiting;
  if (localPages.includes(path) && status?.store != null)
    return (
      <PageFrame title={page.title} isReady={true}>
        <p>
          This page shows what was pushed to a store. {page.title} is about the files of a machine: run{' '}
          <code>clew open</code> there. <a href="/">All sessions</a>
        </p>
      </PageFrame>
    );
  return (
    <Suspense key={page.title} fallback={waiting}>
      <page.Part />
    </Suspense>
  );
}

function SessionAt({ sessionKey }: { readonly sessionKey: string }) {
  return (
    <Suspense fallback={<OpeningSession />}>
      <sessionView.Part sessionKey={sessionKey} />
    </Suspense>
  );
}

interface LaterPage extends LaterPart<object> {
  readonly title: string;
}

// Each is loaded when it is first shown.
const library = laterPage('Library', async () => (await import('./library-view.ts')).LibraryPage);
const searchPage = laterPage('Search', async () => (await import('./search/index.ts')).SearchPage);
const reports: Readonly<Record<string, LaterPage>> = {
  '/usage': laterPage('Usage', async () => (await import('./usage/index.ts')).UsagePage),
  '/people': laterPage('People', async () => (await import('./people/index.ts')).PeoplePage),
  '/health': laterPage('Health', async () => (await import('./health/index.ts')).HealthPage),
  '/live': laterPage('Live', async () => (await import('./live/index.ts')).LivePage),
};
const sessionView = laterPart(async () => (await import('./session-view.tsx')).SessionView, failedPage('Session'));

function pageAt(path: string, search: string): LaterPage | undefined {
  if (path === '/') return isSearch(search) ? searchPage : library;
  return Object.hasOwn(reports, path) ? reports[path] : undefined;
}

/** Loads the page of an address, so that it is shown without a moment of waiting. */
export async function loadPage(path: string, search: string): Promise<void> {
  await (sessionKeyOf(path) === null ? pageAt(path, search) : sessionView)?.load();
}

function laterPage(title: string, read: () => Promise<ComponentType>): LaterPage {
  return { title, ...laterPart(read, failedPage(title)) };
}

function failedPage(title: string): () => ReactNode {
  const problem = { message: 'this page cannot be loaded', next: 'check that clew open is still running, then reload' };
  return () => (
    <PageFrame title={title} isReady={true}>
      <ProblemNote problem={problem} onRetry={() => location.reload()} />
    </PageFrame>
  );
}

/** A link that is pointed at or has the focus is likely to be followed: its page is loaded already. */
function useEarlyPages(): void {
  useEffect(() => {
    const onLink = ({ target }: Event): void => {
      const link = target instanceof Element ? target.closest('a') : null;
      if (link !== null && link.origin === location.origin) void loadPage(link.pathname, link.search);
    };
    const events = ['pointerover', 'focusin'] as const;
    for (const event of events) document.addEventListener(event, onLink, { passive: true });
    return () => {
      for (const event of events) document.removeEventListener(event, onLink);
    };
  }, []);
}

export interface ShellKeys {
  readonly isSession: boolean;
  onHelp(): void;
}

const pages: Readonly<Record<string, string>> = { l: '/', u: '/usage', p: '/people', h: '/health', v: '/live' };
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
  [['g', 'p'], 'go to people, if the page shows a store'],
  [['g', 'h'], 'go to health'],
  [['g', 'v'], 'go to live sessions'],
  [['Ctrl', 'k'], 'go to a page, a session or an action'],
  [['?'], 'show this help'],
  [['Esc'], 'close the dialog'],
];

function HelpDialog({ onClose }: { onClose(): void }) {
  return <KeyHelp keys={keys} onClose={onClose} />;
}
