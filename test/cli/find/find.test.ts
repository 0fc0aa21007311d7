import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { openDatabase } from '../../../src/library/index/database.ts';
import { jsonOf, type Run, runClew } from '../../support/clew.ts';
import { giveToOrdinaryUser, ordinaryUser } from '../../support/ordinary-user.ts';
import { projectRoot } from '../../support/paths.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { recordedFiles } from '../../support/transcripts.ts';

interface JsonHit {
  readonly sessionId: string;
  readonly path: string;
  readonly line: number;
  readonly uuid: string | null;
  readonly turn: number | null;
  readonly branch: number | null;
  readonly kind: string;
  readonly tool: string | null;
  readonly timestamp: string | null;
  readonly snippet: string;
}

interface Shown {
  readonly turns: readonly {
    readonly index: number;
    readonly messages: readonly { readonly uuids: readonly (string | null)[] }[];
    readonly toolCalls: readonly { readonly agentId: string | null }[];
  }[];
}

interface Setup {
  readonly root: string;
  readonly home: string;
  find(...args: string[]): Run;
  hits(...args: string[]): readonly JsonHit[];
}

function setUp(context: TestContext, sessions: Readonly<Record<string, string>> = {}): Setup {
  const folder = temporaryFolder(context);
  const [root, home] = [path.join(folder, 'root'), path.join(folder, 'home')];
  writeTree(root, Object.fromEntries(Object.entries(sessions).map(([name, text]) => [`projects/${name}.jsonl`, text])));
  const env = { CLEW_HOME: home };
  return {
    root,
    home,
    find: (...args) => runClew(['find', ...args, '--root', root], { env }),
    hits: (...args) => {
      const { status, stdout } = runClew(['find', ...args, '--json', '--root', root], { env });
      const { hits, total } = JSON.parse(stdout) as { hits: readonly JsonHit[]; total: number };
      assert.equal(status, total === 0 ? 1 : 0);
      return hits;
    },
  };
}

const lamp = sessionText([
  user('Why does the lamp flicker?'),
  assistant([toolUse('t1', 'Read', { file_path: '/src/lamp.ts' })]),
  user([toolResult('t1', 'trimWick()')]),
  assistant('The wick is wet.'),
  user('dry the wick then'),
  assistant('It is dry.'),
]);

test('a hit shows its place and the command that opens it', (context) => {
  const { find, hits, root } = setUp(context, { 'p/3f2b8c1e-aaaa': lamp });
  assert.deepEqual(hits('"dry the wick"'), [
    {
      sessionId: '3f2b8c1e-aaaa',
      path: path.join(root, 'projects/p/3f2b8c1e-aaaa.jsonl'),
      line: 5,
      uuid: '00000000-0000-4000-8000-000000000005',
      turn: 2,
      branch: null,
      kind: 'prompt',
      tool: null,
      timestamp: '2026-03-01T10:00:04.000Z',
      snippet: 'dry the wick then',
      words: null,
      tag: null,
      lineage: null,
      isDeleted: false,
    },
  ]);
  const { status, stdout, stderr } = find('trimwick');
  assert.deepEqual([status, stderr], [0, '']);
  assert.deepEqual(stdout.split('\n').slice(1), [
    '  output Read · 2026-03-01 10:00',
    '    trimWick()',
    `    clew show 3f2b8c1e --turn 1 --full --root ${root}`,
    '',
    '1 match in 1 session',
    '',
  ]);
});

test('the turn of a hit is the turn that `clew show --json` has its line in', (context) => {
  const { root, home } = setUp(context);
  const files = [...largest(recordedFiles(), 24), ...demoFiles()];
  for (const [i, file] of files.entries()) {
    mkdirSync(path.join(root, `projects/p${i}`), { recursive: true });
    copyFileSync(file, path.join(root, `projects/p${i}/${path.basename(file)}`));
  }
  const env = { CLEW_HOME: home };
  const found = jsonOf(['find', '--regex', '.', '--limit', '100000', '--json', '--root', root], { env });
  const { hits } = found as unknown as { hits: readonly JsonHit[] };
  const shown = new Map<string, Shown>();
  let checked = 0;
  for (const { path: file, turn, branch, uuid, kind } of hits) {
    if (uuid === null || !['prompt', 'answer', 'thinking', 'tool-output'].includes(kind)) continue;
    const key = `${file} ${branch}`;
    const args = ['show', file, '--json', ...(branch === null ? [] : ['--branch', String(branch)])];
    const session = shown.get(key) ?? (jsonOf(args) as unknown as Shown);
    shown.set(key, session);
    const holding = session.turns.filter((each) => each.messages.some((message) => message.uuids.includes(uuid)));
    if (holding.length === 0) continue;
    assert.ok(
      holding.some((each) => each.index === turn),
      `${file} ${uuid}: turn ${turn}`,
    );
    checked++;
  }
  assert.ok(checked > 100, `${checked} hits were checked`);
});

