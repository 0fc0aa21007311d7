// A hook for `SessionRows`: it subscribes to events and re-renders on changes.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useServices } from '../page/page-context.ts';
import type { SessionRows } from './session-rows.ts';

export function useRows(make: () => SessionRows): SessionRows {
  const { events } = useServices();
  const [made, setMade] = useState(() => ({ make, rows: make() }));
  // Rows of the previous query must not be shown for the new one.
  const current = made.make === make ? made : { make, rows: make() };
  if (current !== made) setMade(current);
  const { rows } = current;
  useEffect(() => {
    const ends = [events.on('sessions', (event) => rows.take(event)), events.onMissed(() => rows.refresh())];
    return () => {
      for (const end of ends) end();
      rows.close();
    };
  }, [events, rows]);
  useSyncExternalStore(rows.subscribe, rows.version);
  return rows;
}
