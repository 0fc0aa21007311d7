import assert from 'node:assert/strict';
import { statSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { discoverSessions, findSession } from '../../src/store/discover.ts';
import { corpusFolder } from '../support/corpus.ts';
import { refusalOf } from '../support/refusal.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

const first = 'aaaa1111-0000-4000-8000-000000000001';
const second = 'aaaa2222-0000-4000-8000-000000000002';
const third = 'bbbb3333-0000-4000-8000-000000000003';

test('every main transcript is found, and neither agents nor files of side folders', async (t) => {
  const root = temporaryFolder(t);
  writeTree(root, {
    'history.jsonl': '{}\n',
    'projects/stray.jsonl': '{}\n',
    [`projects/-p/${first}.jsonl`]: '{}\n',
    [`projects/-p/${first}/subagents/agent-a.jsonl`]: '{}\n',
    'projects/-p/agent-flat.jsonl': '{}\n',
    'projects/-p/sessions-index.json': '{}',
    'projects/-p/folder.jsonl/x': '',
    [`projects/-q/${second}.jsonl`]: '',
  });
  const found = (slug: string, sessionId: string, sizeBytes: number) => {
    const file = path.join(root, 'projects', slug, `${sessionId}.jsonl`);
    return { path: file, sessionId, slug, root, sizeBytes, mtimeMs: statSync(file).mtimeMs };
  };
  assert.deepEqual(await discoverSessions([root]), {
    sessions: [found('-p', first, 3), found('-q', second, 0)],
    problems: [],
  });
});

test('a session that links and several roots lead to is listed once, in its real folder', async (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { [`config/projects/-new/${first}.jsonl`]: '', [`away/${second}.jsonl`]: '' });
  const config = path.join(folder, 'config');
  symlinkSync('-new', path.join(config, 'projects/-a-former-name'));
  symlinkSync(path.join(folder, 'away'), path.join(config, 'projects/-z-away'));
  const { sessions, problems } = await discoverSessions([config, path.join(config, 'projects'), config]);
  assert.deepEqual(
    [sessions.map(({ slug, sessionId }) => [slug, sessionId]), problems],
    [
      [
        ['-new', first],
        ['-z-away', second],
      ],
      [],
    ],
  );
});

test('what cannot be read is reported and hides nothing else', async (t) => {
  const root = temporaryFolder(t);
  writeTree(root, { [`projects/-p/${first}.jsonl`]: '', 'a-file': '' });
  const at = (name: string): string => path.join(root, name);
  symlinkSync('-loop', at('projects/-loop'));
  symlinkSync('loop.jsonl', at('projects/-p/loop.jsonl'));
  const { sessions, problems } = await discoverSessions([at('missing'), at('a-file'), root]);
  assert.deepEqual(
    [sessions.map(({ sessionId }) => sessionId), problems],
    [
      [first],
      [
        { path: at('missing'), code: 'ENOENT' },
        { path: at('a-file'), code: 'ENOTDIR' },
        { path: at('projects/-loop'), code: 'ELOOP' },
        { path: at('projects/-p/loop.jsonl'), code: 'ELOOP' },
      ],
    ],
  );
});

test('a root without a projects folder is empty, not a problem', async (t) => {
  assert.deepEqual(await discoverSessions([temporaryFolder(t)]), { sessions: [], problems: [] });
});

test('a session is found by path, id, unique prefix in any case, and file name', async (t) => {
  const root = temporaryFolder(t);
  const transcript = (id: string): string => path.join(root, 'projects/-p', `${id}.jsonl`);
  writeTree(root, {
    [`projects/-p/${first}.jsonl`]: '',
    [`projects/-p/${second}.jsonl`]: '',
    [`projects/-p/${first}/custom-title.json`]: '{}',
    'elsewhere/copy.jsonl': '',
    'elsewhere/plain': '',
  });
  const elsewhere = path.join(root, 'elsewhere');
  const find = (argument: string, cwd: string = root): Promise<string> => findSession(argument, [root], cwd);
  assert.deepEqual(
    await Promise.all([
      find(first),
      find('AAAA1'),
      find(`${second}.jsonl`),
      find(transcript(first), '/'),
      find(`projects/-p/${second}.jsonl`),
      find('copy.jsonl', elsewhere),
      find('plain', elsewhere),
      find(first, path.join(root, 'projects/-p')),
    ]),
    [
      transcript(first),
      transcript(first),
      transcript(second),
      transcript(first),
      transcript(second),
      path.join(elsewhere, 'copy.jsonl'),
      path.join(elsewhere, 'plain'),
      transcript(first),
    ],
  );
});

