// The dry run of an action: what would be written, and how large the session and its context would be.
import { counted, formatBytes, formatCount, formatTokens } from '../../../../base/text/index.ts';
import type { ActionPreview, PlannedFileView, ReachView } from '../../../wire/index.ts';
import { Words } from '../../session/text/index.ts';
import type { Tried } from './run-action.ts';

export function PreviewView({ preview }: { readonly preview: ActionPreview }) {
  const { summary, files, filesTotal, sizeBytes, tokens, messages, changed, dropped, secrets, notes } = preview;
  const facts: readonly (readonly [string, string])[] = [
    ['Size', arrow(sizeBytes.before, sizeBytes.after, formatBytes)],
    ['Context', tokens === null ? '' : `${arrow(tokens.before, tokens.after, formatTokens)} tokens`],
    ['Resuming loads', messages === null ? '' : reachText(messages.before, messages.after)],
    ['Lines changed', changed === 0 ? '' : formatCount(changed)],
    ['Left out', dropped.map(({ reason, count }) => `${formatCount(count)} × ${reason}`).join(', ')],
    ['Secrets', secrets.map(({ kind, count }) => `${kind} × ${count}`).join(', ')],
  ];
  return (
    <>
      <p className="preview-summary">
        <Words text={summary} />
      </p>
      <dl className="preview-facts">
        {facts
          .filter(([, text]) => text !== '')
          .map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Words text={text} />
              </dd>
            </div>
          ))}
      </dl>
      {files.length === 0 ? null : (
        <details>
          <summary>{counted(filesTotal, 'file')}</summary>
          <ul className="preview-files">
            {files.map((file) => (
              <li key={`${file.kind} ${file.path}`}>
                {kindNames[file.kind]} <Words text={file.path} />
              </li>
            ))}
          </ul>
          {filesTotal > files.length ? <p className="quiet">{filesTotal - files.length} more</p> : null}
        </details>
      )}
      {notes.map((note) => (
        <p key={note} className="quiet">
          <Words text={note} />
        </p>
      ))}
    </>
  );
}

const kindNames: Readonly<Record<PlannedFileView['kind'], string>> = {
  made: 'writes',
  changed: 'changes',
  removed: 'removes',
};

function arrow(before: number, after: number, format: (value: number) => string): string {
  return format(before) === format(after) ? format(after) : `${format(before)} → ${format(after)}`;
}

function reachText(before: ReachView, after: ReachView): string {
  const text = ({ loaded, of }: ReachView): string => `${formatCount(loaded)} of ${formatCount(of)} messages`;
  return text(before) === text(after) ? text(after) : `${text(before)} → ${text(after)}`;
}

export interface ManyPreviewsProps {
  readonly tried: readonly Tried[];
  readonly total: number;
}

const maxShown = 200;

export function ManyPreviews({ tried, total }: ManyPreviewsProps) {
  const [before, after] = [sumSize(tried, 'before'), sumSize(tried, 'after')];
  return (
    <>
      <p className="preview-summary">
        {tried.length < total ? `${tried.length} of ${counted(total, 'session')} tried…` : counted(total, 'session')}
        {before === after ? '' : `, ${formatBytes(before)} → ${formatBytes(after)}`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by key */}
      <section className="many-previews" aria-label="Result of each session" tabIndex={0}>
        <ul>
          {tried.slice(0, maxShown).map(({ subject, preview, problem }) => (
            <li key={subject.key} className={problem === null ? '' : 'problem'}>
              <span className="many-title">
                <Words text={subject.title ?? subject.id} />
              </span>{' '}
              <span className="quiet">
                <Words text={problem ?? preview?.summary ?? ''} />
              </span>
            </li>
          ))}
        </ul>
        {tried.length > maxShown ? <p className="quiet">{tried.length - maxShown} more</p> : null}
      </section>
    </>
  );
}

function sumSize(tried: readonly Tried[], when: 'before' | 'after'): number {
  return tried.reduce((sum, { preview }) => sum + (preview?.sizeBytes[when] ?? 0), 0);
}
