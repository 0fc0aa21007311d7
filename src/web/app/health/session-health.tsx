// One session on the health page: its findings, a preview of the repair for each strategy, and the repair itself if the
// server allows changes.
import { useCallback, useEffect, useRef, useState } from 'react';
import { counted, formatBytes, formatCount } from '../../../base/text/index.ts';
import { keyParam, readJson } from '../../client/index.ts';
import type { AppliedFix, DiagnosisAnswer, FindingView, FixPreview, ReachView, Severity } from '../../wire/index.ts';
import {
  type Abortable,
  addressWith,
  type Problem,
  ProblemNote,
  problemOf,
  useAnswer,
  useServices,
  Waiting,
} from '../page/index.ts';
import { writeAddress } from '../session/source/index.ts';
import { Words } from '../session/text/index.ts';

export interface SessionHealthProps {
  readonly sessionKey: string;
  readonly allowsChanges: boolean;
  onChanged(): void;
}

export function SessionHealth(props: SessionHealthProps & { readonly title: string | null }) {
  const { sessionKey, title, allowsChanges, onChanged } = props;
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
            <Repair sessionKey={sessionKey} allowsChanges={allowsChanges} onChanged={onChanged} />
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

function Repair({ sessionKey, allowsChanges, onChanged }: SessionHealthProps) {
  const { client } = useServices();
  const [isAsked, setAsked] = useState(false);
  const ask = useCallback(
    (options: Abortable) => readJson(client.sessions[':key'].fix.$get({ param: keyParam(sessionKey) }, options)),
    [client, sessionKey],
  );
  const { answer, problem, askAgain } = useAnswer(isAsked ? ask : null);
  const [applied, setApplied] = useState<AppliedFix | null>(null);
  const [failure, setFailure] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const apply = (strategy: string, inPlace: boolean): void => {
    setBusy(true);
    setFailure(null);
    readJson(client.sessions[':key'].fix.$post({ param: keyParam(sessionKey), json: { strategy, inPlace } }))
      .then(
        (done) => {
          setApplied(done);
          onChanged();
        },
        (error: unknown) => setFailure(problemOf(error)),
      )
      .finally(() => setBusy(false));
  };
  if (applied !== null) return <Applied applied={applied} />;
  if (!isAsked)
    return (
      <button type="button" className="primary" onClick={() => setAsked(true)}>
        Dry run of a repair
      </button>
    );
  return (
    <div className="repair">
      <h3>Dry run</h3>
      {problem === null ? null : <ProblemNote problem={problem} onRetry={askAgain} />}
      {answer === null && problem === null ? <Waiting what="Trying the repair on a copy" /> : null}
      {failure === null ? null : <ProblemNote problem={failure} />}
      <div className="previews">
        {(answer?.previews ?? []).map((preview) => (
          <Preview key={preview.strategy} preview={preview} {...{ allowsChanges, isBusy }} onApply={apply} />
        ))}
      </div>
      {answer !== null && !allowsChanges ? (
        <p className="quiet">
          This page is read-only. Start it with <code>clew open --allow-changes</code>, or run{' '}
          <code>clew doctor {sessionKey.slice(0, 8)} --fix</code>.
        </p>
      ) : null}
    </div>
  );
}

interface PreviewProps {
  readonly preview: FixPreview;
  readonly allowsChanges: boolean;
  readonly isBusy: boolean;
  onApply(strategy: string, inPlace: boolean): void;
}

function Preview({ preview, allowsChanges, isBusy, onApply }: PreviewProps) {
  const { strategy, before, after, dropped } = preview;
  return (
    <section className="preview" aria-label={`Strategy ${strategy}`}>
      <h4>
        {strategy} {preview.isDefault ? <span className="quiet">(default)</span> : null}
      </h4>
      <p className="quiet">It keeps {preview.meaning}.</p>
      <dl>
        <dt>Before</dt>
        <dd>
          <ReachBar reach={before} name="Before, resuming loads" />{' '}
          <span className="quiet">{formatBytes(preview.sizeBefore)}</span>
        </dd>
        <dt>After</dt>
        <dd>
          <ReachBar reach={after} name="After, resuming loads" />{' '}
          <span className="quiet">{formatBytes(preview.sizeAfter)}</span>
        </dd>
      </dl>
      <p>
        {counted(preview.changed, 'line')} changed, {counted(preview.droppedTotal, 'line')} dropped.
      </p>
      {dropped.length === 0 ? null : (
        <details>
          <summary>Dropped lines</summary>
          <ul>
            {dropped.map(({ line, reason }) => (
              <li key={`${line} ${reason}`}>
                line {line}: <Words text={reason} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {preview.notes.map((note) => (
        <p key={note} className="quiet">
          <Words text={note} />
        </p>
      ))}
      {allowsChanges ? (
        <p className="apply">
          <button type="button" className="primary" disabled={isBusy} onClick={() => onApply(strategy, false)}>
            Create a repaired copy
          </button>{' '}
          <button type="button" disabled={isBusy} onClick={() => onApply(strategy, true)}>
            Repair in place
          </button>
        </p>
      ) : null}
    </section>
  );
}

function Applied({ applied }: { readonly applied: AppliedFix }) {
  const { preview, left, to } = applied;
  return (
    <div className="applied" aria-live="polite">
      <p>
        Repaired: resuming now loads {preview.after.loaded} of {preview.after.of} messages, before{' '}
        {preview.before.loaded} of {preview.before.of}.{' '}
        <a href={`/s/${encodeURIComponent(to.key)}`}>Open the repaired session</a>
      </p>
      <p className="quiet">
        {left.length === 0 ? 'No findings remain.' : `${counted(left.length, 'finding')} remain.`} You can undo it
        below.
      </p>
    </div>
  );
}

export function ReachBar({ reach, name }: { readonly reach: ReachView; readonly name: string }) {
  const part = reach.of === 0 ? 1 : reach.loaded / reach.of;
  return (
    <span className="reach">
      <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect className="reach-of" width="100" height="1" />
        <rect className="reach-loaded" width={100 * Math.min(1, part)} height="1" />
      </svg>
      <span>
        <span className="unseen">{name} </span>
        {reach.loaded} of {reach.of}
      </span>
    </span>
  );
}

export const severityWords: Readonly<Record<Severity, string>> = {
  fatal: 'Cannot be resumed',
  loss: 'Resuming loses work',
  warn: 'Warning',
  info: 'Note',
};
