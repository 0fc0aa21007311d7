// Whether the right side of the session page is open: as the user left it, else by the width of the window.
import { useCallback, useState } from 'react';

const storageKey = 'clew-side';
const wideEnough = '(min-width: 1200px)';

export interface SideState {
  readonly isOpen: boolean;
  setOpen(isOpen: boolean): void;
}

export function useSide(): SideState {
  const [isOpen, setState] = useState(startsOpen);
  const setOpen = useCallback((open: boolean): void => {
    setState(open);
    try {
      localStorage.setItem(storageKey, open ? 'open' : 'closed');
    } catch {
      // Storage is blocked: it lasts as long as the page.
    }
  }, []);
  return { isOpen, setOpen };
}

/** On a narrow window it covers the conversation, so only the user opens it there. */
function startsOpen(): boolean {
  if (!matchMedia(wideEnough).matches) return false;
  try {
    return localStorage.getItem(storageKey) !== 'closed';
  } catch {
    return true;
  }
}
