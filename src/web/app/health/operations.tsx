// Past operations, the newest first, with their undo.
import { useCallback, useEffect, useState } from 'react';
import { readJson } from '../../client/index.ts';
import type { OperationRow } from '../../wire/index.ts';
import {
  type Abortable,
  type Problem,
  ProblemNote,
  problemOf,
  useAnswer,
  useEvent,
  useServices,
  useThrottled,
} from '../page/index.ts';
import { formatTime } from '../session/format/index.ts';
import { Words } from '../session/text/index.ts';

const operationsMs = 500;

export interface OperationsProps {
  readonly allowsChanges: boolean;
  onChanged(): void;
}

export function Operations({ allowsChanges, onChanged }: OperationsProps) {
  const { client, events } = useServices();
  const ask = useCallback((options: Abortable) => readJson(client.operations.$get({}, options)), [client]);
  const { answer, problem, askAgain } = useAnswer(ask);
  const [failure, setFailure] = useState<Problem | null>(null);
  const [undoing, setUndoing] = useState<string | null>(null);
  // Every change writes or removes a session.
  useEvent('sessions', useThrottled(askAgain, operationsMs));
  useEffect(() => events.onMissed(askAgain), [events, askAgain]);
  const undo = (id: string): void => {
    setUndoing(id);
    setFailure(null);
    client.operations[':id'].undo
      .$post({ param: { id: encodeURIComponent(id) }, json: {} })
      .then(
        () => {
          askAgain();
          onChanged();
        },
        (error: unknown) => setFailure(problemOf(error)),
      )
      .finally(() => setUndoing(null));
  };
  const rows = answer ?? [];
  if (rows.length === 0 && problem === null) return null;
  return (
    <section className="operations" aria-label="Changes">
      <h2>Changes</h2>
      {problem === null ? null : <ProblemNote problem={problem} onRetry={askAgain} />}
      {failure === null ? null : <ProblemNote problem={failure} />}
      <ol>
        {rows.map((row) => (
          <li key={row.id}>
            <span>
              <strong>{row.operation}</strong> <Words text={sessionsOf(row)} />{' '}
              <span className="quiet">
                {formatTime(Date.parse(row.at))} · {row.state}
              </span>
            </span>
            {allowsChanges && row.canUndo ? (
              <button type="button" disabled={undoing !== null} onClick={() => undo(row.id)}>
                {undoing === row.id ? 'Undoing…' : 'Undo'}
              </button>
            ) : null}
          </li>
        ))}
      </ol>
    </section>
  );
}

function sessionsOf({ from, to }: OperationRow): string {
  const names = (rows: OperationRow['from']): string => rows.map(({ id }) => id.slice(0, 8)).join(', ');
  const [before, after] = [names(from), names(to)];
  return before === after ? before : `${before} → ${after}`;
}
