// The menu of a session or of a turn: items by arrow keys, closed by Escape, by Tab and by a click elsewhere.
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useServices } from '../../page/index.ts';
import type { ActionHost, ActionSubject, AskedMenu } from '../subject/index.ts';
import { actionsFor, askSubject, menuGroups, menuTitle } from './subjects.ts';

export interface ActionMenuProps {
  readonly menu: AskedMenu;
  readonly host: ActionHost;
  onClose(): void;
}

interface MenuItem {
  readonly name: string;
  run(): void;
}

export function ActionMenu({ menu: { anchor, subject: asked }, host, onClose }: ActionMenuProps) {
  const ref = useRef<HTMLDivElement>(null);
  const subject = useSubject(asked.key);
  const groups = subject === null ? [] : itemsOf(subject, asked, host);
  const isReady = groups.length > 0;
  useEffect(() => {
    anchor.setAttribute('aria-expanded', 'true');
    return () => anchor.removeAttribute('aria-expanded');
  }, [anchor]);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null || !isReady) return;
    placeAt(element, anchor);
    element.querySelector<HTMLElement>('[role="menuitem"]')?.focus({ preventScroll: true });
  }, [anchor, isReady]);
  useEffect(() => {
    const onPointer = (event: PointerEvent): void => {
      if (event.target instanceof Node && ref.current?.contains(event.target) === true) return;
      onClose();
    };
    const onScroll = (event: Event): void => {
      if (event.target !== ref.current) onClose();
    };
    document.addEventListener('pointerdown', onPointer);
    document.addEventListener('scroll', onScroll, { capture: true, passive: true });
    return () => {
      document.removeEventListener('pointerdown', onPointer);
      document.removeEventListener('scroll', onScroll, { capture: true });
    };
  }, [onClose]);
  const close = (): void => {
    onClose();
    anchor.focus({ preventScroll: true });
  };
  const onKey = (event: React.KeyboardEvent): void => {
    const items = [...(ref.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
    const { activeElement: focused } = document;
    const at = focused instanceof HTMLElement ? items.indexOf(focused) : -1;
    const go = (to: number): void => items[(to + items.length) % items.length]?.focus();
    if (event.key === 'ArrowDown') go(at + 1);
    else if (event.key === 'ArrowUp') go(at - 1);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(-1);
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey) {
      const letter = event.key.toLowerCase();
      const ordered = [...items.slice(at + 1), ...items.slice(0, at + 1)];
      ordered.find((item) => item.textContent?.toLowerCase().startsWith(letter))?.focus();
    } else return;
    // The keys of the page, such as j and k, must not act below the menu.
    event.preventDefault();
    event.stopPropagation();
  };
  if (!isReady) return null;
  return (
    <div
      className="action-menu"
      ref={ref}
      role="menu"
      tabIndex={-1}
      aria-label={asked.turn === undefined ? 'Actions' : `Actions of turn ${asked.turn.index}`}
      onKeyDownCapture={onKey}
    >
      {groups.map((items) => (
        <ul key={items[0]?.name} role="none">
          {items.map(({ name, run }) => (
            <li key={name} role="none">
              <button
                type="button"
                role="menuitem"
                tabIndex={-1}
                onClick={() => {
                  close();
                  run();
                }}
              >
                {name}
              </button>
            </li>
          ))}
        </ul>
      ))}
    </div>
  );
}

function useSubject(key: string): ActionSubject | null {
  const { client } = useServices();
  const [subject, setSubject] = useState<ActionSubject | null>(null);
  useEffect(() => {
    let isShown = true;
    const unknown = { key, id: key, path: '', title: null, isStarred: false, isOnDisk: true, isArchived: false };
    askSubject(client, key).then(
      (found) => isShown && setSubject(found),
      () => isShown && setSubject(unknown), // the dialog reports why the server does not answer
    );
    return () => {
      isShown = false;
    };
  }, [client, key]);
  return subject;
}

function itemsOf(
  subject: ActionSubject,
  { turn }: AskedMenu['subject'],
  host: ActionHost,
): readonly (readonly MenuItem[])[] {
  const known = actionsFor(subject);
  if (turn !== undefined) {
    const here = (action: 'fork' | 'rewind') => () =>
      void turn.at().then(
        (at) => host.open(action, [subject], { at }),
        (error: unknown) => host.notify({ text: error instanceof Error ? error.message : String(error) }),
      );
    const changes = known.some(({ name }) => name === 'fork')
      ? [
          { name: 'Fork here…', run: here('fork') },
          { name: 'Rewind to here…', run: here('rewind') },
        ]
      : [];
    const copies = [
      { name: 'Copy link', run: turn.copyLink },
      { name: 'Copy as Markdown', run: turn.copyMarkdown },
    ];
    return [changes, copies].filter((items) => items.length > 0);
  }
  return menuGroups
    .map((names) =>
      known
        .filter(({ name }) => names.includes(name))
        .map((action) => ({ name: menuTitle(action), run: () => host.open(action.name, [subject]) })),
    )
    .filter((items) => items.length > 0);
}

const gap = 4;

/** Below the button, or above it where there is more room; never outside of the window. */
function placeAt(element: HTMLElement, anchor: HTMLElement): void {
  const { left, right, top, bottom } = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = element;
  const [wide, high] = [document.documentElement.clientWidth, document.documentElement.clientHeight];
  const x = left + width + gap <= wide ? left : right - width;
  const y = bottom + height + gap <= high ? bottom + gap : Math.max(gap, top - height - gap);
  element.style.left = `${Math.max(gap, Math.min(x, wide - width - gap))}px`;
  element.style.top = `${Math.min(y, Math.max(gap, high - height - gap))}px`;
}
