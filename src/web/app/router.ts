// The address bar → what the page shows, and back: links and `goTo` change it without a load, back and forward work, and
// every entry of the history remembers how far its page was scrolled.
import { useSyncExternalStore } from 'react';

export interface Place {
  readonly path: string;
  readonly search: string;
  /** Counts steps: the same address, come to once more, is another visit. */
  readonly visit: number;
}

/** What an entry of the history carries. */
interface EntryState {
  readonly scroll?: number;
}

let place: Place = { path: location.pathname, search: location.search, visit: 0 };
let scroller: HTMLElement | null = null;
const listeners = new Set<() => void>();

export function startRouter(): void {
  history.scrollRestoration = 'manual';
  addEventListener('popstate', () => {
    // A jump to a part of the page that is shown is no step.
    if (location.hash === '') move();
  });
  document.addEventListener('click', onClick);
}

export function goTo(address: string, { replaces = false }: { readonly replaces?: boolean } = {}): void {
  if (replaces) history.replaceState(null, '', address);
  else {
    keepScroll();
    history.pushState(null, '', address);
  }
  move();
}

export function usePlace(): Place {
  return useSyncExternalStore(subscribe, () => place);
}

/** The number of the visit now; of what React shows, `usePlace` tells. */
export function currentVisit(): number {
  return place.visit;
}

/** The address of this page with some of its words changed; `null` takes a word away. */
export function addressWith(changes: Readonly<Record<string, string | null>>, path: string = place.path): string {
  const query = new URLSearchParams(place.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

const settleMs = 150;

/** The element whose scrolling belongs to the history; where it stood, if one came back. */
export function followScroll(element: HTMLElement): () => void {
  scroller = element;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onScroll = (): void => {
    clearTimeout(timer);
    timer = setTimeout(keepScroll, settleMs);
  };
  element.addEventListener('scroll', onScroll, { passive: true });
  return () => {
    clearTimeout(timer);
    element.removeEventListener('scroll', onScroll);
    if (scroller === element) scroller = null;
  };
}

export function scrollBefore(): number {
  const scroll = (history.state as EntryState | null)?.scroll; // written below, or by nobody
  return typeof scroll === 'number' ? scroll : 0;
}

function keepScroll(): void {
  if (scroller !== null) history.replaceState({ scroll: scroller.scrollTop } satisfies EntryState, '');
}

function move(): void {
  place = { path: location.pathname, search: location.search, visit: place.visit + 1 };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Every plain click on a link to a page of ours, wherever it stands. */
function onClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const href = link?.getAttribute('href');
  if (link === null || href == null || !/^\/(?![/\\])/.test(href) || link.target !== '' || href.startsWith('/api/'))
    return;
  event.preventDefault();
  goTo(href);
}
