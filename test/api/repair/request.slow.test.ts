// The sessions of the corpora, as they are and with planted damage: the repaired request breaks no rule of the API.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { repairRequest } from '../../../src/api/repair/request.ts';
import { checkRequest } from '../../../src/api/rules/check-request.ts';
import type { DamageCode } from '../../../src/doctor/checks/finding.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { corpusFolder } from '../../support/corpus.ts';
import { healthyFiles } from '../../support/healthy.ts';
import { filesBelow } from '../../support/paths.ts';
import { isFertile, plantDamage, plantedCodes } from '../../support/plant.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const isLong = process.env.CLEW_LONG === '1';

test('every damage that doctor knows is repaired in the request', async (t) => {
  const folder = temporaryFolder(t);
  const files = healthyFiles().filter((file) => isFertile(readFileSync(file)));
  const random = seededRandom(5);
  const damaged = new Map<DamageCode, number>();
  let count = 0;
  for (let i = 0; i < (isLong ? 2000 : 120); i++) {
    const file = files[Math.floor(random() * files.length)] ?? '';
    const wanted = [plantedCodes[i % plantedCodes.length], plantedCodes[Math.floor(random() * plantedCodes.length)]];
    const { bytes, codes } = plantDamage(
      readFileSync(file),
      wanted.filter((code) => code !== undefined),
      random,
    );
    writeTree(folder, { 's.jsonl': bytes });
    const request = requestMessages(await loadSession(path.join(folder, 's.jsonl')), 'Proceed');
    if ('refused' in request) continue;
    count++;
    const options = { model: request.model };
    const before = checkRequest({ messages: request.messages, ...options });
    for (const code of before.length > 0 ? codes : []) damaged.set(code, (damaged.get(code) ?? 0) + 1);
    const repaired = repairRequest(request.messages, options);
    assert.deepEqual(checkRequest({ messages: repaired.messages, ...options }), [], `${codes.join(' ')} in ${file}`);
    assert.equal(repaired.notes.length > 0, before.length > 0);
  }
  assert.ok(count > 90, `only ${count} requests`);
  // The client's own rules repair some classes, but not these.
  for (const code of ['A-thinking-altered', 'A-image-size', 'A-too-long'] as const)
    assert.ok((damaged.get(code) ?? 0) > 0, `${code} was not among the damage`);
});

test('every session of the corpora can be continued', async () => {
  const all = filesBelow(path.join(corpusFolder, 'corpus'), '.jsonl').filter(
    (file) => !path.basename(file).startsWith('_'),
  );
  const files = isLong ? all : all.filter((_, i) => i % 7 === 0);
  let count = 0;
  for (const file of files) {
    const request = requestMessages(await loadSession(file), 'Proceed');
    if ('refused' in request) continue;
    count++;
    const options = { model: request.model };
    assert.deepEqual(
      checkRequest({ messages: repairRequest(request.messages, options).messages, ...options }),
      [],
      file,
    );
  }
  assert.ok(count > 30, `only ${count} sessions`);
});
