// How often each kind of damage was found, by its code; each is a filter.
import { type LibraryDoctorAnswer, type Severity, severityNames } from '../../wire/index.ts';
import { addressWith } from '../page/index.ts';

export interface KindsOfDamageProps {
  readonly answer: LibraryDoctorAnswer;
  /** The kind that the page is filtered by. */
  readonly code: string | null;
}

export function KindsOfDamage({ answer, code }: KindsOfDamageProps) {
  const rank = (severity: Severity): number => severityNames.indexOf(severity);
  const counts = answer.counts.toSorted((a, b) => rank(a.severity) - rank(b.severity) || b.sessions - a.sessions);
  if (counts.length === 0) return null;
  return (
    <details className="damage-counts" open={code !== null}>
      <summary>By kind of damage</summary>
      <ul aria-label="Kinds of damage">
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
    </details>
  );
}
