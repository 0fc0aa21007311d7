// `--project` means the same sessions in every command: those whose lines name the folder, one below it, or a folder with
// the word in its path.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { asObject, isArray, type JsonValue, parseJson } from '../../src/base/json/json.ts';
import { runClew } from '../support/clew.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { answerLine } from '../support/usage-library.ts';

/** Every slug but the last is one that the client makes of the folder. */
const sessions = {
  japan: { slug: '-w----lamp', cwd: '/w/日本/lamp' },
  china: { slug: '-w----lamp', cwd: '/w/中国/lamp' },
  parent: { slug: '-w-parent', cwd: '/w/parent' },
  child: { slug: '-w-parent-child', cwd: '/w/parent/child' },
  other: { slug: '-w-parent-two', cwd: '/w/parent-two' },
  accent: { slug: '-w-cafe-', cwd: '/w/cafe\u0301' },
  silent: { slug: '-w-silent', cwd: undefined },
} as const;

const wanted: readonly (readonly [string, readonly string[]])[] = [
  ['日本', ['japan']],
  ['/w/日本/lamp', ['japan']],
  ['LAMP', ['china', 'japan']],
  ['/w/parent', ['child', 'parent']],
  ['/w/parent/', ['child', 'parent']],
  ['/w/parent/child', ['child']],
  ['parent', ['child', 'other', 'parent']],
  ['caf\u00e9', ['accent']],
  ['silent', ['silent']],
  ['/w/silent', ['silent']],
  ['w/silent', ['silent']],
  ['-w-parent-two', ['other']],
  ['/w', ['accent', 'child', 'china', 'japan', 'other', 'parent']],
  ['nowhere', []],
];

for (const [command, ids] of Object.entries({
  ls: (run: Run, project: string) => idsIn(run('ls', '--project', project)),
  find: (run: Run, project: string) => idsIn(asObject(run('find', 'x', '--limit', '100', '--project', project))?.hits),
  usage: (run: Run, project: string) => idsIn(asObject(run('usage', 'session', '--project', project))?.rows, 'key'),
  archive: (run: Run, project: string) =>
    idsIn(asObject(run('archive', '--dry-run', '--project', project))?.sessions ?? []),
  'archive --list': (run: Run, project: string) => idsIn(run('archive', '--list', '--project', project)),
}))
  test(`clew ${command} --project selects by the folder that the lines name`, (context) => {
    const run = library(context);
    if (command === 'archive --list') run('archive');
    assert.deepEqual(
      wanted.map(([project]) => [project, ids(run, project)]),
      wanted.map(([project, names]) => [project, names]),
    );
  });

test('stats counts the sessions that ls lists', (context) => {
  const run = library(context);
  assert.deepEqual(
    wanted.map(([project]) => asObject(run('stats', '--project', project))?.sessions),
    wanted.map(([, names]) => names.length),
  );
});

test('archive --project takes a session of which only sub-agents are left by the folder of their lines', (context) => {
  const folder = temporaryFolder(context);
  const agent = `${lineOf('agent', '/w/日本/lamp')}\n`;
  writeTree(folder, { 'projects/-w----lamp/gone/subagents/agent-a1.jsonl': agent });
  const env = { CLEW_HOME: path.join(folder, 'state') };
  const archived = ['日本', '中国'].map((project) => {
    const { stdout } = runClew(['archive', '--dry-run', '--project', project, '--json', '--root', folder], { env });
    return stdout === '' ? [] : idsIn(asObject(parseJson(stdout))?.sessions);
  });
  assert.deepEqual(archived, [['gone'], []]);
});

test('an empty --project is refused instead of selecting everything', (context) => {
  const root = temporaryFolder(context);
  for (const command of ['ls', 'usage', 'stats', 'archive'])
    assert.deepEqual(runClew([command, '--project', '', '--root', root]), {
      status: 2,
      stdout: '',
      stderr: 'clew: --project is empty; give a folder, or a part of its path\n',
    });
});

type Run = (...args: string[]) => JsonValue;

function library(context: TestContext): Run {
  const folder = temporaryFolder(context);
  const root = path.join(folder, 'claude');
  for (const [name, { slug, cwd }] of Object.entries(sessions))
    writeTree(root, {
      [`projects/${slug}/${name}.jsonl`]: `${lineOf(name, cwd)}\n`,
    });
  const env = { CLEW_HOME: path.join(folder, 'state') };
  return (...args) => {
    const { status, stdout, stderr } = runClew([...args, '--json', '--root', root], { env });
    // `find` ends with 1 where it finds nothing; `archive` then says so on stderr only.
    assert.ok(status === 0 || (status === 1 && args[0] === 'find'), stderr);
    return parseJson(stdout) ?? {};
  };
}

function idsIn(value: JsonValue | undefined, key = 'sessionId'): readonly string[] {
  assert.ok(isArray(value));
  return [...new Set(value.map((row) => String(asObject(row)?.[key])))].sort();
}

function lineOf(name: string, cwd: string | undefined): string {
  const line = answerLine({ id: name, sessionId: name, cwd: cwd ?? 'none' });
  return cwd === undefined ? line.replace('"cwd":"none",', '') : line;
}
