import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { diagnoseSession } from '../../../src/doctor/diagnosis/diagnose.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { openRun, placeIn } from '../../support/agent-run.ts';
import { filesBelow, projectRoot } from '../../support/paths.ts';
import { noSmallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

const program = path.join(projectRoot, 'build/test/agent/session/fill-disk.js');

test('a full disk is reported in one line, and the session on it is complete', { skip: noSmallDisk }, async (t) => {
  const folder = temporaryFolder(t);
  const [disk, kept] = ['disk', 'kept'].map((name) => path.join(folder, name)) as [string, string];
  mkdirSync(disk);
  const script = 'mount -t tmpfs -o size=64k tmpfs "$0" && "$@"; cp -r "$0" "$KEPT"';
  const child = [process.execPath, program, disk, path.join(folder, 'state')];
  const env = { ...process.env, KEPT: kept };
  const run = spawnSync('unshare', ['-rm', 'sh', '-c', script, disk, ...child], { encoding: 'utf8', env });
  assert.match(run.stdout, /^cannot write .*\.jsonl \(ENOSPC\); make room on the disk and run it again\n$/, run.stderr);
  const [file = ''] = filesBelow(kept, '.jsonl');
  const { findings } = await diagnoseSession(await loadSession(file));
  assert.deepEqual(
    findings.filter(({ severity }) => severity !== 'info'),
    [],
  );
  const again = await openRun({ kind: 'resume', session: file }, placeIn(kept));
  await again.turn('Proceed', 'Yes.');
  await again.close();
  assert.deepEqual(requestMessages(await loadSession(file)), again.session.recorder.resumed());
});
