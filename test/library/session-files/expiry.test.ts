// Which sessions Claude Code deletes soon, by the settings of each root.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { cleanupDays, findExpiring } from '../../../src/library/session-files/expiry.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 5, 1);

test('what is due or will be within seven days, the soonest first', (context) => {
  const root = temporaryFolder(context);
  const ages = [1, 22.9, 23, 23.1, 29.5, 30, 31, 400];
  const sessions = ages.map((age) => ({ root, age, mtimeMs: now - age * day }));
  assert.deepEqual(
    findExpiring(sessions, now).map(({ session, daysLeft, expiresAt }) => [session.age, daysLeft, expiresAt]),
    [
      [400, -370, now - 370 * day],
      [31, -1, now - day],
      [30, 0, now],
      [29.5, 0, now + day / 2],
      [23.1, 6, now + 6.9 * day],
      [23, 7, now + 7 * day],
    ],
  );
});

test('each root has its own settings', (context) => {
  const folder = temporaryFolder(context);
  const settings: Readonly<Record<string, string>> = {
    ninety: '{"cleanupPeriodDays": 90}',
    none: '{"cleanupPeriodDays": 0}',
    words: '{"cleanupPeriodDays": "90"}',
    negative: '{"cleanupPeriodDays": -1}',
    broken: '{',
    other: '{"theme": "dark"}',
  };
  const days = Object.keys(settings).map((name) => {
    writeTree(folder, { [`${name}/settings.json`]: settings[name] ?? '', [`${name}/projects/-a/s.jsonl`]: '' });
    return [name, cleanupDays(path.join(folder, name))];
  });
  assert.deepEqual(Object.fromEntries(days), { ninety: 90, none: 0, words: 30, negative: 30, broken: 30, other: 30 });
  assert.equal(cleanupDays(path.join(folder, 'ninety/projects')), 90);
  assert.equal(cleanupDays(path.join(folder, 'missing')), 30);
});
