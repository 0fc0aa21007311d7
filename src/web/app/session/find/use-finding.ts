// What the reader looks for and the hit that the page is at: it opens, unfolds and loads what is needed to show the hit, and
// keeps its address.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import {
  aroundMark,
  type FindHit,
  type Mark,
  type Matcher,
  makeMatcher,
  type ShownPlace,
  type TextSlice,
  type Wanted,
} from '../../../../export/wire/index.ts';
import type { SessionAddress, SessionSource, Target, TargetHit, TargetLine, ViewFilter } from '../source/index.ts';
import { sliceChars } from './found-slice.tsx';
import type { Goal } from './pursuit.ts';
import { useMarks } from './use-marks.ts';

export interface FindingOptions {
  readonly source: SessionSource;
  /** The branch that is shown. */
  readonly branch: number;
  readonly start: SessionAddress;
  /** What the view shows, for addresses. */
  readonly filter: ViewFilter;
  goTo(target: Target, options: Pick<Goal, 'matcher' | 'onMissing'>): void;
  /** Opens another branch at an address. */
  onBranch(branch: number, address: SessionAddress): void;
}

export interface Finding {
  /** `null`: the bar is closed. */
  readonly wanted: Wanted | null;
  readonly target: TargetLine | null;
  /** The part that was jumped to: it is shown in every view. */
  readonly targetPart: number | null;
  /** The target is a line that the page does not draw. */
  readonly isElsewhere: boolean;
  /** The address names only what to look for. */
  readonly goesToFirst: boolean;
  open(): void;
  close(): void;
  look(wanted: Wanted): void;
  goToHit(hit: FindHit): void;
  goToLine(part: number, line: TargetLine): void;
  /** No line is a target, at most a part. */
  leave(part?: number): void;
}

export function useFinding({ source, branch, start, filter, goTo, onBranch }: FindingOptions): Finding {
  const [wanted, setWanted] = useState<Wanted | null>(start.q === null ? null : { text: start.q, mode: start.mode });
  const [target, setTarget] = useState<TargetLine | null>(null);
  const [targetPart, setTargetPart] = useState<number | null>(null);
  const [isElsewhere, setElsewhere] = useState(false);
  const [goesToFirst, setGoesToFirst] = useState(start.q !== null && start.line === null && start.turn === null);
  const matcher = useMemo(() => (wanted === null ? undefined : makeMatcher(wanted)), [wanted]);
  useMarks(matcher, target);
  const latest = useRef<TargetLine | null>(null);
  const aim = useCallback((next: TargetLine | null, elsewhere = false): void => {
    latest.current = next;
    setTarget(next);
    setElsewhere(elsewhere);
    setGoesToFirst(false);
  }, []);
  const showSlice = useCallback(
    async (of: TargetLine, elsewhere: boolean, known?: TextSlice): Promise<void> => {
      const { hit } = of;
      if (hit === undefined) return;
      const slice = known ?? (await sliceAround(source, hit));
      if (latest.current === of) aim({ ...of, slice }, elsewhere);
    },
    [source, aim],
  );
  const show = useCallback(
    (hit: TargetHit, shown: ShownPlace | null, words: Matcher | undefined, known?: TextSlice): void => {
      const next = targetOf(hit, shown);
      aim(next);
      setTargetPart(shown?.part ?? null);
      const missing = (elsewhere: boolean): void => void showSlice(next, elsewhere, known).catch(() => {});
      if (shown === null) missing(true);
      else goTo({ part: shown.part, line: next }, { matcher: words, onMissing: (what) => missing(what === 'block') });
    },
    [aim, goTo, showSlice],
  );
  const goToHit = useCallback(
    ({ shown, ...hit }: FindHit): void => {
      const address = addressOfHit(hit, shown, wanted, filter);
      if (shown !== null && shown.branch !== branch) {
        onBranch(shown.branch, address);
        return;
      }
      history.replaceState(null, '', source.addressOf(address));
      show(hit, shown, matcher);
    },
    [branch, filter, matcher, onBranch, show, source, wanted],
  );
  const goToLine = useCallback<Finding['goToLine']>(
    (part, line) => {
      aim(line);
      setTargetPart(part);
      goTo({ part, line }, {});
    },
    [aim, goTo],
  );
  const leave = useCallback(
    (part?: number): void => {
      aim(null);
      setTargetPart(part ?? null);
    },
    [aim],
  );
  useStartHit({ source, branch, start, matcher, show, goToLine, onBranch });
  return {
    wanted,
    target,
    targetPart,
    isElsewhere,
    goesToFirst,
    open: () => setWanted((before) => before ?? { text: '', mode: 'text' }),
    close: () => {
      setWanted(null);
      setElsewhere(false);
      if (latest.current?.slice !== undefined) aim(null);
    },
    look: (next) => {
      setWanted(next);
      aim(null);
    },
    goToHit,
    goToLine,
    leave,
  };
}

