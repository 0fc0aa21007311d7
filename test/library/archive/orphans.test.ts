// Sub-agents whose main transcript the client has deleted: archived, listed, verified and restored like a session.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { archiveSessions, findOrphans } from '../../../src/library/archive/archive.ts';
import { listArchive, restoreSession } from '../../../src/library/archive/restore.ts';
import { verifyArchive } from '../../../src/library/archive/verify.ts';
import { setWholeTimes, snapshot } from '../../support/archive-kit.ts';
import { jsonOf, runClew } from '../../support/clew.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { transcript } from '../../support/transcript-builder.ts';

const whole = '11111111-1111-4111-8111-111111111111';
const inFolder = '22222222-2222-4222-8222-222222222222';
const flat = '33333333-3333-4333-8333-333333333333';
const without = '44444444-4444-4444-8444-444444444444';

/** The text of a sub-agent's transcript. */
function agentOf(sessionId: string, agentId: string): string {
  return transcript({ isSidechain: true, agentId, sessionId }).user('look').assistant('seen').text();
}

function library(context: Parameters<typeof temporaryFolder>[0]): { readonly root: string; readonly folder: string } {
  const root = temporaryFolder(context);
  writeTree(root, {
    [`projects/-p/${whole}.jsonl`]: transcript({ sessionId: whole }).user('one').assistant('two').text(),
    [`projects/-p/${whole}/subagents/agent-a1.jsonl`]: agentOf(whole, 'a1'),
    [`projects/-p/${inFolder}/subagents/agent-b1.jsonl`]: agentOf(inFolder, 'b1'),
    [`projects/-p/${inFolder}/subagents/agent-b1.meta.json`]: '{"agentType":"Explore"}',
    [`projects/-p/${inFolder}/tool-results/toolu_1.txt`]: 'output',
    'projects/-p/agent-c1.jsonl': agentOf(flat, 'c1'),
    'projects/-p/agent-d1.jsonl': agentOf('../../../elsewhere', 'd1'),
    [`projects/-p/${without}/tool-results/toolu_1.txt`]: 'no agent',
    'projects/-p/memory/MEMORY.md': 'notes',
  });
  mkdirSync(path.join(root, 'projects/-empty'));
  setWholeTimes(path.join(root, 'projects'));
  return { root, folder: path.join(root, 'projects/-p') };
}

test('sub-agents without a main transcript are found in both layouts, and nothing else is', async (t) => {
  const { root, folder } = library(t);
  const size = (name: string): number => readFileSync(path.join(folder, name)).length;
  assert.deepEqual(
    (await findOrphans([root])).map(({ path: main, slug, sizeBytes }) => [main, slug, sizeBytes]),
    [
      [
        path.join(folder, `${inFolder}.jsonl`),
        '-p',
        size(`${inFolder}/subagents/agent-b1.jsonl`) + '{"agentType":"Explore"}'.length + 'output'.length,
      ],
      [path.join(folder, `${flat}.jsonl`), '-p', size('agent-c1.jsonl')],
    ],
  );
});

test('clew archive keeps them, --list and --verify know them, and restore brings every byte back', (t) => {
  const { root, folder } = library(t);
  const env = { CLEW_HOME: path.join(root, 'state') };
  const report = jsonOf(['archive', '--json', '--root', root], { env }) as {
    sessions: { sessionId: string; outcome: string; files: number }[];
  };
  assert.deepEqual(
    report.sessions.map(({ sessionId, outcome, files }) => [sessionId, outcome, files]),
    [
      [whole, 'archived', 2],
      [inFolder, 'archived', 3],
      [flat, 'archived', 1],
    ],
  );
  const again = runClew(['archive', '--root', root], { env });
  assert.equal(again.stdout, 'archived 0 sessions (0 B) in 0 B; 3 unchanged\n');
  const rows = jsonOf(['archive', '--list', '--json'], { env }) as {
    sessionId: string;
    isOnDisk: boolean;
    isOrphan: boolean;
  }[];
  assert.deepEqual(rows.map(({ sessionId, isOnDisk, isOrphan }) => [sessionId, isOnDisk, isOrphan]).sort(), [
    [whole, true, false],
    [inFolder, true, true],
    [flat, true, true],
  ]);
  const list = runClew(['archive', '--list'], { env }).stdout;
  assert.match(list, /\n2 sessions with sub-agents only: the transcript was gone before the first copy\n$/);
  assert.match(
    runClew(['archive', '--verify'], { env }).stdout,
    /^3 sessions, 3 copies, 6 files, .*: every byte can be/,
  );
  const before = snapshot(folder);
  rmSync(path.join(folder, inFolder), { recursive: true });
  rmSync(path.join(folder, 'agent-c1.jsonl'));
  for (const id of [inFolder, flat]) assert.equal(runClew(['restore', id], { env }).status, 0, id);
  assert.deepEqual(snapshot(folder), before);
});

test('when only the main transcript goes, its copy stays the latest one, also as its sub-agents grow', async (t) => {
  const { root, folder } = library(t);
  const archive = path.join(root, 'archive');
  const main = path.join(folder, `${whole}.jsonl`);
  const agent = path.join(folder, whole, 'subagents/agent-a1.jsonl');
  const text = readFileSync(main, 'utf8');
  await archiveSessions([{ path: main }], { folder: archive });
  rmSync(main);
  const orphans = (await findOrphans([root])).filter(({ sessionId }) => sessionId === whole);
  assert.deepEqual((await archiveSessions(orphans, { folder: archive })).sessions[0]?.outcome, 'unchanged');
  appendFileSync(agent, agentOf(whole, 'a1'));
  const grown = readFileSync(agent, 'utf8');
  assert.deepEqual((await archiveSessions(orphans, { folder: archive })).sessions[0]?.outcome, 'archived');
  assert.equal(listArchive(archive)[0]?.versions.length, 2);
  assert.deepEqual((await verifyArchive({ folder: archive })).broken, []);
  rmSync(agent);
  await restoreSession(whole, { folder: archive });
  assert.deepEqual([readFileSync(main, 'utf8'), readFileSync(agent, 'utf8')], [text, grown]);
});
