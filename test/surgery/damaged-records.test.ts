// Random damage to the journal of operations, and records that were not written by Clew. Whatever a later command finds there,
// no file outside of the journal changes, no backup is deleted, and each thing that is wrong is said in one line.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { operationsFolder } from '../../src/surgery/journal/operation-log.ts';
import { planFork } from '../../src/surgery/operations/fork.ts';
import { planTag } from '../../src/surgery/operations/rename.ts';
import { runClew } from '../support/clew.ts';
import { fuzzRuns } from '../support/fuzz-runs.ts';
import { filesBelow } from '../support/paths.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type Bench, benchWith } from '../support/surgery-kit.ts';
import { writeTree } from '../support/temp-folder.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';

const otherId = '22222222-2222-4222-a222-222222222222';

interface Place extends Bench {
  readonly operations: string;
  /** Holds the library, and files around it that no operation has to do with. */
  readonly home: string;
}

/** A library with a replaced and a copied session, whose records are in the journal. */
async function makePlace(context: TestContext): Promise<Place> {
  const bench = benchWith(context, sessionId, transcript().user('one').assistant('two').text(), {
    [`${otherId}.jsonl`]: transcript({ sessionId: otherId }).user('three').assistant('four').text(),
    [`${sessionId}/tool-results/out.txt`]: 'output',
  });
  const home = path.dirname(bench.root);
  writeTree(home, {
    '.bashrc': '# mine\n',
    '.config/autostart/x.desktop': 'Exec=true\n',
    'library/settings.json': '{}\n',
    'library/CLAUDE.md': 'rules\n',
    'repository/.git/hooks/pre-commit.sample': '#!/bin/sh\n',
  });
  const source = await loadSource(bench.main);
  await operate(planTag(source, 'review'), [source], { env: bench.env });
  const tagged = await loadSource(bench.main);
  await operate(planFork(tagged), [tagged], { env: bench.env });
  return { ...bench, home, operations: operationsFolder(bench.env) };
}

type Random = () => number;
/** What is damaged, in words. */
type Damage = (place: Place, record: string, random: Random) => string;

const anyOf = <T>(all: readonly T[], random: Random): T => all[Math.floor(random() * all.length)] as T;

function change(file: string, edit: (record: Record<string, unknown>) => void): void {
  const record = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  edit(record);
  writeFileSync(file, JSON.stringify(record));
}

/** Paths that no record may lead to. */
function forbidden({ home }: Place): readonly string[] {
  return [
    path.join(home, '.bashrc'),
    path.join(home, '.config/autostart/x.desktop'),
    path.join(home, '.config/autostart/new.desktop'),
    path.join(home, 'library/settings.json'),
    path.join(home, 'library/CLAUDE.md'),
    path.join(home, 'library/commands/new.md'),
    path.join(home, 'repository/.git/hooks/pre-commit.sample'),
    path.join(home, 'repository/.git/hooks/pre-commit'),
    path.join(home, 'library/projects/-home-kim-project/.git/hooks/pre-commit'),
    path.join(home, 'library/projects/../settings.json'),
    path.join(home, `library/projects/-home-kim-project/${sessionId}/.git/hooks/pre-commit`),
    path.join(home, 'library/projects/-home-kim-project/memory/.claude/settings.json'),
    path.join(home, 'repository/note.jsonl'),
  ];
}

/** A record that another program wrote, to get a file of the user replaced, removed or created. */
const forge: Damage = (place, file, random) => {
  const target = anyOf(forbidden(place), random);
  const state = anyOf(['begun', 'applying', 'undoing'], random);
  const kind = anyOf(['made', 'replaced', 'removed'], random);
  const bytes = existsSync(target) ? readFileSync(target) : Buffer.alloc(0);
  const now = { sizeBytes: bytes.length, sha256: hashOf(bytes) };
  const evil = Buffer.from('#!/bin/sh\nevil\n');
  const folder = path.dirname(file);
  writeTree(folder, { 'backup/0': evil, 'staged/0': evil });
  const planted = { sizeBytes: evil.length, sha256: hashOf(evil) };
  const forged = { path: target, kind, backup: 'backup/0', staged: 'staged/0', before: planted, after: now };
  change(file, (record) => Object.assign(record, { state, files: [forged] }));
  return `a forged ${state} record: ${kind} ${path.relative(place.home, target)}`;
};

