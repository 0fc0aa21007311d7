// A store of rows that lives as long as what it was made for, hears of changes, and redraws who uses it.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useServices } from '../page-context.ts';
import type { SessionRows } from './session-rows.ts';

export function useRows(make: () => SessionRows): SessionRows {
  const { events } = useServices();
  const [made, setMade] = useState(() => ({ make, rows: make() }));
  // Another question: what was listed for the one before is not shown for it.
  const current = made.make === make ? made : { make, rows: make() };
  if (current !== made) setMade(current);
  const { rows } = current;
  useEffect(() => {
    const ends = [events.on('sessions', (news) => rows.take(news)), events.onMissed(() => rows.refresh())];
    return () => {
      for (const end of ends) end();
      rows.close();
    };
  }, [events, rows]);
  useSyncExternalStore(rows.subscribe, rows.version);
  return rows;
}
