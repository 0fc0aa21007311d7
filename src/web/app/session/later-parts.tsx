// Parts of the session page that its first view does not need. They are loaded soon after it, so that nothing waits for
// them: letters after the key that opens the find bar must reach it, and paper is drawn at once.
import { useEffect } from 'react';
import { laterPart } from '../later/index.ts';
import { useActions } from './source/index.ts';
import { loadWordDiff } from './text/index.ts';

export const findBar = laterPart(async () => (await import('./find/bar/index.ts')).FindBar, Failed);
export const rawDrawer = laterPart(async () => (await import('./raw-drawer.tsx')).RawDrawer, Failed);

/** Only for an id that names no session. */
export const similarSessions = laterPart(
  async () => (await import('./similar-sessions.tsx')).SimilarSessions,
  () => null,
);

function Failed({ onClose }: { onClose(): void }) {
  const { notify } = useActions();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it would have been shown
  useEffect(() => {
    notify('This cannot be loaded: check that clew open is still running, then reload');
    onClose();
  }, []);
  return null;
}

const afterMs = 1_000;

/** `isFinding`: the first view has the find bar. */
export function useLaterParts({
  isFinding,
  isShown,
}: {
  readonly isFinding: boolean;
  readonly isShown: boolean;
}): void {
  useEffect(() => {
    if (isFinding) void findBar.load();
  }, [isFinding]);
  useEffect(() => {
    if (!isShown) return;
    const timer = setTimeout(() => {
      void findBar.load();
      void rawDrawer.load();
      loadWordDiff().catch(() => {}); // lines without marks
    }, afterMs);
    return () => clearTimeout(timer);
  }, [isShown]);
}
