// The router: links and `goTo` change the address without a page load, back and forward work, and every history entry
// keeps its scroll position.
import { useSyncExternalStore } from 'react';

export interface Place {
  readonly path: string;
  readonly search: string;
  /** Counts navigations: going to the same address again is another visit. */
  readonly visit: number;
}

interface EntryState {
  readonly scroll?: number;
}

let place: Place = { path: location.pathname, search: location.search, visit: 0 };
let scroller: HTMLElement | null = null;
const listeners = new Set<() => void>();

export function startRouter(): void {
  // The user may have gone back or forward while the page was loaded.
  place = { path: location.pathname, search: location.search, visit: 0 };
  history.scrollRestoration = 'manual';
  addEventListener('popstate', () => {
    // A jump within the page is not a navigation.
    if (location.hash === '') move();
  });
  document.addEventListener('click', onClick);
}

/** `replaces`: the current entry of the history; `keepsScroll`: with its scroll position. */
export function goTo(
  address: string,
  { replaces = false, keepsScroll = false }: { readonly replaces?: boolean; readonly keepsScroll?: boolean } = {},
): void {
  const scroll = keepsScroll && scroller !== null ? ({ scroll: scroller.scrollTop } satisfies EntryState) : null;
  if (replaces) history.replaceState(scroll, '', address);
  else {
    saveScroll();
    history.pushState(null, '', address);
  }
  move();
}

export function usePlace(): Place {
  return useSyncExternalStore(subscribe, () => place);
}

/** The current visit, which may be ahead of the one that React has rendered (`usePlace`). */
export function currentVisit(): number {
  return place.visit;
}

/** This page's address with some query parameters changed; `null` removes a parameter. */
export function addressWith(changes: Readonly<Record<string, string | null>>, path: string = place.path): string {
  const query = new URLSearchParams(place.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

const settleMs = 150;

/** Saves the scroll position of this element in the history. */
export function followScroll(element: HTMLElement): () => void {
  scroller = element;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onScroll = (): void => {
    clearTimeout(timer);
    timer = setTimeout(saveScroll, settleMs);
  };
  element.addEventListener('scroll', onScroll, { passive: true });
  return () => {
    clearTimeout(timer);
    element.removeEventListener('scroll', onScroll);
    if (scroller === element) scroller = null;
  };
}

export function savedScroll(): number {
  const scroll = (history.state as EntryState | null)?.scroll; // only written below
  return typeof scroll === 'number' ? scroll : 0;
}

function saveScroll(): void {
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

/** Handles every plain click on a link to another page of the app. */
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
