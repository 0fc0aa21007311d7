// One session on the health page: all its findings, and its repair.
import { useCallback, useEffect, useRef } from 'react';
import { counted, formatCount } from '../../../base/text/index.ts';
import { keyParam, readJson } from '../../client/index.ts';
import type { DiagnosisAnswer, FindingView } from '../../wire/index.ts';
import { type Abortable, addressWith, ProblemNote, useAnswer, useServices, Waiting } from '../page/index.ts';
import { writeAddress } from '../session/source/index.ts';
import { Words } from '../session/text/index.ts';
import { ReachBar } from './reach-bar.tsx';
import { Repair } from './repair.tsx';

export interface SessionHealthProps {
  readonly sessionKey: string;
  readonly title: string | null;
  onChanged(): void;
}

export function SessionHealth({ sessionKey, title, onChanged }: SessionHealthProps) {
  const { client } = useServices();
  const heading = useRef<HTMLHeadingElement>(null);
  const askDiagnosis = useCallback(
    (options: Abortable) => readJson(client.sessions[':key'].doctor.$get({ param: keyParam(sessionKey) }, options)),
    [client, sessionKey],
  );
  const { answer, problem, askAgain } = useAnswer(askDiagnosis);
  useEffect(() => {
    heading.current?.focus();
  }, []);
  return (
    <section className="session-health" aria-label="One session">
      <div className="section-head">
        <h2 ref={heading} tabIndex={-1}>
          {title === null ? 'Session ' : null}
          <Words text={title ?? sessionKey.slice(0, 8)} />
        </h2>
        <a href={`/s/${encodeURIComponent(sessionKey)}`}>Open it</a>
        <a href={addressWith({ session: null })}>Close</a>
      </div>
      {problem === null ? null : <ProblemNote problem={problem} onRetry={askAgain} />}
      {answer === null && problem === null ? <Waiting what="Examining the session" /> : null}
      {answer === null ? null : (
        <>
          <Findings answer={answer} sessionKey={sessionKey} />
          {answer.isRepairable ? (
            <Repair sessionKey={sessionKey} onApplied={onChanged} />
          ) : answer.findings.length > 0 ? (
            <p className="quiet">There is nothing to repair in this file.</p>
          ) : null}
        </>
      )}
    </section>
  );
}

function Compaction({ answer: { compactsFirst } }: { readonly answer: DiagnosisAnswer }) {
  if (compactsFirst === null) return null;
  const { tokens, limit, left } = compactsFirst;
  return (
    <p className="compacts-first">
      The client will compact this session first (about {formatCount(tokens)} tokens, over its limit of{' '}
      {formatCount(limit)}): what remains is {left}.
    </p>
  );
}

function Findings({ answer, sessionKey }: { readonly answer: DiagnosisAnswer; readonly sessionKey: string }) {
  if (answer.findings.length === 0 && answer.violations.length === 0)
    return answer.unread.length === 0 ? (
      <>
        <p>Nothing is wrong with this session.</p>
        <Compaction answer={answer} />
      </>
    ) : (
      <p className="problem">
        Part of it could not be examined:{' '}
        <Words text={answer.unread.map(({ path, code }) => `${path} (${code})`).join(', ')} />
      </p>
    );
  return (
    <>
      <Compaction answer={answer} />
      <p className="reach-line">
        Resuming loads <ReachBar reach={answer.reachable} name="" /> messages
        {answer.reachableOld.loaded === answer.reachable.loaded ? '' : `; older clients ${answer.reachableOld.loaded}`}.
      </p>
      <ol className="findings">
        {answer.findings.map((finding) => (
          <Finding
            key={`${finding.code} ${finding.file} ${finding.line} ${finding.message}`}
            {...{ finding, sessionKey }}
          />
        ))}
      </ol>
      {answer.hasMore ? <p className="quiet">There are more findings.</p> : null}
      {answer.violations.length === 0 ? null : (
        <details>
          <summary>The API would reject {counted(answer.violations.length, 'thing')}</summary>
          <ul>
            {answer.violations.map(({ rule, message, line }) => (
              <li key={`${rule} ${line} ${message}`}>
                <a href={writeAddress(sessionKey, { line })}>line {line}</a>: <Words text={message} />{' '}
                <span className="quiet">({rule})</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Finding({ finding, sessionKey }: { readonly finding: FindingView; readonly sessionKey: string }) {
  return (
    <li className={`severity-${finding.severity}`}>
      <p>
        <span className="severity">{severityWords[finding.severity]}</span> <strong>{finding.title}</strong>{' '}
        <code>{finding.code}</code>{' '}
        {finding.line > 0 ? <a href={writeAddress(sessionKey, { line: finding.line })}>line {finding.line}</a> : null}
      </p>
      {finding.message === finding.title ? null : (
        <p>
          <Words text={finding.message} />
        </p>
      )}
      <p className="quiet">
        <Words text={finding.effect} />
      </p>
      {finding.fix === '' ? null : (
        <p className="quiet">
          Repair: <Words text={finding.fix} />
        </p>
      )}
    </li>
  );
}

const severityWords: Readonly<Record<FindingView['severity'], string>> = {
  fatal: 'Cannot be resumed',
  loss: 'Resuming loses work',
  warn: 'Warning',
  info: 'Note',
};
