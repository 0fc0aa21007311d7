// The conversation: one row for each part, only those near the screen in the page, each as high as it turns out to be.
// Going to a place takes several steps: rows above it may still change their height while they load.
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import {
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { SessionHead } from '../../../export/wire/index.ts';
import { Boundary, PartView } from './items/index.ts';
import { type PartsStore, placeName, type Target, type TargetLine } from './source/index.ts';
import { PlainText, Words } from './text/index.ts';
import { rowOfPart } from './use-session.ts';

export interface ConversationHandle {
  goTo(target: Target): void;
  goToEnd(): void;
}

export interface ConversationProps {
  readonly head: SessionHead;
  readonly store: PartsStore;
  /** `false`: more will be loaded that is not new. */
  readonly isWhole: boolean;
  readonly handle: React.Ref<ConversationHandle>;
  /** The part at the top of the screen. */
  onPlace(part: number): void;
}

type Scroller = Virtualizer<HTMLElement, HTMLDivElement>;

export function Conversation({ head, store, isWhole, handle, onPlace }: ConversationProps) {
  const scrollRef = useRef<HTMLElement>(null);
  useSyncExternalStore(store.subscribe, () => store.version);
  const virtualizer: Scroller = useVirtualizer<HTMLElement, HTMLDivElement>({
    count: head.parts,
    getScrollElement: () => scrollRef.current,
    estimateSize: (part) => estimateHeight(head, part),
    getItemKey: (part) => part,
    overscan: 2,
  });
  const pursue = usePursuit(scrollRef, virtualizer);
  useImperativeHandle(handle, () => ({
    goTo: (target) => pursue({ ...target, isEnd: false }),
    goToEnd: () => pursue({ part: head.parts - 1, isEnd: true }),
  }));
  const rows = virtualizer.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => store.want(first, last + 1), [store, first, last]);
  const top = rows.find((row) => row.end > (virtualizer.scrollOffset ?? 0) + 24)?.index ?? first;
  useEffect(() => onPlace(top), [onPlace, top]);
  const { isBehind, goOn } = useFollowing(scrollRef, virtualizer, { parts: head.parts, isWhole }, () =>
    pursue({ part: head.parts - 1, isEnd: true }),
  );
  return (
    <main className="conversation" id="conversation" ref={scrollRef} tabIndex={-1} aria-label="Conversation">
      <div className="conversation-rows" style={{ height: virtualizer.getTotalSize() }}>
        {/* In normal flow: a row that turns out lower than estimated leaves no gap. By `top`, not by
            a transform, which sticky elements in them would not follow. */}
        <div className="rows-in-view" style={{ top: rows[0]?.start ?? 0 }}>
          {rows.map(({ index, key }) => (
            <div key={key} ref={virtualizer.measureElement} data-index={index} className="row">
              <Row head={head} store={store} part={index} />
            </div>
          ))}
        </div>
      </div>
      {head.parts === 0 ? <p className="empty">No conversation in this session, only bookkeeping.</p> : null}
      <Waiting head={head} />
      {isBehind ? (
        <button type="button" className="news" onClick={goOn}>
          New below ↓
        </button>
      ) : null}
    </main>
  );
}

function Row({ head, store, part }: { readonly head: SessionHead; readonly store: PartsStore; readonly part: number }) {
  const row = rowOfPart(head.turns, part);
  const view = store.get(part);
  const failure = store.failure(part);
  if (row === undefined) return null;
  const isFirst = row.firstPart === part;
  return (
    <article
      className={`turn ${isFirst ? 'first' : ''}`}
      data-part={part}
      data-loaded={view === undefined ? undefined : ''}
      aria-label={`Turn ${row.index}${isFirst ? '' : ', continued'}`}
    >
      {view !== undefined ? (
        <Boundary what={`Turn ${row.index}`}>
          <PartView view={view} row={row} branch={head.branch} />
        </Boundary>
      ) : failure !== undefined ? (
        <p className="problem">
          This part cannot be shown: {failure}{' '}
          <button type="button" onClick={() => store.retry(part)}>
            Try again
          </button>
        </p>
      ) : (
        <div className="loading" style={{ minHeight: estimateHeight(head, part) - 40 }}>
          <p className="quiet">
            Turn {row.index} <Words text={row.prompt} />
          </p>
          <div className="loading-lines" aria-hidden="true" />
        </div>
      )}
    </article>
  );
}

