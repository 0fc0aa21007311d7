// The commands that list and count print the same from the store as from the local index.
import assert from 'node:assert/strict';
import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { asObject, isArray, type JsonValue, parseJson } from '../../src/base/json/index.ts';
import { runClew } from '../support/clew.ts';
import { projectRoot } from '../support/paths.ts';
import { noPostgres } from '../support/postgres.ts';
import { pushLibrary } from '../support/pushed-library.ts';
import { startTeamStore, type TeamStore } from '../support/team-store.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { corpusFiles } from '../support/transcripts.ts';

/** The folders with main transcripts. Names of project folders are theirs, and several have the same sessions. */
function projectFolders(): readonly string[] {
  const folders = new Set(corpusFiles().map((file) => path.dirname(file)));
  return [...folders].filter((folder) => !folder.includes('/subagents'));
}

const usageKinds = ['daily', 'weekly', 'monthly', 'session', 'project', 'model', 'blocks'];
const calls: readonly (readonly string[])[] = [
  ['ls'],
  ['ls', '--sort', 'cost', '--limit', '3'],
  ['ls', '--sort', 'title'],
  ['stats'],
  ['stats', '--since', '2026-01-10'],
  ...usageKinds.map((kind) => ['usage', kind]),
  ...usageKinds.map((kind) => ['usage', kind, '--breakdown', '--timezone', 'America/New_York']),
  ...usageKinds.map((kind) => ['usage', kind, '--since', '2025-07-01', '--until', '2026-01-31', '--order', 'desc']),
  ['usage', 'daily', '--project', 'e', '--timezone', 'Asia/Kathmandu'],
];

interface Compared {
  readonly store: TeamStore;
  readonly root: string;
  readonly home: string;
}

/**
 * Two values cannot be equal: what is left of deleted sessions is not pushed, and a tool's name that is not a name (a fixture
 * has one with spaces) does not leave the machine.
 */
function comparable(args: readonly string[], text: string): JsonValue {
  const value = parseJson(text) ?? null;
  const stats = args[0] === 'stats' ? asObject(value) : undefined;
  if (stats === undefined || !isArray(stats.tools)) return value;
  const names = stats.tools.map((tool) => {
    const { name, ...counts } = asObject(tool) ?? {};
    return { name: /^[\x21-\x7e]+$/.test(String(name)) ? String(name) : '(not a name)', ...counts };
  });
  const tools = names.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { ...stats, deleted: null, tools };
}

function compare({ store, root, home }: Compared): void {
  for (const args of calls) {
    const run = (...more: readonly string[]) => runClew([...args, '--json', ...more], { env: { CLEW_HOME: home } });
    const local = run('--root', root);
    const stored = run('--store', store.addressOf('ada'));
    assert.equal(stored.stderr, local.stderr, args.join(' '));
    if (args[0] === 'stats')
      assert.deepEqual(comparable(args, stored.stdout), comparable(args, local.stdout), args.join(' '));
    else assert.equal(stored.stdout, local.stdout, args.join(' '));
    assert.equal(stored.status, local.status);
    assert.ok(local.stdout.length > 20, args.join(' '));
  }
}

async function comparePushed(context: TestContext, projects: readonly string[], level: 2 | 3 | 4): Promise<void> {
  const folder = temporaryFolder(context);
  const [root, home] = [path.join(folder, 'root'), path.join(folder, 'home')];
  for (const [i, each] of projects.entries())
    cpSync(each, path.join(root, 'projects', `${path.basename(each)}${i === 0 ? '' : i}`), { recursive: true });
  const store = await startTeamStore(context, { ada: 'developer' });
  const pushed = await pushLibrary({ address: store.addressOf('ada'), root, home, level });
  assert.ok(pushed >= projects.length);
  compare({ store, root, home });
}

const demo = path.join(projectRoot, 'demo/projects');
const demoProjects = readdirSync(demo).map((name) => path.join(demo, name));

test('of the demo at the level of text', { skip: noPostgres }, (context) => comparePushed(context, demoProjects, 3));

test('of the demo at the level of files', { skip: noPostgres }, (context) => comparePushed(context, demoProjects, 4));

test('of all transcripts of the corpora', { skip: noPostgres }, (context) => {
  const folders = projectFolders();
  assert.ok(folders.length > 50);
  return comparePushed(context, folders, 3);
});
