// The health page: the findings of doctor in all sessions, worst first, and one selected session.
import { useCallback, useMemo, useState } from 'react';
import { counted, formatBytes } from '../../../base/text/index.ts';
import { readJson } from '../../client/index.ts';
import {
  type DoctorRow,
  type LibraryDoctorAnswer,
  type OperationRow,
  type Severity,
  severityNames,
} from '../../wire/index.ts';
import { shortProject } from '../library/index.ts';
import {
  type Abortable,
  addressWith,
  Empty,
  PageFrame,
  type Problem,
  ProblemNote,
  problemOf,
  useAnswer,
  useEvent,
  usePlace,
  useServices,
  useStatus,
  useThrottled,
  Waiting,
} from '../page/index.ts';
import { formatTime } from '../session/format/index.ts';
import { Words } from '../session/text/index.ts';
import { ReachBar, SessionHealth, severityWords } from './session-health.tsx';

const refreshMs = 600;

export function HealthPage() {
  const { search } = usePlace();
  const { key, code } = useMemo(() => {
    const query = new URLSearchParams(search);
    return { key: query.get('session'), code: query.get('code') };
  }, [search]);
  const { answer, problem, askAgain, start } = useLibraryDoctor();
  const status = useStatus();
  return (
    <PageFrame
      title="Health"
      className="health"
      isReady={answer !== null}
      tools={answer === null ? null : <DoctorTools answer={answer} onStart={start} />}
    >
      {problem === null ? null : <ProblemNote problem={problem} onRetry={askAgain} />}
      {key === null ? null : (
        <SessionHealth
          key={key}
          sessionKey={key}
          title={answer?.sessions.find((row) => row.key === key)?.title ?? null}
          allowsChanges={status?.allowsChanges === true}
          onChanged={start}
        />
      )}
      {answer === null ? (
        problem === null ? (
          <Waiting what="Loading the findings" />
        ) : null
      ) : (
        <>
          <Counts answer={answer} code={code} />
          <DoctorList answer={answer} code={code} current={key} />
          <FolderFindings answer={answer} />
          <Unread answer={answer} />
        </>
      )}
      <Operations allowsChanges={status?.allowsChanges === true} onChanged={start} />
    </PageFrame>
  );
}

/** Starts the examination if there has been none, and follows its progress. */
function useLibraryDoctor() {
  const { client } = useServices();
  const ask = useCallback(
    async (options: Abortable) => {
      const known = await readJson(client.doctor.$get({}, options));
      return known.state === 'idle' ? readJson(client.doctor.$post({ json: {} })) : known;
    },
    [client],
  );
  const answered = useAnswer(ask);
  const { askAgain } = answered;
  const later = useThrottled(askAgain, refreshMs);
  useEvent('doctor', later);
  const start = useCallback(() => {
    client.doctor.$post({ json: {} }).then(later, later); // the next request reports a failure
  }, [client, later]);
  return { ...answered, start };
}

function DoctorTools({ answer, onStart }: { readonly answer: LibraryDoctorAnswer; onStart(): void }) {
  const { state, bytesDone, bytesTotal, sessionsDone, sessionsTotal } = answer;
  if (state === 'running')
    return (
      <output className="index-progress page-facts">
        <progress aria-label="Sessions examined" max={Math.max(1, bytesTotal)} value={bytesDone} />
        <span>
          {sessionsTotal === 0
            ? 'Looking for sessions…'
            : `${sessionsDone} of ${counted(sessionsTotal, 'session')} examined`}
        </span>
      </output>
    );
  return (
    <div className="page-facts">
      <span className={state === 'failed' ? 'problem' : 'quiet'}>
        {state === 'failed'
          ? 'Examining the library failed.'
          : `${counted(sessionsDone, 'session')}, ${formatBytes(bytesDone)} examined`}
      </span>{' '}
      <button type="button" onClick={onStart}>
        Examine again
      </button>
    </div>
  );
}

