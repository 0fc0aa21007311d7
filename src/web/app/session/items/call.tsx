// A tool call: one line with its input summary and outcome; below it, folded or not, its detail, and the
// sub-agent that it started.
import { useEffect } from 'react';
import { formatDuration, formatTokens } from '../../../../base/text/human.ts';
import type { CallDetail, CallItem } from '../../../../export/wire/view.ts';
import { useFold, useIsTarget, usePlaceNames } from '../source/page-context.ts';
import { Images } from '../text/images.tsx';
import { RawButton } from '../text/raw-button.tsx';
import { TerminalText, Words } from '../text/text.tsx';
import { AgentPanel } from './agent-panel.tsx';
import { Detail, isShownOpen } from './details.tsx';

const marks = { done: '✓', failed: '✗', open: '…' } as const;
const meanings = { done: 'done', failed: 'failed', open: 'no result in the transcript' } as const;

export function Call({ item }: { readonly item: CallItem }) {
  const isTarget = useIsTarget(item.place.line, item.resultPlace?.line);
  const [isOpen, setOpen] = useFold(`call ${item.id}`, item.state === 'failed' || isShownOpen(item.detail));
  useEffect(() => {
    if (isTarget) setOpen(true);
  }, [isTarget, setOpen]);
  return (
    <div
      className={`item call ${item.state} ${isTarget ? 'target' : ''}`}
      {...usePlaceNames(item.place, item.resultPlace)}
    >
      <div className="call-head">
        <button type="button" className="call-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span className="call-mark" role="img" aria-label={meanings[item.state]}>
            {marks[item.state]}
          </span>
          <span className="call-name">
            <Words text={item.name} />
          </span>
          <span className="call-summary">
            <Words text={item.summary} />
          </span>
          <Outcome item={item} />
        </button>
        <RawButton place={item.place} also={item.resultPlace} />
      </div>
      {isOpen ? (
        <div className="call-body">
          {item.error === null ? null : <TerminalText text={item.error} label="error" tone="stderr" />}
          {item.error !== null && isEmptyWithout(item.detail) ? null : <Detail detail={item.detail} />}
          <Images images={item.images} />
        </div>
      ) : null}
      {item.agent === null ? null : <AgentPanel agent={item.agent} />}
    </div>
  );
}

/** For a failed call these show only the error. */
function isEmptyWithout({ as }: CallDetail): boolean {
  return as === 'file' || as === 'search' || as === 'web-search' || as === 'web-fetch';
}

/** The detail below says more than the tool's own words. */
function isSelfEvident({ as }: CallDetail): boolean {
  return as === 'todos' || as === 'plan' || as === 'questions';
}

function Outcome({ item }: { readonly item: CallItem }) {
  const { detail } = item;
  const took = item.durationMs !== null && item.durationMs >= 2_000 ? formatDuration(item.durationMs) : '';
  if (detail.as === 'diff' && item.state === 'done') {
    return (
      <span className="call-outcome">
        <span className="plus">+{detail.added}</span> <span className="minus">−{detail.removed}</span> {took}
      </span>
    );
  }
  const facts =
    detail.as === 'agent' && detail.tokens !== null
      ? [`${detail.calls ?? 0} calls`, `${formatTokens(detail.tokens)} tokens`, took]
      : [item.state === 'done' && isSelfEvident(detail) ? '' : item.outcome, took];
  return (
    <span className="call-outcome">
      <Words text={facts.filter((fact) => fact !== '').join(' · ')} />
    </span>
  );
}
