// The session page of the server: a session by the key in the address, read and followed over HTTP.
import { lazy, useMemo } from 'react';
import { sessionMenus } from './actions/index.ts';
import { goTo, type PageServices, usePlace, useServices, useStatus } from './page/index.ts';
import { httpSource, watchPresence } from './session/http/index.ts';
import { SessionPage } from './session/index.ts';
import { MenusContext, type SessionSource } from './session/source/index.ts';

/** Loaded when it is first shown. */
const SidePanel = lazy(async () => ({ default: (await import('./session/side/index.ts')).SidePanel }));

export function SessionView({ sessionKey }: { readonly sessionKey: string }) {
  const services = useServices();
  const { visit } = usePlace();
  const isStored = useStatus()?.store != null;
  const source = useMemo(() => {
    // The address of an abbreviated id becomes that of the session.
    const onKey = (key: string): void => goTo(`/s/${encodeURIComponent(key)}${location.search}`, { replaces: true });
    return sessionSource(services, sessionKey, onKey);
  }, [services, sessionKey]);
  // Each visit may name another line, so it starts with fresh state.
  return (
    <MenusContext value={isStored ? null : sessionMenus}>
      <SessionPage key={visit} source={source} SidePanel={SidePanel} />
    </MenusContext>
  );
}

function sessionSource(services: PageServices, key: string, onKey: (key: string) => void): SessionSource {
  const { client, events, readNow } = services;
  return httpSource(client, key, {
    readNow,
    watchPresence: (onChange) => watchPresence({ client, events }, { key, onKey, onChange }),
    watchCurrent: (onCurrent) =>
      events.on('current', (current) => {
        if (current.key === key) onCurrent(current.version);
      }),
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
