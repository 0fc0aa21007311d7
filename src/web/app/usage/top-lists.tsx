// The most expensive sessions and turns, each a link.
import { counted } from '../../../base/text/human.ts';
import type { TopAnswer, UsageQuery } from '../../wire/usage.ts';
import { shortProject } from '../library/project-list.tsx';
import { formatKnownMoney, formatTime } from '../session/format/format.ts';
import { writeAddress } from '../session/source/address.ts';
import { Words } from '../session/text/text.tsx';

export interface TopListsProps {
  readonly top: TopAnswer;
  onReceipts(title: string, query: UsageQuery): void;
}

export function TopLists({ top, onReceipts }: TopListsProps) {
  return (
    <div className="top-lists">
      <section aria-label="Most expensive sessions">
        <h2>Most expensive sessions</h2>
        <ol>
          {top.sessions.map((session) => {
            const title = session.title ?? 'Untitled session';
            return (
              <li key={session.key}>
                <span className="cost">{formatKnownMoney(session.costMicroUsd, session.unpricedMessages > 0)}</span>
                <a href={`/s/${encodeURIComponent(session.key)}`} data-stop="">
                  <Words text={title} />
                </a>
                <span className="quiet">
                  <Words text={shortProject(session.project)} /> · {counted(session.messages, 'message')}
                </span>
                <button type="button" onClick={() => onReceipts(title, { session: session.key })}>
                  Receipts
                  <span className="unseen">
                    {' '}
                    of <Words text={title} />
                  </span>
                </button>
              </li>
            );
          })}
        </ol>
      </section>
      <section aria-label="Most expensive turns">
        <h2>Most expensive turns</h2>
        <ol>
          {top.turns.map((turn) => (
            <li key={`${turn.key} ${turn.line}`}>
              <span className="cost">{formatKnownMoney(turn.costMicroUsd, turn.unpricedMessages > 0)}</span>
              <a href={writeAddress(turn.key, { line: turn.line })} data-stop="">
                <Words text={turn.prompt === '' ? 'Before the first prompt' : turn.prompt} />
              </a>
              <span className="quiet">
                <Words text={turn.title ?? 'Untitled session'} /> · {formatTime(turn.time)} ·{' '}
                {counted(turn.messages, 'message')}
              </span>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}
