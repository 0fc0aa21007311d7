// Marks of a session in the list: live, damaged, to be deleted.
import { counted, formatDuration } from '../../../base/text/human.ts';
import type { SessionRow } from '../../wire/wire.ts';

export function SessionMarks({ row, now }: { readonly row: SessionRow; readonly now: number }) {
  const damage = damageOf(row);
  return (
    <>
      {row.isLive ? <span className="mark live-mark">live</span> : null}
      {damage === null ? null : (
        <a className="mark damage-mark" href={`/health?session=${encodeURIComponent(row.key)}`}>
          {damage}
        </a>
      )}
      {row.expiresAt === null ? null : <span className="mark expiry-mark">{expiryText(row.expiresAt - now)}</span>}
    </>
  );
}

function damageOf({ damage, severity }: SessionRow): string | null {
  if (severity === 'fatal') return 'cannot be resumed';
  if (severity === 'loss') return 'resuming loses work';
  if (damage === null || damage === 0) return null;
  return `${counted(damage, 'damaged line')}${severity === null ? ', not examined' : ''}`;
}

const dayMs = 86_400_000;

function expiryText(leftMs: number): string {
  if (leftMs <= 0) return 'deleted at the next start';
  if (leftMs < dayMs) return `deleted in ${formatDuration(leftMs)}`;
  return `deleted in ${counted(Math.floor(leftMs / dayMs), 'day')}`;
}
