// Hostile bundles → imported into a canary folder one after the other; after each, everything in it must be as it was but
// for the files of the imported sessions.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../src/base/errors/errors.ts';
import { planImport } from '../../src/surgery/bundle/import.ts';
import { unpackBundle } from '../../src/surgery/bundle/read.ts';
import { type Outcome, operate } from '../../src/surgery/engine/operate.ts';
import { contentsOf, undoLast } from '../support/surgery-kit.ts';
import { type Canary, hostileBundle, writeCanary } from './hostile-bundle.ts';

export interface Imports {
  readonly imported: number;
  readonly refused: number;
}

export async function importHostile(folder: string, seeds: Iterable<number>): Promise<Imports> {
  const canary = writeCanary(folder);
  const env = { ...process.env, CLEW_HOME: canary.state };
  const before = withoutState(contentsOf(folder));
  const counts = { imported: 0, refused: 0 };
  for (const seed of seeds) {
    // Every operation reads the records of all earlier ones.
    rmSync(canary.state, { recursive: true, force: true });
    const outcome = await importOne(hostileBundle(seed), canary, env);
    const after = withoutState(contentsOf(folder));
    if (outcome === undefined) {
      counts.refused++;
      assert.deepEqual(after, before, `seed ${seed} was refused and left something`);
      continue;
    }
    counts.imported++;
    const made = [...after.keys()].filter((name) => !before.has(name));
    const ids = [outcome.to, ...outcome.others].map(({ sessionId }) => sessionId);
    for (const name of made) assert.ok(isOwn(name, ids), `seed ${seed} made ${name}`);
    for (const [name, bytes] of before) assert.equal(after.get(name), bytes, `seed ${seed} changed ${name}`);
    for (const { path: main } of [outcome.to, ...outcome.others]) assertInside(main, canary.project, seed);
    await undoLast({ env });
    assert.deepEqual(withoutState(contentsOf(folder)), before, `seed ${seed} was not taken back`);
  }
  return counts;
}

async function importOne(bytes: Buffer, canary: Canary, env: NodeJS.ProcessEnv): Promise<Outcome | undefined> {
  const file = path.join(canary.state, '..', 'state-bundle.clew');
  writeFileSync(file, bytes);
  try {
    return await unpackBundle(file, env, async (manifest, unpacked) => {
      const { root, project: to, home } = canary;
      const options = { file, unpacked, projects: path.join(root, 'projects'), to, home, taken: new Set<string>() };
      const { plan, sources } = await planImport(manifest, options);
      return operate(plan, sources, { env });
    });
  } catch (error) {
    assert.ok(error instanceof UserError, String((error as Error).stack));
    assert.ok(!error.message.includes('\n') && !error.message.includes('/imports/'), error.message);
    return undefined;
  }
}

function withoutState(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...files].filter(([name]) => !name.startsWith('state')));
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function isOwn(name: string, ids: readonly string[]): boolean {
  const [root, kind, first = '', second = '', ...rest] = name.split('/');
  if (root !== 'root') return false;
  if (kind === 'file-history') return uuid.test(first) && ids.includes(first) && rest.length === 0;
  if (kind !== 'projects' || first === '-other') return false;
  const id = rest.length === 0 ? second.replace(/\.jsonl$/, '') : second;
  return uuid.test(id) && ids.includes(id) && (rest.length > 0 || second.endsWith('.jsonl'));
}

/** What the client would copy or overwrite because a line names it is in the project. */
function assertInside(main: string, project: string, seed: number): void {
  for (const line of readFileSync(main, 'utf8').trimEnd().split('\n')) {
    const entry = JSON.parse(line);
    const tracked: Record<string, { backupFileName?: unknown }> = entry.snapshot?.trackedFileBackups ?? {};
    const named = entry.type === 'file-history-delta' ? { [entry.trackingPath]: entry.backup } : tracked;
    for (const [file, kept] of Object.entries(named)) {
      assert.ok(path.resolve(project, file).startsWith(`${project}/`), `seed ${seed} tracks ${file}`);
      assert.ok(!/\\|^[A-Za-z]:|^~/.test(file), `seed ${seed} tracks ${file} on Windows`);
      assert.ok(!/[\\/]|^\.\.?$/.test(String(kept?.backupFileName)), `seed ${seed} keeps ${kept?.backupFileName}`);
    }
    for (const folder of [entry.cwd, entry.toolUseResult?.persistedOutputPath])
      assert.ok(!String(folder).split(/[\\/]/).includes('..'), `seed ${seed} has ${folder}`);
  }
}