/** From measured pages: a head with its prompt, and a call or an answer for every second line. */
function estimateHeight(head: SessionHead, part: number): number {
  const row = rowOfPart(head.turns, part);
  if (row === undefined) return 400;
  const isLast = part === row.firstPart + row.partLines.length - 1;
  const lines = isLast ? row.lines - 30 * (row.partLines.length - 1) : 30;
  return 120 + lines * 45;
}

function Waiting({ head }: { readonly head: SessionHead }) {
  if (head.waiting.length === 0) return null;
  return (
    <section className="waiting" aria-label="Typed, but never sent">
      <p className="quiet">Typed, but never sent</p>
      {head.waiting.map((text) => (
        <PlainText key={`${text.text.length} ${text.text.slice(0, 40)}`} text={text} className="prompt-text" />
      ))}
    </section>
  );
}

interface Goal {
  readonly part: number;
  readonly line?: TargetLine;
  readonly isEnd: boolean;
}

const calmFrames = 12;
const maxFrames = 900;

/** Goes to a place and stays there until the page stops moving, or the user scrolls. */
function usePursuit(scrollRef: React.RefObject<HTMLElement | null>, virtualizer: Scroller): (goal: Goal) => void {
  const running = useRef(0);
  useEffect(() => {
    const element = scrollRef.current;
    const stop = (): void => {
      running.current++;
    };
    const events = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;
    for (const event of events) element?.addEventListener(event, stop, { passive: true });
    return () => {
      for (const event of events) element?.removeEventListener(event, stop);
    };
  }, [scrollRef]);
  return useCallback(
    (goal) => {
      const run = ++running.current;
      let calm = 0;
      let frames = 0;
      virtualizer.scrollToIndex(goal.part, { align: goal.isEnd ? 'end' : 'start' });
      const step = (): void => {
        const element = scrollRef.current;
        if (element === null || running.current !== run || frames++ > maxFrames || calm >= calmFrames) return;
        calm = approach(element, virtualizer, goal) ? calm + 1 : 0;
        requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    },
    [scrollRef, virtualizer],
  );
}

function approach(element: HTMLElement, virtualizer: Scroller, goal: Goal): boolean {
  const row = element.querySelector(`[data-part="${goal.part}"]`);
  if (row === null) {
    virtualizer.scrollToIndex(goal.part, { align: goal.isEnd ? 'end' : 'start' });
    return false;
  }
  const before = element.scrollTop;
  if (goal.isEnd) element.scrollTop = element.scrollHeight;
  else {
    const place = (goal.line === undefined ? null : findLine(row, goal.line)) ?? row;
    const room = place === row ? 0 : 72;
    element.scrollTop += place.getBoundingClientRect().top - element.getBoundingClientRect().top - room;
  }
  return Math.abs(element.scrollTop - before) < 2 && row.hasAttribute('data-loaded');
}

function findLine(row: Element, line: TargetLine): Element | null {
  const name = CSS.escape(placeName(line));
  return row.querySelector(`[data-place="${name}"]`) ?? row.querySelector(`[data-result="${name}"]`);
}

/** A reader at the end stays at the end as it grows; a reader elsewhere gets a notice. */
function useFollowing(
  scrollRef: React.RefObject<HTMLElement | null>,
  virtualizer: Scroller,
  { parts, isWhole }: { readonly parts: number; readonly isWhole: boolean },
  goToEnd: () => void,
): { readonly isBehind: boolean; readonly goOn: () => void } {
  const [isBehind, setBehind] = useState(false);
  const wasAtEnd = useRef(false);
  const height = useRef(0);
  const seen = useRef({ parts, isWhole });
  const size = virtualizer.getTotalSize();
  useEffect(() => {
    const element = scrollRef.current;
    const note = (): void => {
      if (element === null) return;
      wasAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 80;
      if (wasAtEnd.current) setBehind(false);
    };
    element?.addEventListener('scroll', note, { passive: true });
    return () => element?.removeEventListener('scroll', note);
  }, [scrollRef]);
  useLayoutEffect(() => {
    const element = scrollRef.current;
    const grew = size > height.current && height.current > 0;
    height.current = size;
    if (element !== null && grew && wasAtEnd.current) element.scrollTop = element.scrollHeight;
    if (seen.current.isWhole && parts > seen.current.parts && !wasAtEnd.current) setBehind(true);
    seen.current = { parts, isWhole };
  }, [scrollRef, size, parts, isWhole]);
  const goOn = (): void => {
    setBehind(false);
    goToEnd();
  };
  return { isBehind, goOn };
}
