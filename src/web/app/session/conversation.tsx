// The conversation: one row for each part, only those near the screen in the page, each as high as it turns out to be.
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useContext, useEffect, useImperativeHandle, useRef, useSyncExternalStore } from 'react';
import type { SessionHead } from '../../../export/wire/index.ts';
import { type Goal, type Scroller, usePursuit } from './find/index.ts';
import { Boundary, PartItems, PartView } from './items/index.ts';
import { runningFrom, useFollowing } from './live/index.ts';
import {
  isFiltered,
  type PartsStore,
  type Presence,
  RunningContext,
  type Target,
  type ViewFilter,
} from './source/index.ts';
import { PlainText, Words } from './text/index.ts';
import { rowOfPart } from './use-session.ts';
import { FilterContext, rowOf, type StepPlace, useVisibleParts } from './view/index.ts';

/** How a hit is recognised, and what to do where it is not shown. */
export type GoOptions = Pick<Goal, 'matcher' | 'onMissing'>;

export interface ConversationHandle {
  goTo(target: Target, options?: GoOptions): void;
  goToEnd(): void;
  /** The first line on the screen. */
  placeOnScreen(): StepPlace;
}

export interface ConversationProps {
  readonly head: SessionHead;
  readonly store: PartsStore;
  /** `false`: more will be loaded that is not new. */
  readonly isWhole: boolean;
  readonly filter: ViewFilter;
  /** The part that was jumped to: it is shown in every view. */
  readonly target: number | null;
  readonly presence: Presence | null;
  readonly handle: React.Ref<ConversationHandle>;
  /** The part at the top of the screen. */
  onPlace(part: number): void;
}

export function Conversation(props: ConversationProps) {
  const { head, store, isWhole, filter, target, presence, handle, onPlace } = props;
  const scrollRef = useRef<HTMLElement>(null);
  useSyncExternalStore(store.subscribe, () => store.version);
  const parts = useVisibleParts(head, store, filter, target);
  const shownParts = useRef(parts);
  shownParts.current = parts;
  const partAt = (index: number): number => parts[index] ?? 0;
  const virtualizer: Scroller = useVirtualizer<HTMLElement, HTMLDivElement>({
    count: parts.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: (index) => estimateHeight(head, partAt(index), filter),
    getItemKey: partAt,
    overscan: 2,
  });
  const indexOf = useCallback((part: number) => rowOf(shownParts.current, part), []);
  const pursue = usePursuit(scrollRef, virtualizer, indexOf);
  const goToEnd = (): void => pursue({ part: parts.at(-1) ?? 0, isEnd: true });
  useImperativeHandle(handle, () => ({
    goTo: (to, options) => pursue({ ...to, ...options, isEnd: false }),
    goToEnd,
    placeOnScreen: () => firstOnScreen(scrollRef.current, partAt(topRow)),
  }));
  const rows = virtualizer.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => store.want(parts, first, last + 1), [store, parts, first, last]);
  const topRow = rows.find((row) => row.end > (virtualizer.scrollOffset ?? 0) + 24)?.index ?? first;
  const top = partAt(topRow);
  useEffect(() => onPlace(top), [onPlace, top]);
  const shown = shownCount(head, filter, parts.length);
  const { isBehind, forget } = useFollowing(scrollRef, { shown, isWhole, filter });
  return (
    <main className="conversation" id="conversation" ref={scrollRef} tabIndex={-1} aria-label="Conversation">
      <div className="conversation-rows" style={{ height: virtualizer.getTotalSize() }}>
        {/* In normal flow: a row that turns out lower than estimated leaves no gap. By `top`, not by
            a transform, which sticky elements in them would not follow. */}
        <div className="rows-in-view" style={{ top: rows[0]?.start ?? 0 }}>
          {rows.map(({ index, key }) => (
            <div key={key} ref={virtualizer.measureElement} data-index={index} className="row">
              <Row head={head} store={store} part={partAt(index)} presence={presence} />
            </div>
          ))}
        </div>
      </div>
      {parts.length > 0 ? null : <p className="empty">{emptyText(head, filter)}</p>}
      <Waiting head={head} />
      {isBehind ? (
        <button
          type="button"
          className="news"
          onClick={() => {
            forget();
            goToEnd();
          }}
        >
          New below ↓
        </button>
      ) : null}
    </main>
  );
}

interface RowProps extends Pick<ConversationProps, 'head' | 'store' | 'presence'> {
  readonly part: number;
}

function Row({ head, store, part, presence }: RowProps) {
  const filter = useContext(FilterContext);
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
          <RunningContext value={runningFrom(head, presence, view)}>
            {isFiltered(filter) ? (
              <>
                <TurnLine index={row.index} prompt={row.prompt} />
                <PartItems items={view.items} />
              </>
            ) : (
              <PartView view={view} row={row} branch={head.branch} />
            )}
          </RunningContext>
        </Boundary>
      ) : failure !== undefined ? (
        <p className="problem">
          This part cannot be shown: {failure}{' '}
          <button type="button" onClick={() => store.retry(part)}>
            Try again
          </button>
        </p>
      ) : (
        <div className="loading" style={{ minHeight: estimateHeight(head, part, filter) - 40 }}>
          <p className="quiet">
            Turn {row.index} <Words text={row.prompt} />
          </p>
          <div className="loading-lines" aria-hidden="true" />
        </div>
      )}
    </article>
  );
}

/** Names the turn of blocks that are shown without it. */
const TurnLine = memo(function TurnLine({ index, prompt }: { readonly index: number; readonly prompt: string }) {
  return (
    <h2 className="turn-line">
      Turn {index}{' '}
      <span className="quiet">
        <Words text={prompt} />
      </span>
    </h2>
  );
});

/** Grows with every line that the view shows. */
function shownCount(head: SessionHead, { view, tools }: ViewFilter, rows: number): number {
  const sum = (count: (row: SessionHead['turns'][number]) => number): number =>
    head.turns.reduce((total, row) => total + count(row), 0);
  if (view === 'prompts') return rows;
  if (view === 'errors') return sum(({ errors }) => errors);
  if (tools.length > 0) return head.tools.reduce((all, { name, calls }) => all + (tools.includes(name) ? calls : 0), 0);
  return sum(view === 'all' ? ({ lines }) => lines : ({ shownLines }) => shownLines);
}

function emptyText(head: SessionHead, { view, tools }: ViewFilter): string {
  if (head.parts === 0) return 'No conversation in this session, only bookkeeping.';
  if (tools.length > 0) return `No ${view === 'errors' ? 'failed ' : ''}call of ${tools.join(' or ')} in this session.`;
  if (view === 'errors') return 'No errors in this session.';
  return view === 'prompts' ? 'No prompts in this session.' : 'Nothing to show in this view; All shows the rest.';
}

/** The block at the top of the screen. */
function firstOnScreen(element: HTMLElement | null, part: number): StepPlace {
  const top = (element?.getBoundingClientRect().top ?? 0) + 8;
  for (const block of element?.querySelectorAll(`[data-part="${part}"] [data-place]`) ?? []) {
    const [, line] = /^ (\d+)$/.exec(block.getAttribute('data-place') ?? '') ?? [];
    if (line !== undefined && block.getBoundingClientRect().bottom > top) return { part, line: Number(line) - 1 };
  }
  return { part, line: null };
}

/** From measured pages: a head with its prompt, and a call or an answer for every second line. */
function estimateHeight(head: SessionHead, part: number, filter: ViewFilter): number {
  const row = rowOfPart(head.turns, part);
  if (row === undefined) return 400;
  if (filter.view === 'prompts' || isFiltered(filter)) return 120;
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
