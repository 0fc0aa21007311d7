// clew ls: which sessions, in which order, in which form; and that nothing in a root can stop it.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { jsonOf, runClew } from '../../support/clew.ts';
import { giveToOrdinaryUser, ordinaryUser } from '../../support/ordinary-user.ts';
import { projectRoot } from '../../support/paths.ts';
import { assistant, sessionText, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const ids = {
  harbour: '11111111-aaaa-4000-8000-000000000001',
  lamp: '11111111-aaaa-4000-8000-000000000002',
  soup: '22222222-bbbb-4000-8000-000000000003',
};

/** Three sessions in two folders; in the order of their last use: lamp, soup, harbour. */
function library(root: string): void {
  const talk = (prompt: string, cwd: string, startMinute: number) =>
    sessionText([user(prompt), assistant('Done.')], { cwd, startMinute });
  writeTree(root, {
    [`projects/-home-kim-light/${ids.harbour}.jsonl`]: talk('paint the harbour', '/home/kim/light', 0),
    [`projects/-home-kim-light/${ids.lamp}.jsonl`]: talk('light the lamp', '/home/kim/light', 20),
    [`projects/-home-kim-soup/${ids.soup}.jsonl`]: talk('cook the soup', '/home/kim/soup', 10),
  });
}

function titles(args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd?: string): unknown[] {
  const options = cwd === undefined ? { env } : { env, cwd };
  return (jsonOf(['ls', '--json', ...args], options) as readonly JsonObject[]).map((row) => row.title);
}

test('sessions come newest first, by what their lines say and not by the time of the file', (context) => {
  const root = temporaryFolder(context);
  library(root);
  utimesSync(path.join(root, `projects/-home-kim-light/${ids.harbour}.jsonl`), 4e9, 4e9);
  assert.deepEqual(titles(['--root', root]), ['light the lamp', 'cook the soup', 'paint the harbour']);
});

test('a session without dates is sorted by the time of its file', (context) => {
  const root = temporaryFolder(context);
  library(root);
  const undated = path.join(root, 'projects/-home-kim-soup/undated.jsonl');
  writeTree(root, {
    'projects/-home-kim-soup/undated.jsonl': '{"type":"user","uuid":"u","message":{"role":"user","content":"when"}}\n',
  });
  utimesSync(undated, 4e9, 4e9);
  assert.equal(titles(['--root', root])[0], 'when');
  utimesSync(undated, 1e9, 1e9);
  assert.equal(titles(['--root', root])[3], 'when');
});

test('--json prints all facts of a session', (context) => {
  const root = temporaryFolder(context);
  const file = path.join(root, `projects/-home-kim-light/${ids.lamp}.jsonl`);
  const pull = { type: 'pr-link', prNumber: 7, prUrl: 'https://example.invalid/7', prRepository: 'kim/light' };
  const entered = { originalCwd: '/home/kim/light', worktreePath: '/home/kim/trees/wick' };
  const text = sessionText(
    [
      user('light the lamp'),
      assistant('Done.', { message: { model: 'claude-opus-4-5-20251101' } }),
      user('and now?', { gitBranch: 'wick' }),
      pull,
      { type: 'worktree-state', worktreeSession: entered },
    ],
    { cwd: '/home/kim/light' },
  );
  writeTree(root, { [path.relative(root, file)]: `${text}{"type":"user"` });
  assert.deepEqual(jsonOf(['ls', '--json', '--root', root]), [
    {
      sessionId: ids.lamp,
      path: file,
      project: '-home-kim-light',
      cwd: '/home/kim/light',
      title: 'light the lamp',
      startedAt: '2026-03-01T10:00:00.000Z',
      endedAt: '2026-03-01T10:00:04.000Z',
      entries: 5,
      turns: 2,
      agents: 0,
      sizeBytes: Buffer.byteLength(text) + 14,
      diagnostics: 1,
      tag: null,
      gitBranch: 'wick',
      model: 'claude-opus-4-5-20251101',
      worktree: { path: '/home/kim/trees/wick', repository: '/home/kim/light', branch: null },
      pullRequests: [{ url: 'https://example.invalid/7', number: 7, repository: 'kim/light' }],
      repository: null,
      lineage: null,
      relations: [],
      health: null,
      unread: null,
    },
  ]);
});

test('the root is --root, else CLEW_ROOTS, else CLAUDE_CONFIG_DIR, else ~/.claude', (context) => {
  const base = temporaryFolder(context);
  const place = (name: string): string => {
    const folder = path.join(base, name);
    writeTree(folder, { 'projects/-p/s.jsonl': sessionText([user(name)]) });
    return folder;
  };
  const env = { CLEW_ROOTS: place('roots'), CLAUDE_CONFIG_DIR: place('config'), HOME: base };
  place('.claude');
  assert.deepEqual(titles(['--root', place('named')], env), ['named']);
  assert.deepEqual(titles([], env), ['roots']);
  assert.deepEqual(titles([], { ...env, CLEW_ROOTS: '' }), ['config']);
  assert.deepEqual(titles([], { HOME: base }), ['.claude']);
  assert.deepEqual(titles([], { CLEW_ROOTS: `${env.CLEW_ROOTS}${path.delimiter}${env.CLAUDE_CONFIG_DIR}` }).sort(), [
    'config',
    'roots',
  ]);
  assert.deepEqual(titles(['--root', env.CLEW_ROOTS, '--root', path.join(base, 'named')]).sort(), ['named', 'roots']);
  assert.deepEqual(titles(['--root', 'named'], {}, base), ['named']);
});

test('--project takes a path, a part of one, or the name of a project folder', (context) => {
  const root = temporaryFolder(context);
  library(root);
  const of = (project: string, cwd?: string) =>
    titles(['--root', root, '--project', project], { HOME: '/home/kim' }, cwd);
  assert.deepEqual(of('/home/kim/soup'), ['cook the soup']);
  assert.deepEqual(of('~/soup'), ['cook the soup']);
  assert.deepEqual(of('LIGHT'), ['light the lamp', 'paint the harbour']);
  assert.deepEqual(of('-home-kim-soup'), ['cook the soup']);
  assert.deepEqual(of('/home/kim').length, 3);
  assert.deepEqual(of('.', root), []);
});

test('a project in the current folder is found by a dot', (context) => {
  const folder = temporaryFolder(context);
  const root = path.join(folder, 'root');
  writeTree(root, { 'projects/-x/s.jsonl': sessionText([user('here')], { cwd: folder }) });
  assert.deepEqual(titles(['--root', root, '--project', '.'], {}, folder), ['here']);
});

test('where no session is of the project, it says so', (context) => {
  const root = temporaryFolder(context);
  library(root);
  assert.deepEqual(runClew(['ls', '--root', root, '--project', 'moon']), {
    status: 0,
    stdout: '',
    stderr: `clew: no session for --project moon below ${root}; \`clew ls\` shows all\n`,
  });
});

test('an empty root is not an error, and a root that is not there is one', (context) => {
  const root = temporaryFolder(context);
  assert.deepEqual(runClew(['ls', '--root', root]), {
    status: 0,
    stdout: '',
    stderr: `clew: no sessions below ${root}; \`clew ls --demo\` shows the bundled ones\n`,
  });
  assert.deepEqual(runClew(['ls', '--json', '--root', root]), { status: 0, stdout: '[]\n', stderr: '' });
  const missing = path.join(root, 'missing');
  assert.deepEqual(runClew(['ls', '--root', missing]), {
    status: 2,
    stdout: '',
    stderr: `clew: there is no folder ${missing}; give one with sessions, such as ~/.claude\n`,
  });
  assert.equal(runClew(['ls', '--json'], { env: { CLEW_ROOTS: missing } }).stdout, '[]\n');
});

test('broken files do not stop it: each is a row, or one line on stderr', (context) => {
  const root = temporaryFolder(context);
  library(root);
  const folder = path.join(root, 'projects/-home-kim-soup');
  const qwen = '{"type":"user","uuid":"a","message":{"role":"user","parts":[{"text":"hi"}]}}\n';
  writeTree(folder, {
    'empty.jsonl': '',
    'binary.jsonl': Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 256)),
    'torn.jsonl': sessionText([user('torn one'), assistant('Yes.')]).slice(0, -60),
    'notes.jsonl': '{"type":"summary","summary":"s","leafUuid":"x"}\n',
    'qwen.jsonl': qwen,
    'readme.txt': 'not a session',
  });
  mkdirSync(path.join(folder, 'folder.jsonl'));
  symlinkSync('nowhere', path.join(folder, 'dangling.jsonl'));
  const { status, stdout, stderr } = runClew(['ls', '--root', root]);
  assert.deepEqual(
    [status, stderr],
    [0, `clew: skipped ${path.join(folder, 'qwen.jsonl')}: it is not a Claude Code transcript\n`],
  );
  const rows = stdout.split('\n');
  assert.match(rows[0] ?? '', /^ +AGE +TITLE +FOLDER +TURNS +SIZE +ID +DAMAGE$/);
  assert.match(stdout, /\(empty file\) .* 0 B +empty$/m);
  assert.match(stdout, /torn one .* torn +! 1$/m);
  assert.match(stdout, /\(no conversation\) .* notes$/m);
  assert.match(stdout, /\(no conversation\) .* binary +! \d+$/m);
  assert.match(stdout, /^7 sessions in 2 folders; `clew show ID` reads one$/m);
});

