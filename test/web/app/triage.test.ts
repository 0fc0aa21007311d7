// The triage of the health page: who is in which group.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupRows, notArchived } from '../../../src/web/app/health/triage-groups.ts';
import type { DoctorRow } from '../../../src/web/wire/health.ts';
import type { SessionRow } from '../../../src/web/wire/wire.ts';

function row(key: string, severity: DoctorRow['severity'], ...codes: readonly string[]): DoctorRow {
  return {
    key,
    id: key,
    title: null,
    project: '-p',
    severity,
    reachable: { loaded: 1, of: 1 },
    effect: '',
    isRepairable: false,
    codes: codes.map((code) => ({ code, title: code, count: 1 })),
  };
}

test('each session is in one group; what only expires is in the list of those', () => {
  const { fatal, loss, notes } = groupRows([
    row('refused', 'fatal', 'G-refused', 'F-expiring'),
    row('torn', 'loss', 'L-torn-tail'),
    row('moved', 'warn', 'F-moved', 'F-expiring'),
    row('old', 'warn', 'F-expiring'),
    row('named', 'info', 'F-name'),
  ]);
  const keys = (rows: readonly DoctorRow[]) => rows.map(({ key }) => key);
  assert.deepEqual([keys(fatal), keys(loss), keys(notes)], [['refused'], ['torn'], ['moved', 'named']]);
});

test('a session that the archive has is not listed as expiring; one with an earlier copy is', () => {
  const rows = (['current', 'stale', null] as const).map((archived) => ({ archived }) as SessionRow); // only this is read
  assert.deepEqual(
    notArchived(rows).map(({ archived }) => archived),
    ['stale', null],
  );
});
