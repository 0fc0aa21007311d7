// A library on a real file system with inode numbers above 2^63: an overlay with `xino=on` in a user namespace of its own, in
// which this file runs again. Its inodes differ, and are one number in JavaScript.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, renameSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { updateRows } from '../../src/library/index/indexer.ts';
import { openIndex } from '../../src/library/index/schema.ts';
import { readJson } from '../../src/web/client/client.ts';
import { jsonOf } from '../support/clew.ts';
import { projectRoot } from '../support/paths.ts';
import { noSmallDisk } from '../support/small-disk.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { transcript } from '../support/transcript-builder.ts';
import { openWebServer } from '../support/web-server.ts';

const overlay = process.env.CLEW_OVERLAY;

const mount = `set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/lower" "$1/upper" "$1/work" "$1/root"
cp -a "$2/." "$1/lower"
mount -t tmpfs tmpfs "$1/upper"
mkdir "$1/upper/files" "$1/upper/work"
mount -t overlay overlay -o "xino=on,userxattr,lowerdir=$1/lower,upperdir=$1/upper/files,workdir=$1/upper/work" "$1/root"
shift 2
exec "$@"`;

/** Lines of the same length: only the inode shows that one file replaced the other. */
const texts = ['first lamp', 'other lamp'].map(
  (title) => (id: string) => transcript({ sessionId: id, cwd: '/p' }).user(title).assistant('lit').text(),
);
const ids = [1, 2, 3].map((digit) => `${digit}1111111-1111-4111-a111-111111111111`);
const [one = '', , three = ''] = ids;

if (overlay === undefined)
  test(
    'inode numbers above 2^63: the list, the search, the usage, the page and the watch',
    { skip: noSmallDisk },
    (context) => {
      const folder = temporaryFolder(context);
      const [first, other] = texts;
      const files = Object.fromEntries(ids.map((id) => [`root/projects/-p/${id}.jsonl`, first?.(id) ?? '']));
      writeTree(folder, { ...files, 'root/spare/1': other?.(one) ?? '' });
      for (const name of Object.keys(files)) utimesSync(path.join(folder, name), 1_700_000_000, 1_700_000_000);
      mkdirSync(path.join(folder, 'mounted'));
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      const inside = ['-c', mount, 'sh', path.join(folder, 'mounted'), path.join(folder, 'root')];
      const program = [process.execPath, '--test', '--test-reporter=spec', fileURLToPath(import.meta.url)];
      const { status, stdout, stderr } = spawnSync('unshare', ['-rm', 'sh', ...inside, ...program], {
        encoding: 'utf8',
        env: { ...env, CLEW_OVERLAY: path.join(folder, 'mounted/root') },
      });
      assert.deepEqual([status, stderr], [0, ''], stdout);
      assert.match(stdout, /ℹ pass 4\n/);
    },
  );
else {
  const fileOf = (id: string): string => path.join(overlay, `projects/-p/${id}.jsonl`);
  const listed = (root: string): unknown =>
    (jsonOf(['ls', '--json', '--root', root]) as unknown as readonly Readonly<Record<string, unknown>>[])
      .map(({ sessionId, title, turns, entries }) => [sessionId, title, turns, entries])
      .sort();
  const hits = (root: string): readonly unknown[] =>
    (
      jsonOf(['find', 'lamp', '--json', '--root', root]) as { readonly hits: readonly { readonly sessionId: string }[] }
    ).hits
      .map(({ sessionId }) => sessionId)
      .sort();
  const usage = (root: string): unknown => jsonOf(['usage', '--json', '--root', root]);

  test('the inodes are what this is about', () => {
    const exact = ids.map((id) => statSync(fileOf(id), { bigint: true }).ino);
    const rounded = ids.map((id) => statSync(fileOf(id)).ino);
    assert.deepEqual([new Set(exact).size, new Set(rounded).size], [3, 1]);
    for (const ino of exact) assert.ok(BigInt.asUintN(64, ino) > 2n ** 63n, String(ino));
  });

  test('a copy on another file system has the same list, hits and usage, and the index is current afterwards', (context) => {
    const copy = temporaryFolder(context);
    cpSync(overlay, copy, { recursive: true, preserveTimestamps: true });
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(listed(overlay), listed(copy));
      assert.deepEqual(usage(overlay), usage(copy));
      const found = hits(overlay);
      assert.deepEqual(found, hits(copy));
      assert.deepEqual(found, ids);
    }
    const database = openIndex({ folder: temporaryFolder(context) });
    context.after(() => database.close());
    assert.equal(updateRows(database, { roots: [overlay] }).filesRead, 3);
    const again = updateRows(database, { roots: [overlay] });
    assert.deepEqual([again.files, again.filesRead, again.bytesRead], [3, 0, 0]);
  });

  test('a file that another one replaces is read again, although its size, its time and its rounded inode are the same', () => {
    const title = (): unknown => (listed(overlay) as readonly (readonly unknown[])[]).find(([id]) => id === one)?.[1];
    assert.equal(title(), 'first lamp');
    const before = statSync(fileOf(one));
    const spare = path.join(overlay, 'spare/1');
    utimesSync(spare, 1_700_000_000, 1_700_000_000);
    renameSync(spare, fileOf(one));
    const { ino, size, mtimeMs } = statSync(fileOf(one));
    assert.deepEqual([ino, size, mtimeMs], [before.ino, before.size, before.mtimeMs]);
    assert.equal(title(), 'other lamp');
  });

  test('the page has the sessions, and sees what is added', async (context) => {
    const server = await openWebServer(
      context,
      {},
      { roots: [overlay], pageFolder: path.join(projectRoot, 'dist/page') },
    );
    await server.isCurrent();
    const rows = async () => (await readJson(server.client.sessions.$get({ query: {} }))).rows;
    assert.deepEqual((await rows()).map(({ key }) => key).sort(), ids);
    const before = (await rows()).find(({ key }) => key === three)?.turns;
    appendFileSync(
      fileOf(three),
      transcript({ sessionId: three, cwd: '/p' }).user('a second lamp', { uuid: 'later', parentUuid: 'a1' }).text(),
    );
    for (let tries = 0; (await rows()).find(({ key }) => key === three)?.turns === before; tries++) {
      assert.ok(tries < 1500, 'the page never showed the new line');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.deepEqual(server.faults, []);
  });
}
