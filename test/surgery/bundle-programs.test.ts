// Copies of files that programs run or obey, in bundles and imports: what is left out, what stays, what --all-files asks, and
// which containers are refused before anything is unpacked. Random combinations are in hostile-import.test.ts.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import type { JsonObject } from '../../src/base/json/json.ts';
import { isOddName, isOutside, whyActive } from '../../src/surgery/bundle/names.ts';
import { extractBundle } from '../../src/surgery/bundle/read.ts';
import { jsonOf, type Run, runClew } from '../support/clew.ts';
import { refusalOf } from '../support/refusal.ts';
import { type Bench, benchWith, contentsOf, entriesOf } from '../support/surgery-kit.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';

const copy = '0123456789abcdef@v1';

test('names of programs, settings and instructions are known in every form, and names of sources are not', () => {
  const forms: Readonly<Record<string, string>> = {
    hidden:
      '.git/hooks/x .GIT/config a/.claude/settings.json .mcp.json .vscode/tasks.json .husky/x .bashrc .zshenv .envrc .npmrc .gitconfig .ssh/config .github/workflows/a.yml a\\.git\\x \uff0egit/x .unknown-tool/x',
    instructions: 'CLAUDE.md claude.MD CLAUDE.local.md a/b/AGENTS.md GEMINI.md SKILL.md \uff23LAUDE.md',
    repository: 'a/HEAD a/config',
    build: 'package.json Makefile a/conftest.py setup.py Dockerfile build.gradle.kts x.csproj requirements-dev.txt',
    settings: 'vite.config.ts jest.setup.js a.code-workspace desktop.ini settings.json',
    program: 'git.exe a.bat x.PS1 a.lnk a.desktop lib.\u017fo libx.so.1 a.jar',
    package: 'node_modules/a/index.js a/site-packages/x.py',
    short: 'GIT~1/config CLAUDE~1.MD',
  };
  for (const [kind, names] of Object.entries(forms))
    for (const name of names.split(' ')) assert.match(whyActive(name) ?? '', new RegExp(kind), name);
  for (const name of [
    'a//b',
    './a',
    'a/.',
    'a.',
    'a ',
    'CLAUDE.md.',
    'a:b',
    'x::$DATA',
    'nul',
    '.g\u200cit/x',
    'a\u0000',
    '\ud800',
  ])
    assert.ok(isOddName(name), name);
  for (const name of ['/etc/x', '../x', 'a/../b', '~/x', 'C:x', '\\\\host\\x']) assert.ok(isOutside(name), name);
  for (const name of [
    'src/a.ts',
    'README.md',
    'lib/index.js',
    'docs/config.md',
    'app/main.py',
    'a/b.css',
    'tests/a.test.ts',
  ])
    assert.deepEqual([whyActive(name), isOddName(name), isOutside(name)], [undefined, false, false], name);
});

test('a bundle leaves out copies of programs and deletions, in the lines and in its files, and lists them', (context) => {
  const bench = benchWithCopies(context, { 'src/a.ts': copy, '.git/hooks/pre-commit': 'aaaa@v1', 'made.txt': null });
  const file = path.join(path.dirname(bench.root), 'a.clew');
  const outcome = bundle(bench, file) as JsonObject;
  assert.deepEqual(outcome.leftOut, [
    { file: '.git/hooks/pre-commit', reason: 'hidden, like settings and hooks', allFilesIncludes: true },
    { file: 'made.txt', reason: 'a rewind would delete it', allFilesIncludes: true },
  ]);
  const place = importInto(context, bench, file);
  assert.deepEqual(place.reach, {
    rewind: [{ sessionId, path: path.join(place.work, 'src/a.ts'), action: 'create', risk: null }],
    leftOut: [],
    named: [],
  });
  assert.deepEqual(trackedIn(place.transcript), { 'src/a.ts': copy });
});