test('an id that is also the beginning of another one names itself', async (t) => {
  const root = temporaryFolder(t);
  writeTree(root, { 'projects/-p/sess.jsonl': '', 'projects/-p/sess-2.jsonl': '' });
  assert.equal(await findSession('sess', [root], root), path.join(root, 'projects/-p/sess.jsonl'));
});

test('an argument that names no one session says what is wrong and what to do', async (t) => {
  const root = temporaryFolder(t);
  const projects = path.join(root, 'projects');
  writeTree(root, {
    [`projects/-p/${first}.jsonl`]: '',
    [`projects/-p/${first}/custom-title.json`]: '{}',
    'folder/x': '',
    ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`projects/-p/many-${n}.jsonl`, ''])),
  });
  symlinkSync('self.jsonl', path.join(root, 'self.jsonl'));
  const side = path.join(projects, '-p', first);
  const table = {
    '': 'the session argument is empty; run `clew ls` to list the sessions',
    nothing: `no session "nothing" below ${projects}; run \`clew ls\` to list the sessions`,
    'nothing.jsonl': `no session "nothing.jsonl" below ${projects}; run \`clew ls\` to list the sessions`,
    'no/such.jsonl': 'there is no file no/such.jsonl; run `clew ls` to list the sessions',
    many: '"many" fits 6 sessions: many-1, many-2, many-3, many-4, many-5 and 1 more; give more of the id',
    folder: 'folder is a folder; give a transcript (.jsonl) or a session id',
    './folder': './folder is a folder; give a transcript (.jsonl) or a session id',
    [side]: `${side} is a folder; give ${side}.jsonl`,
    './self.jsonl': './self.jsonl cannot be read (ELOOP); check the path and its permissions',
    '/dev/null': '/dev/null is not a regular file; give a transcript (.jsonl) or a session id',
  };
  const messages = await Promise.all(
    Object.keys(table).map(async (argument) => [argument, await refusal(findSession(argument, [root], root))]),
  );
  assert.deepEqual(Object.fromEntries(messages), table);
});

test('where folders could not be read, "not found" names them', async (t) => {
  const root = temporaryFolder(t);
  const missing = path.join(root, 'missing');
  assert.equal(
    await refusal(findSession('abc', [missing], root)),
    `no session "abc" below ${missing}/projects, but not all could be read: ${missing} (ENOENT); run \`clew ls\` to list the sessions`,
  );
});

test('of equal copies of a session the newest is taken, between different ones the user decides', async (t) => {
  const root = temporaryFolder(t);
  const copy = (slug: string, id: string): string => path.join(root, 'projects', slug, `${id}.jsonl`);
  writeTree(root, {
    [`projects/-old/${first}.jsonl`]: 'same\n',
    [`projects/-new/${first}.jsonl`]: 'same\n',
    [`projects/-old/${third}.jsonl`]: 'one\n',
    [`projects/-new/${third}.jsonl`]: 'two\n',
  });
  for (const id of [first, third]) {
    utimesSync(copy('-old', id), 1000, 1000);
    utimesSync(copy('-new', id), 2000, 2000);
  }
  assert.equal(await findSession(first, [root], root), copy('-new', first));
  assert.equal(
    await refusal(findSession('bbbb', [root], root)),
    `session ${third} is there 2 times, and they differ: ${copy('-new', third)} and ${copy('-old', third)}; give the path`,
  );
});

test('each scenario of the real corpus is a root', async () => {
  const scenario = path.join(corpusFolder, 'corpus/real/2.0.50/agent');
  const { sessions, problems } = await discoverSessions([scenario]);
  assert.deepEqual([sessions.map(({ slug }) => slug), problems], [['-home-dev-widgets'], []]);
});

async function refusal(promise: Promise<unknown>): Promise<string | undefined> {
  return (await refusalOf(promise))?.message;
}
