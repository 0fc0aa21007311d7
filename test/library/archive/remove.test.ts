import assert from 'node:assert/strict';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { archiveSessions } from '../../../src/library/archive/archive.ts';
import { readContents } from '../../../src/library/archive/pack/contents.ts';
import { isEmptySession, removeSession } from '../../../src/library/archive/remove.ts';
import { restoreSession } from '../../../src/library/archive/restore.ts';
import { setWholeTimes, snapshot } from '../../support/archive-kit.ts';
import { refusalOf } from '../../support/refusal.ts';
import { assistant, sessionText, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const id = '11111111-1111-4111-8111-111111111111';

test('a session is deleted with its side files and agents, no others, and can be restored', async (t) => {
  const { folder, projects, main } = library(t);
  const before = snapshot(projects);
  const removed = await removeSession(main, { folder });
  assert.deepEqual(
    [removed.files.map((file) => path.relative(projects, file)), removed.isArchived],
    [[`-p/${id}.jsonl`, `-p/${id}/subagents/agent-b.jsonl`, `-p/${id}/tool-results/a.txt`, '-p/agent-a.jsonl'], true],
  );
  assert.deepEqual(readdirSync(path.join(projects, '-p')), ['agent-other.jsonl', 'other.jsonl']);
  await restoreSession(id, { folder });
  assert.deepEqual(snapshot(projects), before);
});

test('where no copy is wanted, none is made', async (t) => {
  const { folder, projects, main } = library(t);
  assert.equal((await removeSession(main, { folder, withoutArchive: true })).isArchived, false);
  assert.deepEqual(readdirSync(path.join(projects, '-p')), ['agent-other.jsonl', 'other.jsonl']);
  assert.deepEqual(readContents(folder).packs, []);
});

test('a session whose archived copy cannot be read back is not deleted', async (t) => {
  const { folder, projects, main } = library(t);
  const before = snapshot(projects);
  await archiveSessions([{ path: main }], { folder });
  const [block] = readContents(folder).blocks;
  assert.ok(block !== undefined);
  const bytes = readFileSync(block.pack);
  bytes[block.bodyOffset + block.header.bodyBytes - 10] = 0;
  writeFileSync(block.pack, bytes);
  assert.deepEqual(await refusalOf(removeSession(main, { folder })), {
    message: `the archived copy of ${main} cannot be read back; nothing was deleted; run \`clew archive --verify\``,
    exitCode: 1,
  });
  assert.deepEqual(snapshot(projects), before);
});

test('a file that was changed without a trace in its size and time is not deleted', async (t) => {
  const { folder, main } = library(t);
  await archiveSessions([{ path: main }], { folder });
  const text = readFileSync(main, 'utf8');
  writeFileSync(main, text.replace('hello', 'jello'));
  utimesSync(main, old, old);
  assert.deepEqual(await refusalOf(removeSession(main, { folder })), {
    message: `${main} is still being written to; nothing was deleted; run it again`,
    exitCode: 3,
  });
});

test('a session of a running client, or one just written to, is refused', async (t) => {
  const { temp, folder, main } = library(t);
  const session = path.join(temp, 'sessions', `${process.pid}.json`);
  writeTree(temp, { [`sessions/${process.pid}.json`]: JSON.stringify({ pid: process.pid, sessionId: id }) });
  const inUse = async (): Promise<string | undefined> => (await refusalOf(removeSession(main, { folder })))?.message;
  assert.equal(
    await inUse(),
    `session ${id} is in use: Claude Code runs it as process ${process.pid}; end it there and run it again`,
  );
  writeFileSync(session, JSON.stringify({ pid: process.pid, sessionId: 'another' }));
  utimesSync(main, new Date(), new Date());
  assert.match((await inUse()) ?? '', /is in use: it was written to \d+ s ago; end it there and run it again$/);
  utimesSync(main, old, old);
  assert.equal(await inUse(), undefined);
});

test('empty are files without bytes or with bookkeeping only, and without side files', async (t) => {
  const temp = temporaryFolder(t);
  const bookkeeping = sessionText([
    { type: 'summary', summary: 'x' },
    { type: 'custom-title', customTitle: 'y' },
  ]);
  writeTree(temp, {
    'p/zero.jsonl': '',
    'p/blank.jsonl': '\n \r\n',
    'p/bookkeeping.jsonl': bookkeeping,
    'p/prompt.jsonl': `${bookkeeping}${sessionText([user('hi')])}`,
    'p/answer.jsonl': sessionText([assistant('hi')]),
    'p/broken.jsonl': `${bookkeeping}{"type":"us`,
    'p/side.jsonl': '',
    'p/side/tool-results/a.txt': 'out',
  });
  const names = ['zero', 'blank', 'bookkeeping', 'prompt', 'answer', 'broken', 'side'];
  const empty = await Promise.all(names.map((name) => isEmptySession(path.join(temp, 'p', `${name}.jsonl`))));
  assert.deepEqual(
    names.filter((_, i) => empty[i]),
    ['zero', 'blank', 'bookkeeping'],
  );
});

const old = 1_700_000_000;

function library(t: TestContext): { temp: string; folder: string; projects: string; main: string } {
  const temp = temporaryFolder(t);
  const projects = path.join(temp, 'projects');
  const agent = (sessionId: string): string => sessionText([user('task')], { sessionId, isSidechain: true });
  writeTree(projects, {
    [`-p/${id}.jsonl`]: sessionText([user('hello')], { sessionId: id }),
    [`-p/${id}/tool-results/a.txt`]: 'out',
    [`-p/${id}/subagents/agent-b.jsonl`]: agent(id),
    '-p/agent-a.jsonl': agent(id),
    '-p/agent-other.jsonl': agent('other'),
    '-p/other.jsonl': '',
  });
  const main = path.join(projects, '-p', `${id}.jsonl`);
  setWholeTimes(projects);
  return { temp, folder: path.join(temp, 'archive'), projects, main };
}
