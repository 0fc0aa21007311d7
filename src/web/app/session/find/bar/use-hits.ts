// The hits of the find bar: asked for a page at a time, more while the reader continues, and until the current one is among
// them.
import { useEffect, useState } from 'react';
import type { FindHit, HitPlace, Wanted } from '../../../../../export/wire/index.ts';
import type { SessionSource } from '../../source/index.ts';

export interface Hits {
  readonly hits: readonly FindHit[];
  readonly isDone: boolean;
  readonly problem: string | null;
  /** The place of the current hit in the list, or -1. */
  readonly at: number;
  more(): void;
}

interface Found {
  readonly hits: readonly FindHit[];
  /** Where to continue; `null`: everything was searched. */
  readonly next: string | null;
  readonly problem: string | null;
}

const waitMs = 250;
const enough = 100;
/** The list is not read further for a hit that came with the address. */
const farEnough = 5_000;
const beginning = '';
const nothing: Found = { hits: [], next: null, problem: null };

export function useHits(source: SessionSource, { text, mode }: Wanted, current: HitPlace | undefined): Hits {
  const [found, setFound] = useState<Found>(nothing);
  const [wanted, setWanted] = useState(enough);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another word starts a new search
  useEffect(() => {
    setFound(text.trim() === '' ? nothing : { hits: [], next: beginning, problem: null });
    setWanted(enough);
  }, [source, text, mode]);
  const { hits, next, problem } = found;
  const at = current === undefined ? -1 : hits.findIndex((hit) => isSameHit(hit, current));
  const isSought = current !== undefined && at < 0 && hits.length < farEnough;
  const isWanted = next !== null && (hits.length < wanted || isSought) && problem === null;
  useEffect(() => {
    if (!isWanted || next === null) return;
    const request = new AbortController();
    const ask = async (): Promise<void> => {
      const query = { text, mode, ...(next === beginning ? {} : { from: next, limit: 500 }) };
      const answer = await source.find(query, request.signal);
      if (request.signal.aborted) return;
      setFound((before) => ({ hits: [...before.hits, ...answer.hits], next: answer.next, problem: null }));
    };
    const timer = setTimeout(
      () => {
        ask().catch((error: unknown) => {
          if (request.signal.aborted) return;
          setFound((before) => ({ ...before, problem: error instanceof Error ? error.message : String(error) }));
        });
      },
      next === beginning ? waitMs : 0,
    );
    return () => {
      clearTimeout(timer);
      request.abort();
    };
  }, [source, text, mode, next, isWanted]);
  return { hits, isDone: next === null, problem, at, more: () => setWanted((count) => count + enough) };
}

export function isSameHit(a: HitPlace, b: HitPlace): boolean {
  return a.line === b.line && a.agentId === b.agentId && a.kind === b.kind && a.nth === b.nth && a.offset === b.offset;
}