test('an import does not trust the writer, and --all-files asks first', (context) => {
  const names = { 'src/a.ts': copy, '.git/hooks/pre-commit': 'aaaa@v1', 'CLAUDE.md': 'aaaa@v1', 'made.txt': null };
  const bench = benchWithCopies(context, { ...names, 'docs/x': copy, 'lost.ts': 'bbbb@v1' });
  const file = path.join(path.dirname(bench.root), 'a.clew');
  assert.equal((bundle(bench, file, '--all-files') as { leftOut: unknown[] }).leftOut.length, 1);
  const place = importInto(context, bench, file);
  assert.deepEqual(trackedIn(place.transcript), { 'src/a.ts': copy });
  assert.deepEqual(readdirSync(path.join(place.root, 'file-history', sessionId)), [copy]);
  const { leftOut } = place.reach as { leftOut: readonly { file: string; allFilesIncludes: boolean }[] };
  assert.deepEqual(
    leftOut.map(({ file: name, allFilesIncludes }) => [name, allFilesIncludes]),
    [
      ['.git/hooks/pre-commit', true],
      ['CLAUDE.md', true],
      ['made.txt', true],
      ['docs/x', false],
    ],
  );
  const before = [...contentsOf(place.root).keys()];
  const asked = place.run('--all-files');
  assert.deepEqual([asked.status, asked.stdout], [3, '']);
  assert.match(asked.stderr, /^clew: confirmation required: add `--yes`; use `--dry-run` to look first\n$/);
  assert.deepEqual([...contentsOf(place.root).keys()], before);
  const shown = place.run('--all-files', '--dry-run').stdout;
  assert.match(shown, /create \S+\/\.git\/hooks\/pre-commit \(hidden, like settings and hooks\)\n/);
  assert.match(shown, /delete \S+\/made\.txt \(a rewind would delete it\)\n/);
  assert.equal(place.run('--all-files', '--yes').status, 0);
  const [second = ''] = [...contentsOf(place.root).keys()].filter(
    (name) => !before.includes(name) && name.endsWith('.jsonl'),
  );
  assert.deepEqual(trackedIn(path.join(place.root, second)), names);
});

test('settings, commands and paths of the writer are shown, and its settings are left out', (context) => {
  const { bench, file } = bundleOf(
    context,
    transcript({ cwd: '/home/kim/project' })
      .user('one', { toolUseResult: { persistedOutputPath: '/var/out.txt' } })
      .assistant('two', { cwd: '/srv/other' })
      .attachment('hook_success', [], { attachment: { type: 'hook_success', command: 'lint --fix' } })
      .aside('permission-mode', { permissionMode: 'bypassPermissions' })
      .aside('worktree-state', { worktreeSession: { worktreePath: '/home/kim/.claude/worktrees/a' } }),
  );
  const place = importInto(context, bench, file);
  const { named } = place.reach as { named: readonly JsonObject[] };
  assert.deepEqual(
    named.map(({ kind, line, value }) => [kind, line, value]),
    [
      ['output', 1, '/var/out.txt'],
      ['outside', 1, '/var/out.txt'],
      ['outside', 2, '/srv/other'],
      ['command', 3, 'lint --fix'],
      ['setting', 4, 'permission-mode bypassPermissions'],
      ['setting', 5, 'worktree-state /home/kim/.claude/worktrees/a'],
    ],
  );
  const types = entriesOf(place.transcript).map(({ type }) => type);
  assert.deepEqual(types, ['user', 'assistant', 'attachment']);
});

test('a member that is in a line twice, and bytes that are not records, do not get through', (context) => {
  const tracked = { '.git/config': { backupFileName: copy } };
  const hidden = JSON.stringify({ type: 'file-history-snapshot', snapshot: { trackedFileBackups: tracked } });
  const base = transcript().user('one').assistant('two').text();
  const twice = rawBundle(context, `${base}${hidden.replace(/\}$/, ',"type":"summary"}')}\n`);
  const refused = twice.run();
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /: line 3 of \S+ has a member twice; /);
  const torn = rawBundle(context, `${base}garbage ${hidden.slice(0, -2)}\n`);
  const outcome = JSON.parse(torn.run('--json').stdout) as { to: { path: string }; notes: readonly string[] };
  assert.equal(entriesOf(outcome.to.path).length, 2);
  assert.ok(!readFileSync(outcome.to.path, 'utf8').includes('.git'));
  assert.ok(outcome.notes.includes('left out: bytes that are not records, in 1 place'), String(outcome.notes));
});

test('data after the end, and thousands of tiny files, are refused before anything is written', async (context) => {
  const folder = temporaryFolder(context);
  const content = Buffer.from(transcript().user('one').text());
  const main = described(`${sessionId}.jsonl`, content);
  const tiny = described('', Buffer.from('x'));
  const many = Array.from({ length: 50_000 }, (_, i) => ({ ...tiny, name: `${sessionId}/tool-results/${i}.txt` }));
  const sound = packed([main], content);
  const cases: readonly [Buffer, RegExp][] = [
    [packed([main, ...many], content, Buffer.alloc(50_000, 'x')), /it has 50001 files, more than 10000; /],
    [packed([main, { ...tiny, name: `${sessionId}/x`, sizeBytes: 5e9 }], content), /it unpacks to more than /],
    ...['\0', '\n', 'more', 'x'.repeat(100_000)].map((tail): [Buffer, RegExp] => [
      Buffer.concat([sound, Buffer.from(tail)]),
      /more data follows its end; /,
    ]),
    [Buffer.concat([sound, sound.subarray(sound.indexOf('\n') + 1)]), /more data follows its end; /],
  ];
  for (const [i, [bytes, expected]] of cases.entries()) {
    const file = path.join(folder, `${i}.clew`);
    writeFileSync(file, bytes);
    const target = path.join(folder, `unpacked-${i}`);
    assert.match((await refusalOf(extractBundle(file, target)))?.message ?? '', expected);
    // A tail is seen only at the end; the rest before the first file.
    if (i < 2) assert.ok(!existsSync(target), String(i));
  }
});

