// A list of names with bars, longest first: models, projects, tools.
import { useState } from 'react';
import { neutralise } from '../../../base/text/index.ts';
import { Words } from '../session/text/index.ts';

export interface BarRow {
  readonly key: string;
  readonly name: string;
  readonly title?: string;
  readonly value: number;
  readonly text: string;
  readonly facts: string;
  readonly isProblem?: boolean;
  readonly href?: string;
  readonly onReceipts?: () => void;
}

const shownRows = 8;

export function BarList({ title, rows }: { readonly title: string; readonly rows: readonly BarRow[] }) {
  const [isWhole, setWhole] = useState(false);
  const sorted = rows.toSorted((a, b) => b.value - a.value);
  const shown = isWhole ? sorted : sorted.slice(0, shownRows);
  const top = Math.max(1, sorted[0]?.value ?? 0);
  return (
    <section className="bar-list" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? <p className="quiet">Nothing in this range.</p> : null}
      <ul>
        {shown.map((row) => (
          <li key={row.key}>
            <BarName row={row} />
            <span className="bar-value">{row.text}</span>
            <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
              <rect className="bar" width={Math.max(0.5, (100 * row.value) / top)} height="1" />
            </svg>
            <span className={`bar-facts ${row.isProblem === true ? 'problem' : ''}`}>{row.facts}</span>
            {row.onReceipts === undefined ? null : (
              <button type="button" onClick={row.onReceipts}>
                Receipts
                <span className="unseen">
                  {' '}
                  of <Words text={row.name} />
                </span>
              </button>
            )}
          </li>
        ))}
      </ul>
      {sorted.length <= shownRows ? null : (
        <button type="button" className="more" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? 'Show fewer' : `Show all ${sorted.length}`}
        </button>
      )}
    </section>
  );
}

function BarName({ row }: { readonly row: BarRow }) {
  const name = <Words text={row.name} />;
  const title = row.title === undefined ? undefined : neutralise(row.title);
  return row.href === undefined ? (
    <span className="bar-name" title={title}>
      {name}
    </span>
  ) : (
    <a className="bar-name" href={row.href} title={title} data-stop="">
      {name}
    </a>
  );
}