test('a file or folder that may not be read is named, and the others are listed', (context) => {
  const root = temporaryFolder(context);
  library(root);
  const secret = path.join(root, 'projects/-home-kim-soup', `${ids.soup}.jsonl`);
  chmodSync(secret, 0o000);
  const state = path.join(root, 'state');
  mkdirSync(state);
  giveToOrdinaryUser(root);
  const run = runClew(['ls', '--root', root], { env: { CLEW_HOME: state }, ...ordinaryUser });
  assert.deepEqual([run.status, run.stderr], [1, `clew: cannot read ${secret} (EACCES); check the permissions\n`]);
  assert.match(run.stdout, /light the lamp/);
  assert.match(run.stdout, /^2 sessions in 1 folder;/m);
});

test('--ids prints whole ids only, for completion', (context) => {
  const root = temporaryFolder(context);
  library(root);
  const list = (...args: string[]) => runClew(['ls', '--ids', '--root', root, ...args]).stdout;
  assert.equal(list(), `${ids.harbour}\n${ids.lamp}\n${ids.soup}\n`);
  assert.equal(list('--project', 'soup'), `${ids.soup}\n`);
});

test('ids are shown as short as they can be and still name one session', (context) => {
  const root = temporaryFolder(context);
  library(root);
  const { stdout } = runClew(['ls', '--root', root], { env: { COLUMNS: '120' } });
  const shown = stdout
    .split('\n')
    .slice(1, 4)
    .map((line) => line.split(/ +/).at(-1) ?? '');
  assert.deepEqual(shown, [ids.lamp, '22222222', ids.harbour]);
  for (const id of shown) assert.equal(runClew(['show', id, '--root', root]).status, 0);
});

