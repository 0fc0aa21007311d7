// The repair of a session: a preview for each strategy, and the repair itself if the server allows changes.
import { useCallback, useState } from 'react';
import { counted, formatBytes } from '../../../base/text/index.ts';
import { keyParam, readJson } from '../../client/index.ts';
import type { AppliedFix, FixPreview } from '../../wire/index.ts';
import { useActionHost, useChanges } from '../actions/index.ts';
import {
  type Abortable,
  type Problem,
  ProblemNote,
  problemOf,
  useAnswer,
  useServices,
  Waiting,
} from '../page/index.ts';
import { Words } from '../session/text/index.ts';
import { ReachBar } from './reach-bar.tsx';

export interface RepairProps {
  readonly sessionKey: string;
  /** Without waiting for a click. */
  readonly startsAtOnce?: boolean;
  onApplied(applied: AppliedFix): void;
}

export function Repair({ sessionKey, startsAtOnce = false, onApplied }: RepairProps) {
  const { client } = useServices();
  const { permission, allow } = useChanges();
  const allowsChanges = permission !== 'off';
  const [isAsked, setAsked] = useState(startsAtOnce);
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
    const run = async (): Promise<AppliedFix> => {
      if (permission === 'ask') await allow();
      const json = { strategy, inPlace };
      return readJson(client.sessions[':key'].fix.$post({ param: keyParam(sessionKey), json }));
    };
    run()
      .then(
        (done) => {
          setApplied(done);
          onApplied(done);
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
      {answer !== null && permission === 'ask' ? (
        <p className="quiet">
          Your first change allows this page to change sessions until <code>clew open</code> ends.
        </p>
      ) : null}
      {answer !== null && !allowsChanges ? <ReadOnly command={`clew doctor ${sessionKey} --fix`} /> : null}
    </div>
  );
}

function ReadOnly({ command }: { readonly command: string }) {
  const host = useActionHost();
  const copy = (): void => {
    navigator.clipboard.writeText(command).then(
      () => host.notify({ text: 'Command copied' }),
      () => host.notify({ text: `The browser refused to copy; the command is ${command}` }),
    );
  };
  return (
    <p className="quiet">
      This page is read-only. Start it with <code>clew open --allow-changes</code>, or run{' '}
      <code>
        <Words text={command} />
      </code>{' '}
      <button type="button" onClick={copy}>
        Copy command
      </button>
    </p>
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
