// Sessions that real clients wrote and nothing happened to: doctor finds nothing in them that costs anything.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { isSevere } from '../../src/doctor/checks/finding.ts';
import { diagnoseSession } from '../../src/doctor/diagnosis/diagnose.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { damagedByClient, healthyFiles, realFolder, unboundByClient } from '../support/healthy.ts';

test('no session of the real corpus has a finding that costs something', async () => {
  const files = healthyFiles();
  assert.ok(files.length > 150);
  for (const file of files) {
    const { findings, reachable } = await diagnoseSession(await loadSession(file));
    assert.deepEqual([file, findings.filter(isSevere)], [file, []]);
    assert.deepEqual([file, reachable.loaded], [file, reachable.of]);
  }
});

test('what clients damaged themselves while writing is found', async () => {
  const damaged = Object.entries(damagedByClient);
  assert.equal(damaged.length, 3);
  for (const [file, code] of damaged) {
    const { findings, reachable } = await diagnoseSession(await loadSession(path.join(realFolder, file)));
    assert.deepEqual([...new Set(findings.filter(isSevere).map((finding) => finding.code))], [code], file);
    assert.ok(reachable.loaded < reachable.of);
  }
});

test('thinking that the client kept after its own summary is found, by the lines and by its records', async () => {
  for (const file of unboundByClient) {
    const { findings } = await diagnoseSession(await loadSession(path.join(realFolder, file)));
    assert.deepEqual(
      findings.filter(isSevere).map(({ code, line }) => [code, line]),
      [['A-thinking-bound', 42]],
    );
  }
});
