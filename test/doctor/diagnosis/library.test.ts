// A whole library: what lies in the wrong place, what is about to go, and the quick look at every session.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { DamageCode } from '../../../src/doctor/checks/finding.ts';
import { type Diagnosis, diagnoseSession } from '../../../src/doctor/diagnosis/diagnose.ts';
import { diagnoseLibrary, findFolderDamage } from '../../../src/doctor/diagnosis/library.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { discoverSessions } from '../../../src/store/discover.ts';
import { encodeSlug, projectsFolders } from '../../../src/store/roots.ts';
import { plantDamage, plantedCodes } from '../../support/plant.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { assistant, sessionText, user } from '../../support/session-text.ts';
import { plain } from '../../support/sound-session.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';
import { damageTable } from '../damage-table.ts';

const id = '22222222-2222-4222-8222-222222222222';

function talk(cwd: string, sessionId = id): string {
  return sessionText([user('hello'), assistant('hello')], { cwd, sessionId });
}

async function diagnoseAll(root: string, nowMs = Date.now()): Promise<Map<string, Diagnosis>> {
  const folders = projectsFolders([root]);
  const { sessions } = await discoverSessions([root]);
  const found = new Map<string, Diagnosis>();
  for await (const { session, diagnosis } of diagnoseLibrary(sessions, { folders, nowMs })) {
    if (diagnosis !== undefined) found.set(session.sessionId, diagnosis);
  }
  return found;
}

const codesOf = (diagnosis: Diagnosis | undefined): DamageCode[] =>
  (diagnosis?.findings ?? []).map((finding) => finding.code);

test('F-moved: the folder of a session is gone, and only then', async (context) => {
  const root = temporaryFolder(context);
  const here = path.join(root, 'work');
  mkdirSync(here);
  const gone = path.join(root, 'old-work');
  writeTree(root, {
    [`projects/${encodeSlug(here)}/${id}.jsonl`]: talk(here),
    [`projects/${encodeSlug(gone)}/other.jsonl`]: talk(gone, 'other'),
    'projects/elsewhere/third.jsonl': talk(gone, 'third'),
  });
  const found = await diagnoseAll(root);
  assert.deepEqual(
    [codesOf(found.get(id)), codesOf(found.get('other')), codesOf(found.get('third'))],
    [[], ['F-moved'], []],
  );
});

test('F-expiring: it says how long a session has left', async (context) => {
  const root = temporaryFolder(context);
  writeTree(root, { [`projects/p/${id}.jsonl`]: talk('/w') });
  const file = path.join(root, `projects/p/${id}.jsonl`);
  const day = 86_400;
  const now = 1_800_000_000;
  const effects: string[] = [];
  for (const age of [1, 27, 31]) {
    utimesSync(file, now - age * day, now - age * day);
    const { findings = [] } = (await diagnoseAll(root, now * 1000)).get(id) ?? {};
    effects.push(findings.map(({ code, severity, effect }) => `${code} ${severity} ${effect}`).join());
  }
  assert.deepEqual(effects, [
    '',
    'F-expiring warn Claude Code deletes it in 3 days',
    'F-expiring warn the next start of Claude Code deletes it',
  ]);
});

test('F-nested and F-main-gone: folders without a listed session are checked too', (context) => {
  const root = temporaryFolder(context);
  const other = '33333333-3333-4333-8333-333333333333';
  writeTree(root, {
    [`projects/p/${id}.jsonl`]: talk('/w'),
    [`projects/p/${id}/subagents/agent-a1.jsonl`]: talk('/w'),
    [`projects/p/${other}/tool-results/toolu_1.txt`]: 'out',
    [`projects/p/deep/${other}.jsonl`]: talk('/w', other),
    'projects/p/memory/notes.jsonl': '{}\n',
  });
  const found = findFolderDamage(projectsFolders([root])).map(({ code, severity, file }) => [
    code,
    severity,
    path.relative(root, file),
  ]);
  assert.deepEqual(found.sort(), [
    ['F-main-gone', 'loss', `projects/p/${other}`],
    ['F-nested', 'loss', `projects/p/deep/${other}.jsonl`],
  ]);
});

test('F-nested: a session that is opened where no client finds it', async (context) => {
  const root = temporaryFolder(context);
  writeTree(root, { [`projects/p/deep/${id}.jsonl`]: talk('/w'), 'projects/p/x.jsonl': talk('/w', 'x') });
  const session = await loadSession(path.join(root, `projects/p/deep/${id}.jsonl`));
  assert.deepEqual(codesOf(await diagnoseSession(session, { folders: projectsFolders([root]) })), ['F-nested']);
});

test('F-empty and F-name: no conversation, and another name than the lines say', async (context) => {
  const root = temporaryFolder(context);
  writeTree(root, {
    'projects/p/zero.jsonl': '',
    'projects/p/meta.jsonl': '{"type":"custom-title","customTitle":"x","sessionId":"meta"}\n',
    'projects/p/renamed.jsonl': talk('/w'),
  });
  const found = await diagnoseAll(root);
  assert.deepEqual(
    ['zero', 'meta', 'renamed'].map((name) => codesOf(found.get(name))),
    [['F-empty'], ['F-empty'], ['F-name']],
  );
});

for (const code of plantedCodes) {
  test(`the quick look finds ${code}, with the severity that it costs`, async (context: TestContext) => {
    const folder = temporaryFolder(context);
    const { bytes } = plantDamage(plain, [code], seededRandom(1));
    writeTree(folder, { [`projects/p/${sessionId}.jsonl`]: bytes });
    const { findings = [] } = (await diagnoseAll(folder)).get(sessionId) ?? {};
    const found = findings.find((finding) => finding.code === code);
    assert.equal(found?.severity, damageTable[code].severity);
  });
}

test('the quick look finds nothing in a healthy session, and damage in a sub-agent', async (context) => {
  const folder = temporaryFolder(context);
  const agent = transcript({ isSidechain: true, agentId: 'abc' }).user('half \ud800 a pair').assistant('ok').text();
  writeTree(folder, { [`projects/p/${sessionId}.jsonl`]: plain });
  assert.deepEqual((await diagnoseAll(folder)).get(sessionId)?.findings, []);
  writeTree(folder, { [`projects/p/${sessionId}/subagents/agent-abc.jsonl`]: agent });
  assert.deepEqual(codesOf((await diagnoseAll(folder)).get(sessionId)), ['L-surrogate']);
});

test('a session that cannot be read is named, and the others are diagnosed', async (context) => {
  const root = temporaryFolder(context);
  writeTree(root, { [`projects/p/${id}.jsonl`]: talk('/w'), 'projects/p/gone.jsonl': talk('/w', 'gone') });
  const { sessions } = await discoverSessions([root]);
  rmSync(path.join(root, 'projects/p/gone.jsonl'));
  const seen: string[] = [];
  for await (const each of diagnoseLibrary(sessions, { folders: projectsFolders([root]), nowMs: Date.now() }))
    seen.push(`${each.session.sessionId} ${each.problems[0]?.code ?? each.diagnosis?.findings.length}`);
  assert.deepEqual(seen.sort(), [`${id} 0`, 'gone ENOENT']);
});