function benchWithCopies(context: TestContext, names: Readonly<Record<string, string | null>>): Bench {
  const tracked = Object.entries(names).map(([name, backupFileName]) => [name, { backupFileName, version: 1 }]);
  const snapshot = { messageId: 'u1', trackedFileBackups: Object.fromEntries(tracked) };
  const text = transcript({ cwd: '/home/kim/project' })
    .user('one')
    .assistant('two')
    .aside('file-history-snapshot', { messageId: 'u1', snapshot })
    .text();
  const bench = benchWith(context, sessionId, text);
  writeTree(bench.root, { [`file-history/${sessionId}/${copy}`]: 'old', [`file-history/${sessionId}/aaaa@v1`]: 'bad' });
  return bench;
}

function bundle(bench: Bench, file: string, ...words: readonly string[]): unknown {
  const env = { CLEW_HOME: bench.env.CLEW_HOME };
  return jsonOf(['bundle', bench.main, '-o', file, '--json', '--root', bench.root, ...words], { env });
}

function bundleOf(context: TestContext, lines: ReturnType<typeof transcript>): { bench: Bench; file: string } {
  const bench = benchWith(context, sessionId, lines.text());
  const file = path.join(path.dirname(bench.root), 'a.clew');
  bundle(bench, file);
  return { bench, file };
}

interface Imported {
  readonly root: string;
  readonly work: string;
  readonly transcript: string;
  readonly reach: unknown;
  run(...words: readonly string[]): Run;
}

/** Into a project in which `docs` is a link to `.git`. */
function importInto(context: TestContext, bench: Bench, file: string): Imported {
  const folder = temporaryFolder(context);
  const [root, work] = [path.join(folder, 'root'), path.join(folder, 'work')];
  mkdirSync(root);
  mkdirSync(path.join(work, '.git'), { recursive: true });
  symlinkSync('.git', path.join(work, 'docs'));
  const env = { CLEW_HOME: bench.env.CLEW_HOME, HOME: '/home/eve' };
  const run = (...words: readonly string[]): Run =>
    runClew(['import', file, '--root', root, ...words], { env, cwd: work });
  const { status, stdout, stderr } = run('--json');
  assert.equal(status, 0, stderr);
  const { to, reach } = JSON.parse(stdout) as { to: { path: string }; reach: unknown };
  return { root, work, transcript: to.path, reach, run };
}

/** A bundle with exactly these bytes as its transcript. */
function rawBundle(context: TestContext, text: string): Pick<Imported, 'run'> {
  const folder = temporaryFolder(context);
  const content = Buffer.from(text);
  writeFileSync(path.join(folder, 'a.clew'), packed([described(`${sessionId}.jsonl`, content)], content));
  const env = { CLEW_HOME: path.join(folder, 'state'), HOME: '/home/eve' };
  mkdirSync(path.join(folder, 'root'));
  mkdirSync(path.join(folder, 'work'));
  const args = ['import', path.join(folder, 'a.clew'), '--root', path.join(folder, 'root')];
  return { run: (...words) => runClew([...args, ...words], { env, cwd: path.join(folder, 'work') }) };
}

function trackedIn(file: string): Readonly<Record<string, unknown>> {
  const entry = entriesOf(file).find(({ type }) => type === 'file-history-snapshot') ?? {};
  const { trackedFileBackups } = entry.snapshot as { trackedFileBackups: Record<string, JsonObject> };
  return Object.fromEntries(Object.entries(trackedFileBackups).map(([name, kept]) => [name, kept.backupFileName]));
}

function described(name: string, content: Buffer): JsonObject {
  return { name, sizeBytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}

function packed(files: readonly JsonObject[], ...contents: readonly Buffer[]): Buffer {
  const manifest = { version: 1, redacted: true, sessions: [{ sessionId, paths: 'unix', files }] };
  const plain = Buffer.concat([Buffer.from(`${JSON.stringify(manifest)}\n`), ...contents]);
  return Buffer.concat([Buffer.from('CLEW-BUNDLE 1 brotli\n'), brotliCompressSync(plain)]);
}
