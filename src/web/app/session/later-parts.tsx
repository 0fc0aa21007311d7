// Parts of the session page that its first view does not need. They are loaded soon after it, so that nothing waits for
// them. The find bar is not one of them: letters typed right after the key that opens it must reach it.
import { useEffect } from 'react';
import { laterPart } from '../later/index.ts';
import { useActions } from './source/index.ts';
import { loadWordDiff } from './text/index.ts';

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

export function useLaterParts(isShown: boolean): void {
  useEffect(() => {
    if (!isShown) return;
    const timer = setTimeout(() => {
      void rawDrawer.load();
      loadWordDiff().catch(() => {}); // lines without marks
    }, afterMs);
    return () => clearTimeout(timer);
  }, [isShown]);
}
