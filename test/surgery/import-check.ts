// Hostile bundles → imported by the command into a canary folder, one after the other. Afterwards everything must be as it was
// but for the files of the imported sessions, and these must not hold what a rewind could run. Nothing here uses `src/`:
// files are compared as bytes and lines are parsed by JSON.parse.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cleanEnv, type Run, runClew } from '../support/clew.ts';
import { runInThread } from '../support/clew-thread.ts';
import { changesOf, snapshotTree, type TreeSnapshot } from '../support/tree-snapshot.ts';
import { type Canary, hostileBundle, writeCanary } from './hostile-bundle.ts';
import { planted, soundNames } from './hostile-history.ts';

export interface Imports {
  readonly imported: number;
  readonly refused: number;
  /** Sound names in the lines of imported sessions: what is left out must not be everything. */
  readonly kept: number;
}

export function importHostile(folder: string, seeds: Iterable<number>): Imports {
  const canary = writeCanary(folder);
  const state = [canary.state, bundlePath(canary)];
  const original = snapshotTree(folder, state);
  const counts = { imported: 0, refused: 0, kept: 0 };
  for (const seed of seeds) {
    // Every operation reads the records of all earlier ones.
    rmSync(canary.state, { recursive: true, force: true });
    writeFileSync(bundlePath(canary), hostileBundle(seed));
    const before = snapshotTree(folder, state);
    const ids = importOne(canary, seed);
    if (ids === undefined) {
      counts.refused++;
      assert.deepEqual(
        changesOf(before, snapshotTree(folder, state)),
        [],
        `seed ${seed} was refused and left something`,
      );
      assert.deepEqual(leftIn(canary.state), [], `seed ${seed}`);
      continue;
    }
    counts.imported++;
    assertOnlyOwn(before, snapshotTree(folder, state), ids, seed);
    for (const file of filesOf(canary.root, ids)) counts.kept += assertHarmless(file, canary, seed);
    const undone = clew(canary, ['undo']);
    assert.equal(undone.status, 0, `seed ${seed}: ${undone.stderr}`);
    const after = snapshotTree(folder, state);
    assert.deepEqual(
      changesOf(withoutFolderTimes(original), withoutFolderTimes(after)),
      [],
      `seed ${seed} was not taken back`,
    );
  }
  return counts;
}

function bundlePath({ state }: Canary): string {
  return `${state}-bundle.clew`;
}

/**
 * In a thread also in the slow tests: the cost of a process for each bundle would be most of the time. A thread runs only the
 * bundle, so a mutant needs processes.
 */
function clew({ root, project, home, state }: Canary, args: readonly string[]): Run {
  const env = { ...cleanEnv(), CLEW_HOME: state, HOME: home, CLEW_ROOTS: root };
  return process.env.CLEW_TEST_PROGRAM === undefined
    ? runInThread({ args, env }, project)
    : runClew(args, { env, cwd: project });
}

/** The ids of the imported sessions; `undefined` if the bundle was refused, in one line. */
function importOne(canary: Canary, seed: number): readonly string[] | undefined {
  const { status, stdout, stderr } = clew(canary, ['import', bundlePath(canary), '--json', '--root', canary.root]);
  if (status === 0) {
    const { to, others } = JSON.parse(stdout) as { to: { sessionId: string }; others: { sessionId: string }[] };
    return [to, ...others].map(({ sessionId }) => sessionId);
  }
  assert.ok(status === 1 || status === 2 || status === 3, `seed ${seed}: exit ${status}, ${stderr.slice(0, 2000)}`);
  assert.equal(stdout, '', `seed ${seed}`);
  assert.match(stderr, /^clew: [^\n]{10,1000}\n$/, `seed ${seed}`);
  assert.ok(!stderr.includes('/imports/'), `seed ${seed}: ${stderr}`);
  return undefined;
}

/** What a refused import left in Clew's own folder. */
function leftIn(state: string): readonly string[] {
  const places = ['imports', 'operations'].map((name) => path.join(state, name)).filter((place) => existsSync(place));
  return places.flatMap((place) => readdirSync(place).filter((name) => !/^(?:lock|\.lock)/.test(name)));
}