function Counts({ answer, code }: { readonly answer: LibraryDoctorAnswer; readonly code: string | null }) {
  const rank = (severity: Severity): number => severityNames.indexOf(severity);
  const counts = answer.counts.toSorted((a, b) => rank(a.severity) - rank(b.severity) || b.sessions - a.sessions);
  if (counts.length === 0) return null;
  return (
    <section className="damage-counts" aria-label="Kinds of damage">
      <ul>
        {counts.map((each) => (
          <li key={each.code}>
            <a
              href={addressWith({ code: each.code === code ? null : each.code })}
              aria-current={each.code === code ? 'true' : undefined}
              className={`severity-${each.severity}`}
            >
              <span className="count">{each.findings}</span>{' '}
              <span>
                {each.title} <code>{each.code}</code>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface DoctorListProps {
  readonly answer: LibraryDoctorAnswer;
  readonly code: string | null;
  readonly current: string | null;
}

const maxShown = 500;

function DoctorList({ answer, code, current }: DoctorListProps) {
  const rows = answer.sessions.filter(({ codes }) => code === null || codes.some((each) => each.code === code));
  if (rows.length === 0)
    return answer.state === 'running' ? (
      <p className="state quiet">Nothing found so far.</p>
    ) : (
      <Empty>
        <p>{nothingText(answer, code)}</p>
      </Empty>
    );
  return (
    <section aria-label="Sessions with findings" className="doctor-list">
      <h2>{counted(rows.length, 'session')} with findings</h2>
      <ol>
        {rows.slice(0, maxShown).map((row) => (
          <DoctorItem key={row.key} row={row} isCurrent={row.key === current} />
        ))}
      </ol>
      {rows.length > maxShown ? <p className="quiet">The {maxShown} worst are shown.</p> : null}
    </section>
  );
}

function nothingText({ sessionsDone, unread, state }: LibraryDoctorAnswer, code: string | null): string {
  if (code !== null) return 'No session has this damage.';
  if (sessionsDone === 0) return 'No session was examined.';
  return unread.length === 0 && state === 'done'
    ? 'Every session is sound.'
    : 'Every session that was examined is sound.';
}

function Unread({ answer }: { readonly answer: LibraryDoctorAnswer }) {
  if (answer.unread.length === 0) return null;
  return (
    <section aria-label="Not examined" className="folder-findings">
      <h2>Not examined</h2>
      <ul>
        {answer.unread.slice(0, maxShown).map(({ path, code }) => (
          <li key={path} className="severity-loss">
            cannot read <Words text={path} /> <span className="quiet">({code}); check the permissions</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function DoctorItem({ row, isCurrent }: { readonly row: DoctorRow; readonly isCurrent: boolean }) {
  return (
    <li className={`severity-${row.severity}`}>
      <span className="severity">{severityWords[row.severity]}</span>
      <a href={addressWith({ session: row.key })} data-stop="" aria-current={isCurrent ? 'true' : undefined}>
        <Words text={row.title ?? row.id} />
      </a>
      <span className="quiet doctor-facts">
        <Words text={shortProject(row.project)} /> ·{' '}
        {row.codes.map(({ code, count }) => `${code} ×${count}`).join(', ')}
      </span>
      <ReachBar reach={row.reachable} name="Resuming loads" />
    </li>
  );
}

function FolderFindings({ answer }: { readonly answer: LibraryDoctorAnswer }) {
  if (answer.folders.length === 0) return null;
  return (
    <section aria-label="Folders" className="folder-findings">
      <h2>Folders</h2>
      <ul>
        {answer.folders.map((finding) => (
          <li key={`${finding.file} ${finding.code} ${finding.message}`} className={`severity-${finding.severity}`}>
            <Words text={finding.message} /> <span className="quiet">{finding.fix}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const operationsMs = 500;

export interface OperationsProps {
  readonly allowsChanges: boolean;
  onChanged(): void;
}

function Operations({ allowsChanges, onChanged }: OperationsProps) {
  const { client } = useServices();
  const ask = useCallback((options: Abortable) => readJson(client.operations.$get({}, options)), [client]);
  const { answer, askAgain } = useAnswer(ask);
  const [failure, setFailure] = useState<Problem | null>(null);
  const [undoing, setUndoing] = useState<string | null>(null);
  // Every change writes or removes a session.
  useEvent('sessions', useThrottled(askAgain, operationsMs));
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
  if (answer === null || answer.length === 0) return null;
  return (
    <section className="operations" aria-label="Changes">
      <h2>Changes</h2>
      {failure === null ? null : <ProblemNote problem={failure} />}
      <ol>
        {answer.map((row) => (
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
