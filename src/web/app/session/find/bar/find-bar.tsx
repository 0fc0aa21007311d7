// Find in the session: the server searches the whole transcript with its sub-agents, the page goes from hit to hit. The
// list of hits floats over the conversation.
import { useEffect, useRef, useState } from 'react';
import { formatCount } from '../../../../../base/text/index.ts';
import {
  type FindHit,
  type FindMode,
  findModes,
  type HitPlace,
  type Wanted,
} from '../../../../../export/wire/index.ts';
import type { SessionSource } from '../../source/index.ts';
import { Words } from '../../text/index.ts';
import { useHits } from './use-hits.ts';

export interface FindBarProps {
  readonly source: SessionSource;
  readonly wanted: Wanted;
  /** The hit that the page is at. */
  readonly current: HitPlace | undefined;
  /** The part on the screen: without a current hit, the first one from here on is next. */
  readonly part: number;
  /** Goes to the first hit as soon as there is one: the address names only what to look for. */
  readonly goesToFirst: boolean;
  onWanted(wanted: Wanted): void;
  onHit(hit: FindHit): void;
  onClose(): void;
}

const modeNames: Readonly<Record<FindMode, string>> = {
  text: 'Text',
  words: 'Words',
  exact: 'Exact',
  regex: 'Regular expression',
};
const maxListed = 500;

export function FindBar(props: FindBarProps) {
  const { source, wanted, current, part, goesToFirst, onWanted, onHit, onClose } = props;
  const inputRef = useRef<HTMLInputElement>(null);
  const [isListed, setListed] = useState(false);
  const found = useHits(source, wanted, current);
  const { hits, isDone, at } = found;
  useEffect(() => {
    if (!goesToFirst) inputRef.current?.focus();
  }, [goesToFirst]);
  const first = hits[0];
  useEffect(() => {
    if (goesToFirst && first !== undefined) onHit(first);
  }, [goesToFirst, first, onHit]);
  useUncovered(isListed, current, () => setListed(false));
  const go = (index: number): void => {
    const hit = hits[(index + hits.length) % hits.length];
    if (hit === undefined) return;
    if (!hasRoom()) setListed(false);
    onHit(hit);
    if (index >= hits.length - 1 && !isDone) found.more();
  };
  const next = (): void =>
    go(
      at < 0
        ? Math.max(
            0,
            hits.findIndex((hit) => (hit.shown?.part ?? -1) >= part),
          )
        : at + 1,
    );
  const previous = (): void => go(at < 0 ? hits.length - 1 : at - 1);
  return (
    <search className="find">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          next();
        }}
      >
        <input
          ref={inputRef}
          type="search"
          value={wanted.text}
          aria-label="Find in this session"
          placeholder="Find in this session"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setListed(hasRoom());
            onWanted({ ...wanted, text: event.target.value });
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose();
            if (event.key === 'Enter' && event.shiftKey) {
              event.preventDefault();
              previous();
            }
          }}
        />
        <select
          aria-label="How to find"
          value={wanted.mode}
          onChange={(event) => {
            const mode = findModes.find((each) => each === event.target.value);
            if (mode !== undefined) onWanted({ ...wanted, mode });
          }}
        >
          {findModes.map((mode) => (
            <option key={mode} value={mode}>
              {modeNames[mode]}
            </option>
          ))}
        </select>
        <output className="find-state" aria-live="polite">
          {stateText(wanted.text, found)}
        </output>
        <button type="button" aria-label="Previous place" disabled={hits.length === 0} onClick={previous}>
          ↑
        </button>
        <button type="submit" aria-label="Next place" disabled={hits.length === 0}>
          ↓
        </button>
        <button
          type="button"
          className="find-list-button"
          aria-label="List of places"
          aria-expanded={isListed}
          disabled={hits.length === 0}
          onClick={() => setListed(!isListed)}
        >
          ☰
        </button>
        <button type="button" aria-label="Close find" onClick={onClose}>
          ✕
        </button>
      </form>
      {hits.length === 0 || !isListed ? null : <HitList hits={hits} at={at} onHit={go} />}
    </search>
  );
}

/** On a phone the list would cover the page. */
function hasRoom(): boolean {
  return matchMedia('(min-width: 900px)').matches;
}

function stateText(text: string, { hits, isDone, problem, at }: ReturnType<typeof useHits>): string {
  if (problem !== null) return problem;
  if (text.trim() === '') return '';
  if (hits.length === 0) return isDone ? 'Nothing found' : 'Looking…';
  const count = `${formatCount(hits.length)}${isDone ? '' : '+'}`;
  return `${at < 0 ? '' : `${formatCount(at + 1)} of `}${count} ${hits.length === 1 && isDone ? 'place' : 'places'}`;
}

interface HitListProps {
  readonly hits: readonly FindHit[];
  readonly at: number;
  onHit(index: number): void;
}

function HitList({ hits, at, onHit }: HitListProps) {
  const currentRef = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another current hit is the reason to scroll
  useEffect(() => {
    currentRef.current?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <ol className="find-hits">
      {hits.slice(0, maxListed).map((hit, i) => (
        <li key={`${hit.agentId} ${hit.line} ${hit.kind} ${hit.nth} ${hit.offset}`}>
          <button
            type="button"
            ref={i === at ? currentRef : null}
            aria-current={i === at ? 'true' : undefined}
            onClick={() => onHit(i)}
          >
            <span className="quiet">{placeText(hit)}</span> <Words text={joinedText(hit.before)} />
            <mark>
              <Words text={joinedText(hit.match)} />
            </mark>
            <Words text={joinedText(hit.after)} />
          </button>
        </li>
      ))}
    </ol>
  );
}

function placeText({ shown, kind, agentId, line }: FindHit): string {
  const place = shown === null ? `line ${line}` : `turn ${shown.turn}`;
  const isAgent = agentId !== null || (shown?.trail.length ?? 0) > 0;
  return `${place}, ${kind.replaceAll('-', ' ')}${isAgent ? ', sub-agent' : ''}`;
}

function joinedText(text: string): string {
  return text.replace(/\s+/g, ' ');
}

const checkMs = 400;

/** The beginning of a conversation cannot be scrolled out from under the list: then the list closes. */
function useUncovered(isListed: boolean, current: HitPlace | undefined, close: () => void): void {
  const closing = useRef(close);
  closing.current = close;
  useEffect(() => {
    if (!isListed || current === undefined) return;
    const timer = setTimeout(() => {
      const list = document.querySelector('.find-hits')?.getBoundingClientRect();
      const [range] = [...(CSS.highlights?.get('found-current') ?? [])];
      const rect = range instanceof Range ? range.getBoundingClientRect() : undefined;
      if (list === undefined || rect === undefined) return;
      const isBelow = rect.top >= list.bottom || rect.right <= list.left || rect.left >= list.right;
      if (!isBelow) closing.current();
    }, checkMs);
    return () => clearTimeout(timer);
  }, [isListed, current]);
}
