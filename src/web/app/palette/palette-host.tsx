// Opens the palette with Ctrl-K or Cmd-K. The palette itself is loaded when it is first opened.
import { lazy, Suspense, useEffect, useState } from 'react';
import type { PaletteProps } from './palette-props.ts';

const loadPalette = () => import('./palette-dialog.tsx');
const PaletteDialog = lazy(async () => ({ default: (await loadPalette()).PaletteDialog }));

export function PaletteHost(props: PaletteProps) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      // Letters that follow at once must reach its input.
      if (event.key === 'Control' || event.key === 'Meta') void loadPalette();
      const isShortcut = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
      if (!isShortcut || event.key.toLowerCase() !== 'k') return;
      // Also in a dialog: the browser's own meaning, its address bar, would leave the page.
      event.preventDefault();
      if (document.querySelector('dialog[open]') === null) setOpen(true);
    };
    document.addEventListener('keydown', onKey, { capture: true });
    return () => document.removeEventListener('keydown', onKey, { capture: true });
  }, []);
  if (!isOpen) return null;
  return (
    <Suspense fallback={null}>
      <PaletteDialog {...props} onClose={() => setOpen(false)} />
    </Suspense>
  );
}