function largest(files: readonly string[], count: number): string[] {
  return [...files].sort((a, b) => statSync(b).size - statSync(a).size).slice(0, count);
}

function demoFiles(): string[] {
  return ['463b11e7-f2cd-4a8c-b793-f776502024ef', 'b8f420a0-23ef-4b16-9f83-eae59b2fc4a3'].map((id) =>
    path.join(projectRoot, `demo/projects/-home-ada-lighthouse/${id}.jsonl`),
  );
}

test('a hit in a sub-agent is shown under the call that started it', (context) => {
  const { home } = setUp(context);
  const env = { CLEW_HOME: home };
  const found = jsonOf(['find', '--regex', '.', '--limit', '1000', '--json', '--demo'], { env });
  const { hits } = found as unknown as { hits: readonly JsonHit[] };
  const inAgent = hits.filter((hit) => hit.path.includes('agent-a3a21efcc710fcd87'));
  const { turns } = jsonOf(['show', '463b11e7', '--json', '--demo']) as unknown as Shown;
  const started = turns.find((turn) => turn.toolCalls.some((call) => call.agentId === 'a3a21efcc710fcd87'));
  assert.ok(inAgent.length > 3);
  assert.deepEqual([...new Set(inAgent.map((hit) => hit.turn))], [started?.index]);
});

test('a hit on a branch that was left names the branch', (context) => {
  const ask = (uuid: string, parentUuid: string | null, text: string) => user(text, { uuid, parentUuid });
  const reply = (uuid: string, parentUuid: string, text: string) => assistant(text, { uuid, parentUuid });
  const text = sessionText([
    ask('u1', null, 'begin'),
    reply('a1', 'u1', 'begun'),
    ask('u2', 'a1', 'the old way'),
    reply('a2', 'u2', 'an abandoned thought'),
    ask('u3', 'a1', 'the new way'),
    reply('a3', 'u3', 'done'),
  ]);
  const { find, hits } = setUp(context, { 'p/branched': text });
  assert.deepEqual(
    hits('abandoned').map(({ uuid, turn, branch }) => [uuid, turn, branch]),
    [['a2', 1, 2]],
  );
  assert.match(find('abandoned').stdout, /clew show branched --branch 2 --turn 1 /);
});

test('hostile text is neutralised, and escaped in JSON', (context) => {
  const hostile = 'lamp \x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b1m \u202egnp.exe\r over';
  const { find } = setUp(context, { 'p/\x1b[31mevil': sessionText([user(hostile)]) });
  for (const args of [['lamp'], ['lamp', '--json'], ['--exact', '\x1b[31m'], ['owned\x1b[2J\x1b[31mnothing']]) {
    const { status, stdout, stderr } = find(...args);
    assert.equal(status, args[0]?.endsWith('nothing') === true ? 1 : 0);
    assert.doesNotMatch(stdout + stderr, /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/, args.join(' '));
  }
});

test('words, --exact, --regex and -i differ as the help says', (context) => {
  const { hits } = setUp(context, { 'p/s': lamp });
  const lines = (...args: string[]): number[] =>
    hits(...args)
      .map((hit) => hit.line)
      .sort();
  assert.deepEqual(lines('WICK'), [4, 5]);
  assert.deepEqual(lines('the', 'wick'), [4, 5]);
  assert.deepEqual(lines('wick -dry'), [4]);
  assert.deepEqual(lines('--exact', 'rimW'), [3]);
  assert.deepEqual(lines('--exact', 'RIMw'), []);
  assert.deepEqual(lines('--exact', 'RIMw', '-i'), [3]);
  assert.deepEqual(lines('--regex', 'w.ck is'), [4]);
  assert.deepEqual(lines('--regex', '^IT', '-i'), [6]);
  assert.deepEqual(lines('wick', '--role', 'user'), [5]);
  assert.deepEqual(lines('lamp*', '--tool', 'read'), [2]);
  assert.deepEqual(lines('flicker', '--file', 'lamp.ts'), [1]);
  assert.deepEqual(lines('flicker', '--since', '2026-03-02'), []);
  assert.deepEqual(lines('flicker', '--until', '2026-03-01'), [1]);
  assert.deepEqual(lines('flicker', '--project', 'kim'), [1]);
  assert.deepEqual(lines('flicker', '--session', 's'), [1]);
});

