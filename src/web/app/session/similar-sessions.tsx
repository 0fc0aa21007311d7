// The sessions whose ids begin like the one of the address.
import { useEffect, useState } from 'react';
import { formatTime } from './format/index.ts';
import type { SessionSource, SimilarSession } from './source/index.ts';
import { Words } from './text/index.ts';

export function SimilarSessions({ source }: { readonly source: SessionSource }) {
  const [sessions, setSessions] = useState<readonly SimilarSession[]>([]);
  useEffect(() => {
    let isOpen = true;
    source.similar?.().then(
      (found) => {
        if (isOpen) setSessions(found);
      },
      () => {}, // the page says already that there is no such session
    );
    return () => {
      isOpen = false;
    };
  }, [source]);
  if (sessions.length === 0) return null;
  return (
    <ul className="similar-sessions" aria-label="Sessions with this beginning">
      {sessions.map(({ key, title, project, changedAt }) => (
        <li key={key}>
          <a href={`/s/${encodeURIComponent(key)}`} data-stop="">
            <Words text={title} />
          </a>{' '}
          <span className="quiet">
            <Words text={`${key.slice(0, 13)} · ${project} · ${formatTime(changedAt)}`} />
          </span>
        </li>
      ))}
    </ul>
  );
}
