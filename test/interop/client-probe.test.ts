// clew doctor --client with real clients: the predictions hold for the newest known version, and for an older one by
// the rules of that version.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probeClient } from '../../src/doctor/client-probe/probe-client.ts';
import { installClient } from './client.ts';

for (const version of ['2.1.325', '2.1.150']) {
  test(`every prediction holds for client ${version}`, async () => {
    const report = await probeClient(await installClient(version), { signal: new AbortController().signal });
    assert.equal(report.version, version);
    assert.equal(report.results.length, 20);
    assert.deepEqual(
      report.results.filter(({ difference }) => difference !== undefined),
      [],
    );
  });
}
