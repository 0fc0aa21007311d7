// The health page: what doctor found in all sessions, as a triage, and one selected session.
import { useCallback, useMemo } from 'react';
import { counted, formatBytes } from '../../../base/text/index.ts';
import { readJson } from '../../client/index.ts';
import type { LibraryDoctorAnswer } from '../../wire/index.ts';
import {
  type Abortable,
  PageFrame,
  ProblemNote,
  useAnswer,
  useEvent,
  usePlace,
  useServices,
  useStatus,
  useThrottled,
  Waiting,
} from '../page/index.ts';
import { Words } from '../session/text/index.ts';
import { KindsOfDamage } from './kinds-of-damage.tsx';
import { Operations } from './operations.tsx';
import { SessionHealth } from './session-health.tsx';
import { Triage } from './triage.tsx';

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
          onChanged={start}
        />
      )}
      {answer === null ? (
        problem === null ? (
          <Waiting what="Loading the findings" />
        ) : null
      ) : (
        <>
          <Triage answer={answer} code={code} onChanged={start} />
          <KindsOfDamage answer={answer} code={code} />
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

const maxShown = 500;

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
