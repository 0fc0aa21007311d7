import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { archiveSessions } from '../../../src/library/archive/archive.ts';
import { readContents } from '../../../src/library/archive/pack/contents.ts';
import { restoreSession } from '../../../src/library/archive/restore.ts';
import { setWholeTimes, snapshot } from '../../support/archive-kit.ts';
import { refusalOf } from '../../support/refusal.ts';
import { sessionText, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const id = '11111111-1111-4111-8111-111111111111';
const similar = '11111111-1111-4111-8111-222222222222';

test('a session goes back to where it was, its main transcript last', async (t) => {
  const { folder, projects, main } = await archived(t);
  const before = snapshot(projects);
  rmSync(path.join(projects, '-p'), { recursive: true });
  const restored = await restoreSession(id.slice(0, 30), { folder });
  assert.deepEqual(
    [restored.path, restored.files.map((file) => [path.relative(projects, file.path), file.outcome])],
    [
      main,
      [
        [`-p/${id}/tool-results/a.txt`, 'restored'],
        [`-p/${id}.jsonl`, 'restored'],
      ],
    ],
  );
  before.delete(`-p/${similar}.jsonl`);
  assert.equal(before.size, 2);
  assert.deepEqual(new Map([...snapshot(projects)].sort()), new Map([...before].sort()));
  assert.equal(statSync(main).mode & 0o777, 0o640);
});

test('a session goes to another root, whether that names a config folder or a projects folder', async (t) => {
  const { temp, folder } = await archived(t);
  const to = path.join(temp, 'other');
  assert.equal((await restoreSession(id, { folder, to })).path, path.join(to, 'projects/-p', `${id}.jsonl`));
  const copy = path.join(temp, 'copy');
  mkdirSync(path.join(copy, 'projects'), { recursive: true });
  const restored = await restoreSession(id, { folder, to: path.join(copy, 'projects') });
  assert.equal(restored.path, path.join(copy, 'projects/-p', `${id}.jsonl`));
});

test('an existing file with the same bytes is not touched', async (t) => {
  const { folder, main } = await archived(t);
  utimesSync(main, 5, 5);
  const { files } = await restoreSession(id, { folder });
  assert.deepEqual([files.map((file) => file.outcome), statSync(main).mtimeMs], [['present', 'present'], 5000]);
});

test('a file with other content is refused before anything is written, or kept as a backup where forced', async (t) => {
  const { temp, folder, projects, main } = await archived(t);
  const archivedText = readFileSync(main, 'utf8');
  appendFileSync(main, 'newer\n');
  rmSync(path.join(projects, '-p', id), { recursive: true });
  assert.deepEqual(await refusalOf(restoreSession(id, { folder })), {
    message: `${main} is there already and differs from the archived one; nothing was restored; add --force to replace it (it is kept as a backup), or --to another folder`,
    exitCode: 3,
  });
  assert.deepEqual(readdirSync(path.join(projects, '-p')).sort(), [`${id}.jsonl`, `${similar}.jsonl`]);
  const { files } = await restoreSession(id, { folder, isForced: true });
  const backup = files.find((file) => file.path === main)?.backup ?? '';
  assert.deepEqual(
    [files.map((file) => file.outcome), readFileSync(main, 'utf8'), readFileSync(backup, 'utf8')],
    [['restored', 'replaced'], archivedText, `${archivedText}newer\n`],
  );
  assert.ok(backup.startsWith(path.join(temp, 'backups')));
});

test('each copy of a session can be restored', async (t) => {
  const { temp, folder, main } = await archived(t);
  const first = readFileSync(main, 'utf8');
  appendFileSync(main, 'second\n');
  await archiveSessions([{ path: main }], { folder });
  const restore = async (version: number | undefined): Promise<string> => {
    const to = path.join(temp, `copy-${version}`);
    return readFileSync((await restoreSession(id, { folder, to, ...(version ? { version } : {}) })).path, 'utf8');
  };
  assert.deepEqual(
    [await restore(1), await restore(2), await restore(undefined)],
    [first, `${first}second\n`, `${first}second\n`],
  );
  assert.equal(
    (await refusalOf(restoreSession(id, { folder, version: 3 })))?.message,
    `there is no version 3 of session ${id} in the archive; there are 2; 1 is the oldest`,
  );
});

test('an argument that fits none or several is refused; a path selects between copies of different folders', async (t) => {
  const { temp, folder, projects, main } = await archived(t);
  const refusal = async (argument: string): Promise<string | undefined> =>
    (await refusalOf(restoreSession(argument, { folder })))?.message;
  assert.equal(
    await refusal('99'),
    `no session "99" in the archive ${folder}; run \`clew archive --list\` to list the archived sessions`,
  );
  assert.match((await refusal('')) ?? '', /^no session "" in the archive/);
  assert.equal(await refusal('1111'), `"1111" fits 2 archived sessions: ${id}, ${similar}; give more of the id`);
  const moved = path.join(projects, '-moved');
  mkdirSync(moved);
  renameSync(main, path.join(moved, `${id}.jsonl`));
  appendFileSync(path.join(moved, `${id}.jsonl`), 'more\n');
  await archiveSessions([{ path: path.join(moved, `${id}.jsonl`) }], { folder });
  assert.match((await refusal(id)) ?? '', /^session 1111\S+ was archived from \S+ and \S+; give the path$/);
  const to = path.join(temp, 'to');
  assert.equal((await restoreSession(main, { folder, to })).path, path.join(to, 'projects/-p', `${id}.jsonl`));
});

test('a damaged copy is not put in place', async (t) => {
  const { temp, folder } = await archived(t);
  const [block] = readContents(folder).blocks;
  assert.ok(block !== undefined);
  const bytes = readFileSync(block.pack);
  const at = block.bodyOffset + block.header.bodyBytes - 10;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(block.pack, bytes);
  const to = path.join(temp, 'to');
  const refusal = await refusalOf(restoreSession(id, { folder, to }));
  assert.match(
    refusal?.message ?? '',
    /^the archived copy of \S+ of session 1111\S+ cannot be read: the block of chunk 0 /,
  );
  assert.equal(refusal?.exitCode, 1);
  assert.ok(!existsSync(to));
});

test('a dry run says the same and writes nothing', async (t) => {
  const { temp, folder } = await archived(t);
  const to = path.join(temp, 'to');
  const { files } = await restoreSession(id, { folder, to, isDryRun: true });
  assert.deepEqual(
    [files.map((file) => file.outcome), readdirSync(temp).includes('to')],
    [['restored', 'restored'], false],
  );
});

async function archived(t: TestContext): Promise<{ temp: string; folder: string; projects: string; main: string }> {
  const temp = temporaryFolder(t);
  const projects = path.join(temp, 'projects');
  writeTree(projects, {
    [`-p/${id}.jsonl`]: sessionText([user('hello')], { sessionId: id }),
    [`-p/${id}/tool-results/a.txt`]: 'out',
    [`-p/${similar}.jsonl`]: '',
  });
  const main = path.join(projects, '-p', `${id}.jsonl`);
  chmodSync(main, 0o640);
  setWholeTimes(projects);
  const folder = path.join(temp, 'archive');
  await archiveSessions([{ path: main }, { path: path.join(projects, '-p', `${similar}.jsonl`) }], { folder });
  return { temp, folder, projects, main };
}