function lineOf({ line, trail, agentPart }: ShownPlace): Pick<TargetLine, 'line' | 'trail' | 'agentPart'> {
  return { line, trail, agentPart };
}

function targetOf(hit: TargetHit, shown: ShownPlace | null): TargetLine {
  if (shown === null) return { line: hit.line, agentId: hit.agentId, hit };
  return { ...lineOf(shown), agentId: shown.trail.at(-1) ?? null, hit };
}

function addressOfHit(
  { line, agentId, kind, nth, offset }: TargetHit,
  shown: ShownPlace | null,
  wanted: Wanted | null,
  filter: ViewFilter,
): SessionAddress {
  const { text: q, mode } = wanted ?? { text: null, mode: 'text' };
  const place = { line, agentId, hit: { kind, nth, offset } };
  return { branch: shown?.branch ?? null, turn: null, ...place, at: null, filter, q, mode };
}

function sliceAround(source: SessionSource, hit: Pick<TargetHit, 'agentId' | 'line' | 'kind' | 'nth' | 'offset'>) {
  return source.slice(hit, Math.max(0, hit.offset - sliceChars), hit.offset + sliceChars);
}

interface StartOptions extends Pick<FindingOptions, 'source' | 'branch' | 'start' | 'onBranch'> {
  readonly matcher: Matcher | undefined;
  show(hit: TargetHit, shown: ShownPlace | null, matcher: Matcher | undefined, known?: TextSlice): void;
  goToLine: Finding['goToLine'];
}

/** Goes to the line or the hit that the address names, once. */
function useStartHit({ source, branch, start, matcher, show, goToLine, onBranch }: StartOptions): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    const { line, agentId, hit } = start;
    if (line === null) return;
    const open = async (): Promise<void> => {
      const shown = await (agentId === null ? source : source.ofAgent(agentId)).place(line);
      // On another branch the page is mounted again, and comes here again.
      if (shown !== null && shown.branch !== branch) return onBranch(shown.branch, start);
      const slice =
        hit === null ? undefined : await sliceAround(source, { line, agentId, ...hit }).catch(() => undefined);
      if (hit !== null && slice !== undefined)
        show(hitIn(slice, { ...start, line, hit }, matcher), shown, matcher, slice);
      else if (shown !== null) goToLine(shown.part, { ...lineOf(shown), agentId: shown.trail.at(-1) ?? null });
    };
    open().catch(() => {}); // the line is gone: the beginning is shown
  }, [source, branch, start, matcher, show, goToLine, onBranch]);
}

type HitAddress = SessionAddress & { readonly line: number; readonly hit: NonNullable<SessionAddress['hit']> };

function hitIn(slice: TextSlice, { line, agentId, hit: at }: HitAddress, matcher: Matcher | undefined): TargetHit {
  const marks = matcher?.marksIn(slice.text) ?? [];
  const wanted = at.offset - slice.start;
  // An address may name no match, if the file has changed: then the next one, or the character.
  const mark: Mark = marks.find(([start]) => start >= wanted) ?? marks[0] ?? [wanted, wanted + 1];
  const place = { line, agentId, kind: at.kind, nth: at.nth, offset: slice.start + mark[0] };
  return { ...place, ...aroundMark(slice.text, mark), callId: slice.callId, same: 0 };
}
