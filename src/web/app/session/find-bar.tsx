// Find in the session: the server searches the whole transcript, the page goes from hit to hit and marks the words
// on the screen. The marks are ranges of the browser, so that no text is changed for them.
import { useEffect, useRef, useState } from 'react';
import { formatCount } from '../../../base/text/index.ts';
import type { FindHit } from '../../../export/wire/index.ts';
import type { SessionSource } from './source/index.ts';
import { Words } from './text/index.ts';

export interface FindBarProps {
  readonly source: SessionSource;
  readonly branch: number;
  onHit(hit: FindHit): void;
  onClose(): void;
}

const waitMs = 250;

export function FindBar({ source, branch, onHit, onClose }: FindBarProps) {
  const inputRef = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(-1);
  const { hits, isDone, problem, more } = useHits(source, branch, text);
  useEffect(() => inputRef.current?.focus(), []);
  useMarks(text);
  const go = (index: number): void => {
    const hit = hits[(index + hits.length) % hits.length];
    if (hit === undefined) return;
    setAt(hits.indexOf(hit));
    onHit(hit);
    if (index >= hits.length - 1 && !isDone) more();
  };
  const count = `${formatCount(hits.length)}${isDone ? '' : '+'}`;
  const state =
    problem ??
    (text.trim() === ''
      ? ''
      : hits.length === 0
        ? isDone
          ? 'Nothing found'
          : 'Looking…'
        : `${at < 0 ? '' : `${at + 1} of `}${count} ${hits.length === 1 ? 'place' : 'places'}`);
  return (
    <search className="find">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go(at + 1);
        }}
      >
        <input
          ref={inputRef}
          type="search"
          value={text}
          aria-label="Find in this session"
          placeholder="Find in this session"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setText(event.target.value);
            setAt(-1);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose();
            if (event.key === 'Enter' && event.shiftKey) {
              event.preventDefault();
              go(at < 0 ? hits.length - 1 : at - 1);
            }
          }}
        />
        <output className="find-state" aria-live="polite">
          {state}
        </output>
        <button
          type="button"
          aria-label="Previous place"
          disabled={hits.length === 0}
          onClick={() => go(at < 0 ? hits.length - 1 : at - 1)}
        >
          ↑
        </button>
        <button type="submit" aria-label="Next place" disabled={hits.length === 0}>
          ↓
        </button>
        <button type="button" aria-label="Close find" onClick={onClose}>
          ✕
        </button>
      </form>
      {hits.length === 0 ? null : (
        <ol className="find-hits">
          {hits.slice(0, 200).map((hit, i) => (
            <li key={`${hit.record} ${hit.in} ${hit.before.length} ${hit.after.length} ${i}`}>
              <button type="button" aria-current={i === at ? 'true' : undefined} onClick={() => go(i)}>
                <span className="quiet">
                  turn {hit.turn}, {hit.in.replaceAll('-', ' ')}
                </span>{' '}
                <Words text={joinedText(hit.before)} />
                <mark>
                  <Words text={joinedText(hit.match)} />
                </mark>
                <Words text={joinedText(hit.after)} />
              </button>
            </li>
          ))}
        </ol>
      )}
    </search>
  );
}

function joinedText(text: string): string {
  return text.replace(/\s+/g, ' ');
}

interface Hits {
  readonly hits: readonly FindHit[];
  readonly isDone: boolean;
  readonly problem: string | null;
  more(): void;
}

const enough = 100;
const nothing = { hits: [], next: null, problem: null } as const;

function useHits(source: SessionSource, branch: number, text: string): Hits {
  const [found, setFound] = useState<{
    readonly hits: readonly FindHit[];
    readonly next: number | null;
    readonly problem: string | null;
  }>(nothing);
  const [wanted, setWanted] = useState(enough);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another word starts a new search
  useEffect(() => {
    setFound(text.trim() === '' ? nothing : { hits: [], next: 0, problem: null });
    setWanted(enough);
  }, [source, branch, text]);
  const { hits, next, problem } = found;
  const isWanted = next !== null && hits.length < wanted && problem === null;
  useEffect(() => {
    if (!isWanted || next === null) return;
    const request = new AbortController();
    const ask = async (): Promise<void> => {
      const answer = await source.find({ text, branch, from: next }, request.signal);
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
      next === 0 ? waitMs : 0,
    );
    return () => {
      clearTimeout(timer);
      request.abort();
    };
  }, [source, branch, text, next, isWanted]);
  return { hits, isDone: next === null, problem, more: () => setWanted((count) => count + enough) };
}

const maxMarks = 1000;

/** Marks the words wherever they are on the screen, also in what comes into view later. */
function useMarks(text: string): void {
  useEffect(() => {
    const root = document.getElementById('conversation');
    const word = text.trim().toLowerCase();
    if (root === null || word === '' || !('highlights' in CSS)) return;
    let frame = 0;
    const paint = (): void => {
      frame = 0;
      CSS.highlights.set('found', new Highlight(...rangesOf(root, word)));
    };
    const observer = new MutationObserver(() => {
      frame ||= requestAnimationFrame(paint);
    });
    observer.observe(root, { childList: true, subtree: true, characterData: true });
    paint();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete('found');
    };
  }, [text]);
}

/** Code is coloured word by word: texts of one block are searched together. */
function rangesOf(root: Element, word: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let block: Element | null = null;
  let texts: Text[] = [];
  for (let node = walker.nextNode(); node !== null && ranges.length < maxMarks; node = walker.nextNode()) {
    const own = node.parentElement?.closest(blocks) ?? null;
    if (own !== block) {
      ranges.push(...rangesIn(texts, word));
      texts = [];
      block = own;
    }
    texts.push(node as Text); // the walker shows nothing else
  }
  return [...ranges, ...rangesIn(texts, word)];
}

const blocks = 'article, button, code, div, figcaption, h1, h2, h3, h4, h5, h6, li, p, pre, td, th';

function rangesIn(texts: readonly Text[], word: string): Range[] {
  const whole = texts.map((text) => text.data).join('');
  const lower = whole.toLowerCase();
  // Some letters change their length with their case: then the offsets would not match.
  if (lower.length !== whole.length) return [];
  const ranges: Range[] = [];
  for (let at = lower.indexOf(word); at >= 0 && ranges.length < maxMarks; at = lower.indexOf(word, at + word.length)) {
    const [start, end] = [pointAt(texts, at), pointAt(texts, at + word.length - 1)];
    if (start === undefined || end === undefined) break;
    const range = document.createRange();
    range.setStart(start.text, start.offset);
    range.setEnd(end.text, end.offset + 1);
    ranges.push(range);
  }
  return ranges;
}

function pointAt(texts: readonly Text[], at: number): { readonly text: Text; readonly offset: number } | undefined {
  let offset = at;
  for (const text of texts) {
    if (offset < text.length) return { text, offset };
    offset -= text.length;
  }
  return undefined;
}
