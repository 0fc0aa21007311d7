// Asks again when the answers of the server may have changed.
import { useEffect, useRef } from 'react';
import { useThrottled } from './hooks.ts';
import { useStatus } from './page-context.ts';

const refreshMs = 2_000;

/** Throttled: the generation changes with every file while the index is built. */
export function useGeneration(act: () => void): void {
  const generation = useStatus()?.index.generation;
  const seen = useRef(generation);
  const later = useThrottled(act, refreshMs);
  useEffect(() => {
    if (seen.current !== undefined && generation !== seen.current) later();
    seen.current = generation;
  }, [generation, later]);
}
