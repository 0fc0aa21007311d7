import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { archiveSessions } from '../../../src/library/archive/archive.ts';
import { ChunkReader } from '../../../src/library/archive/chunk-reader.ts';
import { type ArchiveContents, type Block, readContents } from '../../../src/library/archive/contents.ts';
import { readGroup } from '../../../src/library/archive/group.ts';
import { restoreSession } from '../../../src/library/archive/restore.ts';
import { verifyArchive } from '../../../src/library/archive/verify.ts';
import {
  copyCorpora,
  forkByClient,
  forkBySdk,
  holdings,
  mainTranscripts,
  randomUuid,
  snapshot,
} from '../../support/archive-kit.ts';
import { filesBelow, hasShared, projectRoot } from '../../support/paths.ts';
import { assistant, sessionText, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { recordings } from '../../support/transcripts.ts';

const isLong = process.env.CLEW_LONG === '1';

test('archive, delete, restore: every session of the corpora is back, byte for byte, with modes and times', async (t) => {
  const temp = temporaryFolder(t);
  const corpus = copyCorpora(temp);
  const before = snapshot(corpus);
  const folder = path.join(temp, 'archive');
  const sessions = mainTranscripts(corpus);
  assert.ok(sessions.length > (hasShared ? 300 : 30));
  await archiveSessions(sessions, { folder });
  const archived = [...readContents(folder).sessions.values()].flatMap(({ versions }) => versions);
  const files = archived.flatMap((each) => each.files.map((file) => path.join(each.projects, each.slug, file.path)));
  assert.equal(new Set(files).size, files.length);
  for (const file of files) rmSync(file);
  const orphans = filesBelow(corpus, '.jsonl').map((file) => path.relative(corpus, file));
  for (const { path: main } of sessions) await restoreSession(main, { folder });
  const after = snapshot(corpus);
  assert.equal(after.size, before.size);
  for (const [file, content] of before) assert.deepEqual(after.get(file), content, file);
  // Only agents of sessions that are not there themselves belong to none.
  for (const orphan of orphans) assert.match(orphan, /agent-[^/]+\.jsonl$/);
});

test('20 forks of the largest sessions, of both kinds, add less than 30 % to the archive', async (t) => {
  const temp = temporaryFolder(t);
  const corpus = copyCorpora(temp);
  const largest = mainTranscripts(corpus)
    .map(({ path: main }) => main)
    .sort((a, b) => statSync(b).size - statSync(a).size)
    .slice(0, 10);
  const plain = await archiveSessions(mainTranscripts(corpus), { folder: path.join(temp, 'plain') });
  for (const main of largest) forkByClient(main, randomUuid());
  const withForks = await archiveSessions(mainTranscripts(corpus), { folder: path.join(temp, 'forks') });
  for (const main of largest) forkBySdk(main, randomUuid());
  const withAll = await archiveSessions(mainTranscripts(corpus), { folder: path.join(temp, 'all') });
  const ratios = [withForks, withAll].map((report) => report.storedBytes / plain.storedBytes);
  t.diagnostic(`10 forks by the client: ${ratios[0]?.toFixed(4)}; and 10 by the SDK: ${ratios[1]?.toFixed(4)}`);
  assert.ok(ratios[0] !== undefined && ratios[0] < 1.02, String(ratios[0]));
  assert.ok(ratios[1] !== undefined && ratios[1] < 1.3, String(ratios[1]));
  assert.deepEqual((await verifyArchive({ folder: path.join(temp, 'all') })).broken, []);
});

test('what is unchanged is not read; what is new in a session is all that is added', async (t) => {
  const temp = temporaryFolder(t);
  const { folder, main, other } = twoSessions(temp);
  let read = 0;
  const archive = async (): Promise<(readonly [string, number])[]> => {
    read = 0;
    const report = await archiveSessions([{ path: main }, { path: other }], {
      folder,
      onRead: (bytes) => {
        read += bytes;
      },
    });
    return report.sessions.map((session) => [session.outcome, session.files] as const);
  };
  assert.deepEqual(await archive(), [
    ['archived', 3],
    ['archived', 1],
  ]);
  assert.equal(read, 4 + statSync(main).size + statSync(other).size + '{"agent":1}\n'.length);
  const size = archiveSize(folder);
  assert.deepEqual(
    [await archive(), read, archiveSize(folder)],
    [
      [
        ['unchanged', 3],
        ['unchanged', 1],
      ],
      0,
      size,
    ],
  );
  appendFileSync(main, sessionText([user('more')]));
  assert.deepEqual(await archive(), [
    ['archived', 3],
    ['unchanged', 1],
  ]);
  assert.ok(archiveSize(folder) - size < 2000, `${archiveSize(folder) - size} bytes for one line`);
  assert.equal(holdings(folder)[main]?.length, 2);
  // Only its time changed: it is read, and the copy it has is the copy it had.
  utimesSync(main, 1000, 1000);
  await archive();
  assert.equal(holdings(folder)[main]?.length, 2);
  assert.deepEqual([await archive(), read].flat(2), ['unchanged', 3, 'unchanged', 1, 0]);
});

test('files that come and go are noticed, and every file in the side folder is kept', async (t) => {
  const temp = temporaryFolder(t);
  const { folder, main } = twoSessions(temp);
  const side = main.slice(0, -'.jsonl'.length);
  await archiveSessions([{ path: main }], { folder });
  writeTree(side, { 'tool-results/x.txt': 'out\n', 'unknown/future.bin': Buffer.from([0, 255, 10, 254]) });
  symlinkSync(path.join(side, 'tool-results/x.txt'), path.join(side, 'link.txt'));
  symlinkSync(temp, path.join(side, 'way-out'));
  await archiveSessions([{ path: main }], { folder });
  rmSync(path.join(side, 'unknown'), { recursive: true });
  await archiveSessions([{ path: main }], { folder });
  const versions = [...readContents(folder).sessions.values()][0]?.versions ?? [];
  const id = path.basename(side);
  assert.deepEqual(
    versions.map((version) => version.files.map((file) => file.path.replace(id, 'ID'))),
    [
      ['ID.jsonl', 'ID/custom-title.json', 'ID/subagents/agent-a1.jsonl'],
      [
        'ID.jsonl',
        'ID/custom-title.json',
        'ID/link.txt',
        'ID/subagents/agent-a1.jsonl',
        'ID/tool-results/x.txt',
        'ID/unknown/future.bin',
      ],
      ['ID.jsonl', 'ID/custom-title.json', 'ID/link.txt', 'ID/subagents/agent-a1.jsonl', 'ID/tool-results/x.txt'],
    ],
  );
});

test('a session that cannot be read is named and keeps no other from being archived', async (t) => {
  const temp = temporaryFolder(t);
  const { folder, main, other } = twoSessions(temp);
  rmSync(main);
  const { sessions } = await archiveSessions([{ path: main }, { path: other }], { folder });
  assert.deepEqual(
    sessions.map(({ outcome, problem }) => [outcome, problem]),
    [
      ['failed', `cannot read ${main} (ENOENT)`],
      ['archived', undefined],
    ],
  );
  assert.deepEqual(Object.keys(holdings(folder)), [other]);
});

test('a dry run writes nothing, not even a folder', async (t) => {
  const temp = temporaryFolder(t);
  const { folder, main } = twoSessions(temp);
  const { sessions } = await archiveSessions([{ path: main }], { folder, isDryRun: true });
  assert.deepEqual([sessions.map((session) => session.outcome), readdirSync(temp)], [['archived'], ['projects']]);
});

const rounds = isLong ? 200 : 20;
test(`an archiver killed at ${rounds} random moments leaves a whole archive, and the next run completes it`, async (t) => {
  const temp = temporaryFolder(t);
  const root = killRoot(temp);
  const wanted = await referenceArchive(temp, root);
  const duration = await timeOf(path.join(temp, 'timed'), root);
  const fullSize = archiveSize(path.join(temp, 'reference'));
  let killedInside = 0;
  for (let round = 0; round < rounds; round++) {
    const folder = path.join(temp, `killed-${round}`);
    const child = spawn(process.execPath, [archiveOnce, folder, root], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exit = once(child, 'exit');
    await once(child.stdout, 'data');
    if (round % 2 === 0) await delay(Math.random() * duration);
    else await grown(folder, Math.random() * fullSize, child);
    child.kill('SIGKILL');
    await exit;
    if (archiveSize(folder) > 0 && Object.keys(holdings(folder)).length < Object.keys(wanted).length) killedInside += 1;
    const found = await verifyArchive({ folder });
    assert.deepEqual([found.damage, found.broken], [[], []], `round ${round}: what was killed is not whole`);
    await completes(folder, root, wanted, `round ${round}`);
    rmSync(folder, { recursive: true });
  }
  t.diagnostic(`${killedInside} of ${rounds} were killed with a part of the sessions archived`);
  assert.ok(killedInside > rounds / 8);
});

test('an archive cut at any byte keeps what stands before, and the next run completes it', async (t) => {
  const temp = temporaryFolder(t);
  const root = killRoot(temp);
  const wanted = await referenceArchive(temp, root);
  const reference = path.join(temp, 'reference');
  const names = readdirSync(reference).sort();
  for (let round = 0; round < (isLong ? 200 : 20); round++) {
    const folder = path.join(temp, `cut-${round}`);
    const last = Math.floor(Math.random() * names.length);
    mkdirSync(folder);
    for (const pack of names.slice(0, last + 1)) cpSync(path.join(reference, pack), path.join(folder, pack));
    const pack = path.join(folder, names[last] ?? '');
    const size = Math.floor(Math.random() * statSync(pack).size);
    truncateSync(pack, size);
    // After a power cut the length of a file may be right and its end all zeros.
    if (round % 4 === 0) truncateSync(pack, size + 5000);
    await completes(folder, root, wanted, `round ${round}: cut at ${size} of ${names[last]}`);
    rmSync(folder, { recursive: true });
  }
});

test('a block that reached the disk in part is not built upon', async (t) => {
  const temp = temporaryFolder(t);
  const root = killRoot(temp);
  const wanted = await referenceArchive(temp, root);
  const folder = path.join(temp, 'reference');
  const { uncommitted, blocks } = withoutLastSessions(folder);
  const block = blocks.find((each) => each.offset === uncommitted.at(-1)?.offset && each.pack === packs(folder).at(-1));
  assert.ok(block !== undefined);
  flipByte(block.pack, block.bodyOffset + block.header.bodyBytes - 20);
  await completes(folder, root, wanted, 'a damaged block at the end');
});

test('a flipped byte is found, and costs only the files that it stands in', async (t) => {
  const temp = temporaryFolder(t);
  const root = killRoot(temp);
  await referenceArchive(temp, root);
  const folder = path.join(temp, 'reference');
  const sound = readContents(folder);
  for (let round = 0; round < 30; round++) {
    const copy = path.join(temp, 'flipped');
    cpSync(folder, copy, { recursive: true });
    const names = readdirSync(copy).sort().slice(0, -1);
    const name = names[Math.floor(Math.random() * names.length)] ?? '';
    const at = Math.floor(Math.random() * statSync(path.join(copy, name)).size);
    flipByte(path.join(copy, name), at);
    const hit = sound.blocks.find(
      (block) =>
        path.basename(block.pack) === name && block.offset <= at && at < block.bodyOffset + block.header.bodyBytes,
    );
    const found = await verifyArchive({ folder: copy });
    assert.equal(found.damage.length, 1, `${name} at ${at}`);
    assert.equal(found.sessions, sound.sessions.size - (hit === undefined ? 1 : 0));
    assert.deepEqual(
      found.broken.map(({ session, file }) => `${session} ${file}`),
      hit === undefined ? [] : filesWith(sound, hit),
    );
    rmSync(copy, { recursive: true });
  }
});

test('two archivers at once end with each session archived once, and nothing broken', async (t) => {
  const temp = temporaryFolder(t);
  const root = killRoot(temp);
  const wanted = await referenceArchive(temp, root);
  const folder = path.join(temp, 'shared');
  const children = [1, 2, 3].map(() =>
    spawn(process.execPath, [archiveOnce, folder, root], { stdio: ['ignore', 'ignore', 'inherit'] }),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0] as number));
  const { damage, broken } = await verifyArchive({ folder });
  assert.deepEqual([codes, damage, broken, holdings(folder)], [[0, 0, 0], [], [], wanted]);
  const blocks = [folder, path.join(temp, 'reference')].map((each) => readContents(each).blocks.length);
  assert.equal(blocks[0], blocks[1]);
  assert.ok(!readdirSync(folder).includes('lock'));
});