function assertOnlyOwn(before: TreeSnapshot, after: TreeSnapshot, ids: readonly string[], seed: number): void {
  const [old, now] = [withoutFolderTimes(before), withoutFolderTimes(after)];
  for (const [name, known] of old) assert.equal(now.get(name), known, `seed ${seed} changed ${name}`);
  for (const name of now.keys())
    if (!old.has(name)) assert.ok(isOwn(name, ids), `seed ${seed} made ${JSON.stringify(name)}`);
}

/** The time of a folder changes when something is made in it and taken back. */
function withoutFolderTimes(tree: TreeSnapshot): TreeSnapshot {
  return new Map([...tree].map(([name, about]) => [name, about.replace(/^(\d+) [\d.]+$/, '$1')]));
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function isOwn(name: string, ids: readonly string[]): boolean {
  const [root, kind, first = '', second, ...rest] = name.split('/');
  if (root !== 'root') return false;
  if (kind === 'file-history') {
    const isCopy = second === undefined || /^[0-9a-f]{4,64}@v\d+$/.test(second);
    return uuid.test(first) && ids.includes(first) && isCopy && rest.length === 0;
  }
  if (kind !== 'projects' || first === '-other') return false;
  if (second === undefined) return true;
  const id = rest.length === 0 ? second.replace(/\.jsonl$/, '') : second;
  return uuid.test(id) && ids.includes(id) && rest.every((part) => !part.startsWith('.'));
}

function filesOf(root: string, ids: readonly string[]): readonly string[] {
  const all = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = all.map((entry) => path.join(entry.parentPath, entry.name));
  return paths.filter((file) => ids.some((id) => file.includes(id)));
}

/** Returns the number of sound names in it. */
function assertHarmless(file: string, { root, project }: Canary, seed: number): number {
  const bytes = readFileSync(file);
  const isCopy = file.startsWith(path.join(root, 'file-history'));
  assert.ok(!isCopy || !bytes.includes(planted), `seed ${seed} brought ${file}`);
  assert.ok(file.endsWith('.jsonl') || !bytes.includes(planted), `seed ${seed} brought ${file}`);
  if (!file.endsWith('.jsonl') || isCopy) return 0;
  let kept = 0;
  for (const line of bytes.toString('utf8').trimEnd().split('\n')) {
    if (line === '') continue;
    const entry = JSON.parse(line) as Record<string, unknown>;
    assert.ok(
      !/^(?:permission-mode|worktree-state|relocated|bridge-session)$/.test(String(entry.type)),
      `seed ${seed}`,
    );
    const place = `seed ${seed}: ${line.slice(0, 300)}`;
    for (const [name, copy] of trackedIn(entry)) {
      kept++;
      assert.ok(soundNames.includes(name), place);
      assert.match(String(copy.backupFileName), /^[0-9a-f]{4,64}@v\d+$/, place);
      const folder = copy.realParentDir ?? path.dirname(path.join(project, name));
      assert.equal(folder, path.dirname(path.join(project, name)), place);
    }
    const output = (entry.toolUseResult as { persistedOutputPath?: unknown } | null | undefined)?.persistedOutputPath;
    for (const folder of [entry.cwd, output]) assert.ok(!String(folder).split(/[\\/]/).includes('..'), place);
  }
  return kept;
}

interface Copy {
  readonly backupFileName?: unknown;
  readonly realParentDir?: unknown;
}

/** Wherever in a line they are, however deep. */
function trackedIn(entry: unknown): readonly (readonly [string, Copy])[] {
  const found: (readonly [string, Copy])[] = [];
  const left: unknown[] = [entry];
  for (let value = left.pop(); left.length > 0 || value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const { trackedFileBackups, trackingPath, backup } = value as Record<string, unknown>;
    if (typeof trackedFileBackups === 'object' && trackedFileBackups !== null)
      found.push(...Object.entries(trackedFileBackups as Record<string, Copy>));
    if (trackingPath !== undefined) found.push([String(trackingPath), (backup ?? {}) as Copy]);
    left.push(...Object.values(value));
  }
  return found;
}