test('a wrong call says what is wrong in one line', (context) => {
  const { find } = setUp(context, { 'p/s': lamp });
  const cases: readonly (readonly [string, ...string[]])[] = [
    ['find needs a QUERY'],
    ['--exact and --regex exclude each other; give one of them', 'x', '--exact', '--regex'],
    ['there is no role "tool"; use user or assistant', 'x', '--role', 'tool'],
    ['--limit does not understand "none"; give a number from 1 on', 'x', '--limit', 'none'],
    ['--since does not understand "2026-02-31"; use a day', 'x', '--since', '2026-02-31'],
    ['the query has no word in it; use --exact to look for punctuation', '=>'],
    ['"[" is not a regular expression', '--regex', '['],
    ['no session "zzz"', 'x', '--session', 'zzz'],
  ];
  for (const [message, ...args] of cases) {
    const { status, stdout, stderr } = find(...args);
    assert.deepEqual([status, stdout, stderr.split('\n').length], [2, '', 2], message);
    assert.ok(stderr.startsWith(`clew: ${message}`), stderr);
  }
});

test('the exit code is 1 where nothing is found, as that of grep, also with --json', (context) => {
  const { find } = setUp(context, { 'p/s': lamp });
  assert.deepEqual(find('zeppelin'), {
    status: 1,
    stdout: '',
    stderr: 'clew: nothing found for zeppelin; try beginnings*, or --exact for parts of words\n',
  });
  const { status, stdout } = find('zeppelin', '--json');
  assert.deepEqual([status, JSON.parse(stdout)], [1, { hits: [], total: 0, unread: [] }]);
  assert.deepEqual([find('--exact', 'zeppelin').status, find('--regex', 'z.ppelin').status], [1, 1]);
  assert.equal(find('wick').status, 0);
});

test('clew index says what it read, and nothing when nothing changed', (context) => {
  const { root, home } = setUp(context, { 'p/s': lamp });
  const index = () => jsonOf(['index', '--json', '--root', root], { env: { CLEW_HOME: home } });
  const size = statSync(path.join(root, 'projects/p/s.jsonl')).size;
  const first = index() as { rowsWritten: number };
  assert.deepEqual(first, {
    files: 1,
    filesRead: 1,
    bytesRead: size,
    rowsWritten: first.rowsWritten,
    textBytes: size,
    unread: [],
  });
  assert.deepEqual(index(), { files: 1, filesRead: 0, bytesRead: 0, rowsWritten: 0, textBytes: 0, unread: [] });
});

test('a damaged index is rebuilt, with a notice', (context) => {
  const { root, home } = setUp(context, { 'p/s': lamp });
  const find = (word: string): Run =>
    runClew(['find', word, '--root', root], { env: { CLEW_HOME: home }, isAlone: true });
  const expected = find('wick').stdout;
  const file = path.join(home, 'index.db');
  const damages = [
    () => writeFileSync(file, 'not a database at all, but long enough to be one'.repeat(100)),
    () => {
      const bytes = readFileSync(file);
      bytes.fill(0x5a, 4096);
      writeFileSync(file, bytes);
    },
  ];
  for (const damage of damages) {
    damage();
    assert.deepEqual(find('wick'), {
      status: 0,
      stdout: expected,
      stderr: 'clew: the index was damaged; rebuilding the index\n',
    });
    assert.deepEqual(find('wick'), { status: 0, stdout: expected, stderr: '' });
  }
});

test('an index of a newer Clew is left alone', (context) => {
  const { find, home } = setUp(context, { 'p/s': lamp });
  find('wick');
  const database = openDatabase(path.join(home, 'index.db'));
  database.exec('PRAGMA user_version = 999');
  database.close();
  assert.deepEqual(find('wick'), {
    status: 2,
    stdout: '',
    stderr: `clew: ${path.join(home, 'index.db')} was written by a newer Clew; update Clew, or set CLEW_HOME to another folder\n`,
  });
});

test('a state folder that cannot be written is named', (context) => {
  const { root, home } = setUp(context, { 'p/s': lamp });
  mkdirSync(home);
  chmodSync(home, 0o555);
  giveToOrdinaryUser(path.dirname(root));
  const denied = runClew(['find', 'wick', '--root', root], { env: { CLEW_HOME: home }, ...ordinaryUser });
  assert.deepEqual(denied, {
    status: 2,
    stdout: '',
    stderr: `clew: the index cannot be written: ${path.join(home, 'index.db')}; set CLEW_HOME to a folder you may write to\n`,
  });
});

test('a transcript that cannot be read is named, and the others are searched', (context) => {
  const { root, home } = setUp(context, { 'p/s': lamp, 'p/secret': lamp });
  mkdirSync(home);
  const secret = path.join(root, 'projects/p/secret.jsonl');
  chmodSync(secret, 0o000);
  giveToOrdinaryUser(path.dirname(root));
  const { status, stdout, stderr } = runClew(['find', 'flicker', '--json', '--root', root], {
    env: { CLEW_HOME: home },
    ...ordinaryUser,
  });
  const { hits } = JSON.parse(stdout) as { hits: readonly JsonHit[] };
  assert.deepEqual(
    [status, stderr, hits.map((hit) => hit.sessionId)],
    [1, `clew: cannot read ${secret} (EACCES); check the permissions\n`, ['s']],
  );
});
