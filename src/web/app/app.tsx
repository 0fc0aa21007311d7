// The whole page: the header, and below it the page of the address.
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Status } from '../wire/wire.ts';
import { Header } from './header.tsx';
import { HealthPage } from './health/health-page.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { LibraryPage } from './library/library-page.tsx';
import { LivePage } from './live/live-page.tsx';
import { type PageServices, ServicesContext, StatusContext, useServices } from './page/page-context.ts';
import { PageFrame } from './page/page-frame.tsx';
import { usePlace } from './page/router.ts';
import { SessionPage } from './session/session-page.tsx';
import { sessionSource } from './session-source.ts';
import { useShellKeys } from './shell-keys.ts';
import { UsagePage } from './usage/usage-page.tsx';

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
        {key === null ? <PageOf path={path} /> : <SessionAt sessionKey={key} />}
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
    return null; // malformed escape in the address
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
            There is no page at this address. <a href="/">All sessions</a>
          </p>
        </PageFrame>
      );
  }
}

function SessionAt({ sessionKey }: { readonly sessionKey: string }) {
  const services = useServices();
  const { visit } = usePlace();
  const source = useMemo(() => sessionSource(services, sessionKey), [services, sessionKey]);
  // Each visit may name another line, so it starts with fresh state.
  return <SessionPage key={visit} source={source} />;
}
