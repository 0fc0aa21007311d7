// Single keys of the page: not while the user types, not with a modifier, not while a dialog is open.
import { useEffect } from 'react';

export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const { target } = event;
      const isTyping =
        target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
      if (isTyping || document.querySelector('dialog[open]') !== null) return;
      const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [keys]);
}