const archiveOnce = path.join(projectRoot, 'build/test/library/archive/archive-once.js');

/** Two sessions in one folder; the first has side files. */
function twoSessions(temp: string): { readonly folder: string; readonly main: string; readonly other: string } {
  const [first, second] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
  const project = path.join(temp, 'projects/-home-kim-project');
  writeTree(project, {
    [`${first}.jsonl`]: sessionText([user('hello'), assistant('hi '.repeat(4000))], { sessionId: first }),
    [`${first}/custom-title.json`]: '{}\r\n',
    [`${first}/subagents/agent-a1.jsonl`]: '{"agent":1}\n',
    [`${second}.jsonl`]: sessionText([user('other'), assistant('yes')], { sessionId: second }),
  });
  const at = (id: string): string => path.join(project, `${id}.jsonl`);
  return { folder: path.join(temp, 'archive'), main: at(first), other: at(second) };
}

function killRoot(temp: string): string {
  const root = path.join(temp, 'root');
  cpSync(recordings, root, { recursive: true, preserveTimestamps: true });
  return root;
}

/** Made in one go, with the small records that `archive-once.ts` makes. */
async function referenceArchive(temp: string, root: string): Promise<Record<string, readonly string[]>> {
  const folder = path.join(temp, 'reference');
  await archiveSessions(mainTranscripts(root), { folder, blockBytes: 16 * 1024, packBytes: 8 * 1024 });
  return holdings(folder);
}

