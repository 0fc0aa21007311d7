// Which calls without a result may still be running: those at the end of a session that runs. An older one was
// interrupted, and has no result.
import type { SessionHead, TurnView } from '../../../../export/wire/index.ts';
import type { Presence } from '../source/index.ts';

/** The first line at which a call of this part may run; `null`: none. */
export function runningFrom(head: SessionHead, presence: Presence | null, view: TurnView | undefined): number | null {
  if (presence?.isLive !== true || presence.isGone || head.branch !== 1 || view === undefined) return null;
  // Parallel calls may begin in the last part but one.
  if (view.turn !== head.turnCount || view.part < head.parts - 2) return null;
  const settled = view.items.findLast(
    (item) => item.kind === 'text' || item.kind === 'note' || item.kind === 'compaction',
  );
  return (settled?.place.line ?? 0) + 1;
}