test('--demo lists the bundled sessions and says how to read one', () => {
  const { status, stdout, stderr } = runClew(['ls', '--demo']);
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /^5 sessions in 2 folders; `clew show --demo ID` reads one$/m);
  const rows = jsonOf(['ls', '--demo', '--json']) as readonly JsonObject[];
  assert.ok(rows.every((row) => String(row.path).startsWith(path.join(projectRoot, 'demo/projects'))));
  const id = String(rows[0]?.sessionId).slice(0, 8);
  for (const command of ['show', 'messages', 'cat']) assert.equal(runClew([command, '--demo', id]).status, 0);
});

test('--or-demo lists the bundled sessions only where there are no others', (context) => {
  const root = temporaryFolder(context);
  const none = runClew(['ls', '--or-demo', '--root', root]);
  assert.equal(none.stderr, 'clew: no sessions yet; showing the bundled demo sessions\n');
  assert.match(none.stdout, /^5 sessions in 2 folders; `clew show --demo ID` reads one$/m);
  library(root);
  const own = runClew(['ls', '--or-demo', '--root', root]);
  assert.deepEqual([own.stderr, /^3 sessions/m.test(own.stdout)], ['', true]);
});

test('a narrow terminal leaves out what matters least, never part of an id', (context) => {
  const root = temporaryFolder(context);
  library(root);
  const headers = [30, 50, 60, 80].map((columns) => {
    const [header = ''] = runClew(['ls', '--demo'], { env: { COLUMNS: String(columns) } }).stdout.split('\n');
    return header.trim().split(/ +/);
  });
  assert.deepEqual(headers, [
    ['AGE', 'TITLE', 'ID'],
    ['AGE', 'TITLE', 'TURNS', 'ID'],
    ['AGE', 'TITLE', 'TURNS', 'SIZE', 'ID'],
    ['AGE', 'TITLE', 'FOLDER', 'TURNS', 'SIZE', 'ID'],
  ]);
  assert.match(runClew(['ls', '--demo'], { env: { COLUMNS: '30' } }).stdout, / 8f1e8572$/m);
});

test('--expiring lists what Claude Code deletes within a week, with the days left', (context) => {
  const root = temporaryFolder(context);
  library(root);
  const age = (file: string, days: number) => {
    const seconds = Date.now() / 1000 - days * 86_400;
    utimesSync(path.join(root, 'projects', file), seconds, seconds);
  };
  age(`-home-kim-light/${ids.harbour}.jsonl`, 31.5);
  age(`-home-kim-light/${ids.lamp}.jsonl`, 26.5);
  const rows = jsonOf(['ls', '--expiring', '--json', '--root', root]) as readonly JsonObject[];
  assert.deepEqual(
    rows.map((row) => [row.title, row.daysLeft]),
    [
      ['paint the harbour', -2],
      ['light the lamp', 3],
    ],
  );
  const [all] = jsonOf(['ls', '--json', '--root', root]) as readonly JsonObject[];
  assert.deepEqual(Object.keys(rows[0] ?? {}), [...Object.keys(all ?? {}), 'expiresAt', 'daysLeft']);
  const { stdout } = runClew(['ls', '--expiring', '--root', root]);
  assert.match(stdout, /^LEFT +AGE +TITLE/);
  assert.match(stdout, /^ *due .* paint the harbour/m);
  assert.match(stdout, /^ *3 d .* light the lamp/m);
  assert.match(stdout, /^2 sessions that Claude Code will delete within a week, 1 of them at its next/m);
  writeTree(root, { 'settings.json': '{"cleanupPeriodDays": 365}' });
  assert.deepEqual(runClew(['ls', '--expiring', '--root', root]), {
    status: 0,
    stdout: '',
    stderr: 'clew: no session expires within 7 days\n',
  });
});