async function timeOf(folder: string, root: string): Promise<number> {
  const child = spawn(process.execPath, [archiveOnce, folder, root], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  const start = Date.now();
  await exit;
  return Date.now() - start;
}

/** Waits until the archive has so many bytes, so that a part of the rounds is sure to hit the writing itself. */
async function grown(folder: string, sizeBytes: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null && archiveSize(folder) < sizeBytes) await setImmediate();
}

async function completes(
  folder: string,
  root: string,
  wanted: Record<string, readonly string[]>,
  when: string,
): Promise<void> {
  await archiveSessions(mainTranscripts(root), { folder, waitMs: 0 });
  const { damage, broken } = await verifyArchive({ folder });
  assert.deepEqual([damage, broken], [[], []], when);
  assert.deepEqual(holdings(folder), wanted, when);
}

function packs(folder: string): string[] {
  return [...readContents(folder).packs];
}

/** Cuts the last pack behind its last block, so that no session names what is in that. */
function withoutLastSessions(folder: string): ReturnType<typeof readContents> {
  const { blocks } = readContents(folder);
  const last = blocks.filter((block) => block.pack === packs(folder).at(-1)).at(-1);
  if (last !== undefined) truncateSync(last.pack, last.bodyOffset + last.header.bodyBytes);
  return readContents(folder);
}

/** The files that a chunk of the block is a part of. */
function filesWith(contents: ArchiveContents, { header: { first, count } }: Block): string[] {
  const reader = new ChunkReader(contents);
  return [...contents.sessions.values()].flatMap(({ key, versions }) =>
    versions.flatMap((manifest) =>
      manifest.files
        .filter((file) => {
          const used = new Set(file.groups);
          const use = (chunk: number): Buffer => {
            used.add(chunk);
            return reader.read(chunk);
          };
          for (const group of file.groups) Array.from(readGroup(reader.read(group), manifest.sessionId, use));
          return [...used].some((chunk) => chunk >= first && chunk < first + count);
        })
        .map((file) => `${key} ${file.path}`),
    ),
  );
}

function flipByte(file: string, offset: number): void {
  const bytes = readFileSync(file);
  bytes[offset] = (bytes[offset] ?? 0) ^ 0x10;
  writeFileSync(file, bytes);
}

function archiveSize(folder: string): number {
  try {
    const packs = readdirSync(folder).filter((name) => name.endsWith('.pack'));
    return packs.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
  } catch {
    return 0;
  }
}
