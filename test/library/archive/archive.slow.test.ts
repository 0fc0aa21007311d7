// Archives of whole corpora, archivers killed at random moments, packs cut and damaged at random bytes.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { archiveSessions } from '../../../src/library/archive/archive.ts';
import { ChunkReader } from '../../../src/library/archive/pack/chunks.ts';
import { type ArchiveContents, readContents } from '../../../src/library/archive/pack/contents.ts';
import { readGroup } from '../../../src/library/archive/pack/pieces.ts';
import type { Block } from '../../../src/library/archive/pack/record.ts';
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
import { filesBelow } from '../../support/paths.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { recordings } from '../../support/transcripts.ts';

const isLong = process.env.CLEW_LONG === '1';

test('archive, delete, restore: every session of the corpora is back, byte for byte, with modes and times', async (t) => {
  const temp = temporaryFolder(t);
  const corpus = copyCorpora(temp);
  const before = snapshot(corpus);
  const folder = path.join(temp, 'archive');
  const sessions = mainTranscripts(corpus);
  assert.ok(sessions.length > 300);
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

const rounds = isLong ? 200 : 12;
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

test('an archive cut at any byte keeps everything before the cut, and the next run completes it', async (t) => {
  const temp = temporaryFolder(t);
  const root = killRoot(temp);
  const wanted = await referenceArchive(temp, root);
  const reference = path.join(temp, 'reference');
  // Without the committed sums, which a kill leaves as they were: this is an archive of an older Clew.
  const names = packNames(reference);
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
  const block = withoutLastSessions(folder).blocks.at(-1);
  assert.ok(block !== undefined && block.pack === packs(folder).at(-1));
  flipByte(block.pack, block.bodyOffset + block.header.bodyBytes - 20);
  await completes(folder, root, wanted, 'a damaged block at the end');
});

test('a flipped byte is found, and damages only the files that contain it', async (t) => {
  const temp = temporaryFolder(t);
  const root = killRoot(temp);
  await referenceArchive(temp, root);
  const folder = path.join(temp, 'reference');
  const sound = readContents(folder);
  for (let round = 0; round < 30; round++) {
    const copy = path.join(temp, 'flipped');
    cpSync(folder, copy, { recursive: true });
    const names = packNames(copy).slice(0, -1);
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
    // A session whose record is gone has no files to name.
    const broken = found.broken.map(({ session, file }) => `${session} ${file}`);
    if (hit === undefined) assert.deepEqual([broken.length, found.broken[0]?.file], [1, '']);
    else assert.deepEqual(broken, filesWith(sound, hit));
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

const archiveOnce = fileURLToPath(new URL('archive-once.js', import.meta.url));

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

function packNames(folder: string): string[] {
  return packs(folder).map((pack) => path.basename(pack));
}

function packs(folder: string): string[] {
  return [...readContents(folder).packs];
}

/** Cuts the archive after its last block, so that no session names the chunks of that block. */
function withoutLastSessions(folder: string): ReturnType<typeof readContents> {
  const { blocks } = readContents(folder);
  const names = packs(folder);
  const used = new Set(blocks.map(({ pack }) => pack));
  const at = names.findLastIndex((pack) => used.has(pack));
  const last = blocks.findLast((block) => block.pack === names[at]);
  assert.ok(last !== undefined);
  for (const pack of names.slice(at + 1)) rmSync(pack);
  truncateSync(last.pack, last.bodyOffset + last.header.bodyBytes);
  rmSync(path.join(folder, 'committed'));
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
