// What was done, with "Undo" and a link to the result. It stays long enough to be read and reached by key, and longer while
// the pointer or the focus is on it.
import { useEffect, useRef, useState } from 'react';
import { problemOf, useServices } from '../../page/index.ts';
import { Words } from '../../session/text/index.ts';
import type { ActionHost, Notice } from '../subject/index.ts';

export interface NoticeBarProps {
  readonly notice: Notice | null;
  readonly host: ActionHost;
  onClose(): void;
}

const shownMs = 15_000;

export function NoticeBar({ notice, host, onClose }: NoticeBarProps) {
  const { client } = useServices();
  const bar = useRef<HTMLDivElement>(null);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    if (notice === null || isBusy) return;
    const timer = setInterval(() => {
      const isUsed = bar.current?.matches(':hover, :focus-within') === true;
      if (!isUsed) onClose();
    }, shownMs);
    return () => clearInterval(timer);
  }, [notice, isBusy, onClose]);
  const undoes = notice?.undoes ?? [];
  const undo = (): void => {
    if (undoes.length === 0 || isBusy) return;
    setBusy(true);
    const run = async (): Promise<void> => {
      for (const id of undoes)
        await client.operations[':id'].undo.$post({ param: { id: encodeURIComponent(id) }, json: {} });
    };
    run()
      .then(
        () => host.notify({ text: 'Undone: everything is as before' }),
        (error: unknown) => {
          const { message, next } = problemOf(error);
          host.notify({ text: `Not undone: ${message}${next === '' ? '' : `; ${next}`}` });
        },
      )
      .finally(() => setBusy(false));
  };
  useUndoKey(undoes.length > 0, undo);
  return (
    <div className={notice === null ? 'unseen' : 'notice-bar'} ref={bar}>
      <output aria-live="polite">
        {isBusy ? 'Undoing…' : <Words text={notice?.text ?? ''} />}
        {undoes.length > 0 && !isBusy ? <span className="unseen">. Press z to undo</span> : null}
      </output>
      {notice === null || isBusy ? null : (
        <>
          {notice.link === undefined ? null : <a href={notice.link.address}>{notice.link.text}</a>}
          {undoes.length === 0 ? null : (
            <button type="button" aria-keyshortcuts="z" onClick={undo}>
              Undo <kbd>z</kbd>
            </button>
          )}
          <button type="button" aria-label="Close the notice" className="notice-close" onClick={onClose}>
            ✕
          </button>
          {notice.details === undefined || notice.details.length === 0 ? null : (
            <details>
              <summary>Details</summary>
              <ul>
                {notice.details.map((line) => (
                  <li key={line}>
                    <Words text={line} />
                  </li>
                ))}
              </ul>
            </details>
          )}
        </>
      )}
    </div>
  );
}

function useUndoKey(isOn: boolean, undo: () => void): void {
  const latest = useRef(undo);
  latest.current = undo;
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      const isTyping = target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
      if (event.key !== 'z' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn]);
}
