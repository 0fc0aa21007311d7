// Whether the session on the page runs, and what happened to its file: a badge in the header, and a notice if the file was
// deleted or replaced while the page was open.
import { useEffect, useState } from 'react';
import { formatAge, formatDuration, shellQuote } from '../../../../base/text/index.ts';
import type { SessionHead } from '../../../../export/wire/index.ts';
import { type Presence, type SessionSource, useMenus } from '../source/index.ts';
import { Words } from '../text/index.ts';

export function usePresence(source: SessionSource): Presence | null {
  const [presence, setPresence] = useState<Presence | null>(null);
  useEffect(() => {
    setPresence(null);
    return source.watchPresence?.(setPresence);
  }, [source]);
  return presence;
}

/** The time, every second while it is needed. */
export function useSeconds(isNeeded: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isNeeded) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isNeeded]);
  return now;
}

export function LiveBadge({ presence }: { readonly presence: Presence | null }) {
  const isLive = presence?.isLive === true && !presence.isGone;
  const now = useSeconds(isLive);
  if (!isLive) return null;
  const { pid, changedAt } = presence;
  return (
    <span className="mark live-mark live-badge">
      live
      <span className="live-fact">{pid === null ? `, written ${writtenAge(changedAt, now)}` : `, process ${pid}`}</span>
    </span>
  );
}

function writtenAge(changedAt: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - changedAt) / 1_000));
  if (seconds < 1) return 'now';
  return seconds < 60 ? `${seconds} s ago` : `${formatAge(changedAt, now)} ago`;
}

export interface FileNoticesProps {
  readonly head: SessionHead;
  /** It is read from the archive. */
  readonly isArchived: boolean;
  /** It is made of the prompts that are left of it. */
  readonly isRecovered: boolean;
  readonly isGone: boolean;
  readonly stored: Presence['stored'];
  readonly isReplaced: boolean;
  onDismiss(): void;
}

export function FileNotices(props: FileNoticesProps) {
  const { head, isGone, isArchived, isRecovered, stored, isReplaced, onDismiss } = props;
  const menus = useMenus();
  const { sessionId } = head;
  if (stored !== null) return <StoredNotice person={stored.person} isGone={isGone} />;
  if (isArchived) {
    return (
      <div className="file-notice archive-notice">
        <p>This session was deleted from the disk. The page reads it from the archive.</p>
        {menus === null ? null : <menus.Restore head={head} />}
      </div>
    );
  }
  if (isRecovered) {
    return (
      <div className="file-notice archive-notice">
        <p>
          The transcript of this session was deleted. The page shows the prompts that are left;{' '}
          <code>clew recover {shellQuote(sessionId)}</code> prints them and everything else that is left.
        </p>
      </div>
    );
  }
  if (isGone) {
    return (
      <div className="file-notice" role="alert">
        <p>
          The file of this session was deleted. The page keeps the turns that it has loaded. If the session was
          archived, <code>clew restore {shellQuote(sessionId)}</code> restores it; if Clew deleted it,{' '}
          <code>clew undo</code> does.
        </p>
      </div>
    );
  }
  if (!isReplaced) return null;
  return (
    <div className="file-notice" role="alert">
      <p>Another program replaced the file of this session. The page shows the new content.</p>
      <button type="button" onClick={onDismiss}>
        Close
      </button>
    </div>
  );
}

function StoredNotice({ person, isGone }: { readonly person: string | null; readonly isGone: boolean }) {
  if (isGone)
    return (
      <div className="file-notice" role="alert">
        <p>The store no longer has this session. The page keeps the turns that it has loaded.</p>
      </div>
    );
  return (
    <div className="file-notice archive-notice">
      {person === null ? (
        <p>This session is read from the store.</p>
      ) : (
        <p>
          <Words text={person} /> pushed this session to the store. Whoever opens the session of someone else is in the
          audit of the store.
        </p>
      )}
    </div>
  );
}

/** `running, 12 s`: for a call without a result in a session that runs. */
export function RunningTime({ since }: { readonly since: number | null }) {
  const now = useSeconds(true);
  if (since === null) return <>running</>;
  const seconds = Math.max(0, Math.floor((now - since) / 1_000));
  return <>running, {seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1_000)}</>;
}
