// What doctor found, and what expires → the groups of the triage.
import type { DoctorRow, SessionRow } from '../../wire/index.ts';

export interface Groups {
  readonly fatal: readonly DoctorRow[];
  readonly loss: readonly DoctorRow[];
  readonly notes: readonly DoctorRow[];
}

/** A session that only expires is in the list of those. */
export function groupRows(rows: readonly DoctorRow[]): Groups {
  const of = (...severities: readonly DoctorRow['severity'][]): readonly DoctorRow[] =>
    rows.filter(({ severity }) => severities.includes(severity));
  const onlyExpires = ({ codes }: DoctorRow): boolean => codes.every(({ code }) => code === 'F-expiring');
  return { fatal: of('fatal'), loss: of('loss'), notes: of('warn', 'info').filter((row) => !onlyExpires(row)) };
}

/** What the archive has is safe. An earlier state of a session is not the session. */
export function notArchived(rows: readonly SessionRow[]): readonly SessionRow[] {
  return rows.filter(({ archived }) => archived !== 'current');
}
