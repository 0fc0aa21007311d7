// What the context of the last request of a turn was made of: a stacked bar, and a row for each slice with its tokens, its
// lines, and the command that frees it.
import { useState } from 'react';
import { formatTokens, neutralise } from '../../../../base/text/index.ts';
import type { ContextLedger, ContextSlice } from '../../../../context/wire/index.ts';
import { CopyButton } from '../copy/index.ts';
import { Words } from '../text/index.ts';
import { familyOf, linesText, shareText, shortCommand, sliceName } from './slice-names.ts';

export interface ContextPartProps {
  readonly ledger: ContextLedger;
  /** What the client gives the model: the model itself may have more. */
  readonly limit: number | null;
  /** A link to a line. */
  lineLink(line: number, text: string): React.ReactNode;
}

const shownSlices = 8;

export function ContextPart({ ledger, limit, lineLink }: ContextPartProps) {
  const [isWhole, setWhole] = useState(false);
  const { tokens, problem } = ledger;
  const slices = ledger.slices.filter((slice) => slice.tokens > 0);
  const shown = isWhole ? slices : slices.slice(0, shownSlices);
  if (slices.length === 0) return <p className="quiet">Nothing was sent yet.</p>;
  return (
    <>
      <p className="side-sum">
        <strong>{formatTokens(tokens)}</strong>
        {limit === null ? ' tokens' : ` of ${formatTokens(limit)} tokens, ${shareText(tokens, limit)}`}
        {ledger.basis === 'estimated' ? ', estimated' : ''}
      </p>
      <Bar slices={slices} tokens={tokens} limit={limit} />
      {problem === null ? null : (
        <p className="quiet">
          <Words text={problem} />
        </p>
      )}
      <ul className="side-slices">
        {shown.map((slice) => (
          <Slice key={`${slice.kind} ${slice.name ?? ''}`} slice={slice} whole={tokens} lineLink={lineLink} />
        ))}
      </ul>
      {slices.length <= shownSlices ? null : (
        <button type="button" className="more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${slices.length}`}
        </button>
      )}
    </>
  );
}

interface BarProps {
  readonly slices: readonly ContextSlice[];
  readonly tokens: number;
  readonly limit: number | null;
}

/** The list below says the same in words. */
function Bar({ slices, tokens, limit }: BarProps) {
  const whole = Math.max(1, tokens, limit ?? 0);
  let at = 0;
  return (
    <svg className="side-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      {slices.map((slice) => {
        const x = at;
        const width = (100 * slice.tokens) / whole;
        at += width;
        return (
          <rect
            key={`${slice.kind} ${slice.name ?? ''}`}
            className={`slice-${familyOf(slice)}`}
            x={x}
            width={Math.max(0, width - 0.3)}
            height={1}
          />
        );
      })}
    </svg>
  );
}

interface SliceProps {
  readonly slice: ContextSlice;
  readonly whole: number;
  lineLink: ContextPartProps['lineLink'];
}

function Slice({ slice, whole, lineLink }: SliceProps) {
  const { free, lines, isRecorded } = slice;
  const line = lines[0]?.[0];
  return (
    <li>
      <span className={`side-mark slice-${familyOf(slice)}`} aria-hidden="true" />
      <span className="side-name">
        <Words text={sliceName(slice)} />
      </span>
      <span className="side-number">
        {slice.basis === 'estimated' ? '≈ ' : ''}
        {formatTokens(slice.tokens)} <span className="quiet">{shareText(slice.tokens, whole)}</span>
      </span>
      <span className="side-facts">
        {line === undefined || !isRecorded ? (
          <span className="quiet">{isRecorded ? '' : 'counted by the API, on no line'}</span>
        ) : (
          lineLink(line, linesText(lines))
        )}
        {free === null ? null : <span className="quiet">frees {formatTokens(free.tokens)}</span>}
        {free === null ? null : (
          <span className="side-free">
            <code title={neutralise(free.command)}>
              <Words text={shortCommand(free.command)} />
            </code>
            <CopyButton what="command" text={() => free.command} />
          </span>
        )}
      </span>
    </li>
  );
}
