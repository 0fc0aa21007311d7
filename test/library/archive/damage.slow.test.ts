// Every byte of an archive flipped, and cuts at any place.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { archiveSessions } from '../../../src/library/archive/archive.ts';
import { restoreSession } from '../../../src/library/archive/restore.ts';
import { verifyArchive } from '../../../src/library/archive/verify.ts';
import { snapshot } from '../../support/archive-kit.ts';
import { refusalOf } from '../../support/refusal.ts';
import { assertAllComeBack, ids, packsOf, threeSessions } from './damage-kit.ts';

test('an archive cut at any place holds the sessions before it, and the next run completes it', async (t) => {
  const { temp, folder, records, mains, commits } = await threeSessions(t);
  const [pack] = packsOf(folder);
  assert.ok(pack !== undefined);
  const bytes = readFileSync(pack);
  const before = snapshot(path.join(temp, 'projects'));
  // The block and the session in the middle. After a power cut the length may be right and the end all zeros.
  for (const { offset, header, end } of records.slice(2, 4)) {
    const cuts: readonly (readonly [number, number])[] = [
      [offset, 0],
      [offset + 40, 0],
      [header, 0],
      [header, 700],
      [end - 1, 0],
      [end - 1, 700],
    ];
    for (const [cut, zeros] of cuts) {
      writeFileSync(pack, Buffer.concat([bytes.subarray(0, cut), Buffer.alloc(zeros)]));
      writeFileSync(path.join(folder, 'committed'), commits[0] ?? '');
      const when = `cut at ${cut}, ${zeros} zeros`;
      const torn = await verifyArchive({ folder });
      assert.deepEqual([torn.sessions, torn.broken], [1, []], when);
      await archiveSessions(mains, { folder });
      const { sessions, damage, broken } = await verifyArchive({ folder });
      assert.deepEqual({ sessions, damage, broken }, { sessions: 3, damage: [], broken: [] }, when);
      await assertAllComeBack(folder, temp, before, when);
    }
  }
});

test('a flipped byte anywhere is found, is never restored, and costs no other session', async (t) => {
  const { temp, folder, records } = await threeSessions(t);
  const [pack = ''] = packsOf(folder);
  const bytes = readFileSync(pack);
  const before = snapshot(path.join(temp, 'projects'));
  // The session that each record belongs to, by its place: chunks and session, three times.
  for (const [i, { offset, header, end, kind }] of records.slice(0, 4).entries()) {
    for (const at of [offset, offset + 20, offset + 60, header, Math.floor((header + end) / 2), end - 1]) {
      const when = `byte ${at} of record ${i}`;
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      writeFileSync(pack, flipped);
      const hit = ids[Math.floor(i / 2)];
      const { damage, broken } = await verifyArchive({ folder });
      assert.deepEqual(damage.length, 1, when);
      assert.deepEqual(
        broken.map(({ sessionId, file }) => `${sessionId} ${file}`),
        kind === 'session' ? [`${hit} `] : [`${hit} ${hit}.jsonl`, `${hit} ${hit}/tool-results/a.txt`],
        when,
      );
      const to = path.join(temp, 'to');
      for (const id of ids) {
        const refusal = await refusalOf(restoreSession(id, { folder, to }));
        assert.equal(refusal?.exitCode, id === hit ? 1 : undefined, when);
      }
      const others = [...before].filter(([name]) => !name.includes(hit ?? ''));
      assert.deepEqual(new Map([...snapshot(path.join(to, 'projects'))].sort()), new Map(others.sort()), when);
      rmSync(to, { recursive: true });
    }
  }
});