const damages: readonly Damage[] = [
  ...Array<Damage>(6).fill(forge),
  (_, file, random) => {
    const bytes = readFileSync(file);
    const length = Math.floor(random() * (bytes.length - 2));
    writeFileSync(file, bytes.subarray(0, length));
    return `the record is cut after ${length} bytes`;
  },
  (_, file, random) => {
    const bytes = readFileSync(file);
    const at = Math.floor(random() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    writeFileSync(file, bytes);
    return `a bit of the record is flipped at ${at}`;
  },
  (_, file, random) => {
    const state = anyOf(['settled', 'half', '', 'DONE'], random);
    change(file, (record) => Object.assign(record, { state, format: 9 }));
    return `the record of a newer version: ${state}`;
  },
  (_, file, random) => {
    writeFileSync(file, anyOf(['', '[]', 'null', '{}', '\0\0\0\0', '{"state":"begun"}'], random));
    return 'the record is something else';
  },
  (_, file) => {
    rmSync(file);
    return 'the record is gone, the backups are there';
  },
  (_, file) => {
    rmSync(file);
    mkdirSync(file);
    return 'the record is a folder';
  },
  (_, file) => {
    rmSync(file);
    symlinkSync('loop', path.join(path.dirname(file), 'loop'));
    symlinkSync('loop', file);
    return 'the record is a link in a circle';
  },
  ({ operations }, file) => {
    const id = path.basename(path.dirname(file));
    const other = id.replace(/.{6}$/, 'abcdef');
    renameSync(path.join(operations, id), path.join(operations, other));
    return 'the folder has the name of another operation';
  },
  ({ home }, file, random) => {
    const sibling = path.join(home, 'repository', 'evil.jsonl');
    const forged = {
      sessionId: '.config',
      path: path.join(home, anyOf(['.config.jsonl', 'repository/x.jsonl'], random)),
    };
    change(file, (record) =>
      Object.assign(record, {
        state: 'applying',
        from: [forged],
        to: [forged],
        files: [
          { path: sibling, kind: 'made', staged: 'staged/0', after: { sizeBytes: 0, sha256: hashOf(Buffer.alloc(0)) } },
        ],
      }),
    );
    return 'a forged record with sessions of its own';
  },
];

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Everything outside of Clew's own folder. */
function treeOf({ home }: Place): ReadonlyMap<string, string> {
  const own = path.join(home, 'state') + path.sep;
  const files = filesBelow(home, '').filter((file) => !file.startsWith(own) && lstatSync(file).isFile());
  return new Map(files.map((file) => [path.relative(home, file), readFileSync(file).toString('latin1')]));
}

function backupsIn(operations: string): readonly string[] {
  return filesBelow(operations, '')
    .filter((file) => file.includes(`${path.sep}backup${path.sep}`) && lstatSync(file).isFile())
    .map((file) => readFileSync(file).toString('latin1'));
}

const seed = Number(process.env.CLEW_SEED ?? 1);

test('nothing follows a damaged or forged record, and no backup is deleted', async (context) => {
  const original = await makePlace(context);
  const random = seededRandom(seed);
  for (let run = 0; run < fuzzRuns(300); run++) {
    const home = path.join(path.dirname(original.home), `${path.basename(original.home)}-${run}`);
    context.after(() => rmSync(home, { recursive: true, force: true }));
    const place = movedTo(original, home);
    const ids = readdirSync(place.operations).filter((name) =>
      existsSync(path.join(place.operations, name, 'operation.json')),
    );
    const file = path.join(place.operations, anyOf(ids, random), 'operation.json');
    const what = `seed ${seed}, run ${run}: ${anyOf(damages, random)(place, file, random)}`;
    writeFileSync(path.join(place.operations, 'unfinished'), '');
    const [tree, backups] = [treeOf(place), backupsIn(place.operations)];
    for (const words of [['star', otherId], ['history'], ['ls']]) {
      const { status, stderr } = runClew([...words, '--root', place.root], { env: { CLEW_HOME: place.env.CLEW_HOME } });
      assert.equal(status, 0, `${what}: clew ${words[0]}: ${stderr}`);
      assert.ok(stderr === '' || /^(?:clew: .+\n)+$/.test(stderr), `${what}: ${stderr}`);
    }
    assert.deepEqual(treeOf(place), tree, what);
    const kept = backupsIn(place.operations);
    for (const backup of backups) assert.ok(kept.includes(backup), `${what}: a backup is gone`);
    rmSync(home, { recursive: true });
  }
});

/** A copy whose records name the files of the copy. */
function movedTo(place: Place, home: string): Place {
  cpSync(place.home, home, { recursive: true });
  const moved = (file: string): string => path.join(home, path.relative(place.home, file));
  const operations = moved(place.operations);
  for (const file of filesBelow(operations, 'operation.json'))
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(place.home, home));
  const env = { ...place.env, CLEW_HOME: moved(place.env.CLEW_HOME) };
  return { home, operations, root: moved(place.root), folder: moved(place.folder), main: moved(place.main), env };
}
