// The page as a whole: the header, and below it the page that the address names.
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Status } from '../../wire.ts';
import { HealthPage } from '../health/health-page.tsx';
import { LibraryPage } from '../library/library-page.tsx';
import { LivePage } from '../live/live-page.tsx';
import { type PageServices, ServicesContext, StatusContext, useServices } from '../page-context.ts';
import { usePlace } from '../router.ts';
import { SessionPage } from '../session/session-page.tsx';
import { UsagePage } from '../usage/usage-page.tsx';
import { Header } from './header.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { PageFrame } from './page-frame.tsx';
import { sessionSource } from './session-source.ts';
import { useShellKeys } from './shell-keys.ts';

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
  return (
    <StatusContext value={status}>
      <div className="shell">
        <Header path={path} isConnected={isConnected} onHelp={showHelp} />
        {key === null ? <PageOf path={path} /> : <SessionPlace sessionKey={key} />}
      </div>
      {hasHelp ? <HelpDialog onClose={() => setHelp(false)} /> : null}
    </StatusContext>
  );
}

function sessionKeyOf(path: string): string | null {
  const key = /^\/s\/([^/]+)$/.exec(path)?.[1];
  try {
    return key === undefined ? null : decodeURIComponent(key);
  } catch {
    return null; // a stray % in the address
  }
}

function PageOf({ path }: { readonly path: string }) {
  switch (path) {
    case '/':
      return <LibraryPage />;
    case '/usage':
      return <UsagePage />;
    case '/health':
      return <HealthPage />;
    case '/live':
      return <LivePage />;
    default:
      return (
        <PageFrame title="No such page" isReady={true}>
          <p>
            There is nothing at this address. <a href="/">All sessions</a>
          </p>
        </PageFrame>
      );
  }
}

function SessionPlace({ sessionKey }: { readonly sessionKey: string }) {
  const services = useServices();
  const { visit } = usePlace();
  const source = useMemo(() => sessionSource(services, sessionKey), [services, sessionKey]);
  // Each visit may name another line, and begins anew.
  return <SessionPage key={visit} source={source} />;
}
