// The keyboard shortcuts of every page (see help-dialog.tsx). The session page has its own j, k, / and ?.
import { useEffect } from 'react';
import { goTo } from './page/router.ts';

export interface ShellKeys {
  readonly isSession: boolean;
  onHelp(): void;
}

const pages: Readonly<Record<string, string>> = { l: '/', u: '/usage', h: '/health', v: '/live' };
const prefixMs = 1_500;

export function useShellKeys({ isSession, onHelp }: ShellKeys): void {
  useEffect(() => {
    let prefixAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const isSecond = event.timeStamp - prefixAt < prefixMs;
      prefixAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      const page = isSecond && Object.hasOwn(pages, event.key) ? pages[event.key] : undefined;
      if (page !== undefined) goTo(page);
      else if (isSession) return;
      else if (event.key === 'j') step(1);
      else if (event.key === 'k') step(-1);
      else if (event.key === '/') focusSearch();
      else if (event.key === '?') onHelp();
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    // Runs before the page's own shortcuts, where the second key of a sequence could mean something else.
    document.addEventListener('keydown', onKey, { capture: true });
    return () => document.removeEventListener('keydown', onKey, { capture: true });
  }, [isSession, onHelp]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
}

/** Starts at the focused item, or at the first visible one. */
function step(by: 1 | -1): void {
  const stops = [...document.querySelectorAll<HTMLElement>('main [data-stop]')];
  const at = stops.findIndex((stop) => stop === document.activeElement || stop.contains(document.activeElement));
  const top = document.querySelector('main')?.getBoundingClientRect().top ?? 0;
  const next = at >= 0 ? stops[at + by] : stops.find((stop) => stop.getBoundingClientRect().top >= top);
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

function focusSearch(): void {
  const input = document.querySelector<HTMLInputElement>('.search input');
  input?.focus();
  input?.select();
}
