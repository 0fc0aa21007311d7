// SESSION by `last` and by words of a title: what is found, what is ambiguous, and what commands that change a session take.
import assert from 'node:assert/strict';
import { existsSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Run, runClew } from '../../support/clew.ts';
import { assistant, sessionText, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const ids = {
  parser: '3f2b8c1e-0000-4000-a000-000000000001',
  parser2: '4f2b8c1e-0000-4000-a000-000000000002',
  slug: '5f2b8c1e-0000-4000-a000-000000000003',
  hex: '6f2b8c1e-0000-4000-a000-000000000004',
} as const;

const titles: Readonly<Record<keyof typeof ids, string>> = {
  parser: 'Fix the parser',
  parser2: 'Fix the parser of dates',
  slug: 'Ümlauts in slugify',
  hex: 'what 4f2b8c1e did',
};

function library(context: TestContext) {
  const folder = temporaryFolder(context);
  const root = path.join(folder, 'root');
  for (const [i, name] of (Object.keys(ids) as (keyof typeof ids)[]).entries()) {
    const cwd = name === 'slug' ? '/w/slugs/deep' : '/w/parsers';
    const id = ids[name];
    const file = `projects/${cwd.replaceAll('/', '-')}/${id}.jsonl`;
    const common = { sessionId: id, cwd };
    const lines = sessionText([user('hello', common), assistant('hi', common)]);
    writeTree(root, {
      [file]: `${lines}${JSON.stringify({ type: 'custom-title', customTitle: titles[name], sessionId: id })}\n`,
    });
    const time = new Date(Date.UTC(2026, 2, 1 + i));
    utimesSync(path.join(root, file), time, time);
  }
  const env = { CLEW_HOME: path.join(folder, 'state'), CLEW_ROOTS: root };
  const run = (...args: readonly string[]): Run => runClew(args, { env });
  const fileOf = (name: keyof typeof ids): string =>
    path.join(root, 'projects', name === 'slug' ? '-w-slugs-deep' : '-w-parsers', `${ids[name]}.jsonl`);
  return { env, root, run, fileOf };
}

test('words of a title name a session, and stderr says which', (context) => {
  const { run } = library(context);
  const cases: readonly (readonly [string, keyof typeof ids])[] = [
    ['fix the parser', 'parser'], // the whole title, though another one contains it
    ['dates', 'parser2'],
    ['PARSER dates', 'parser2'],
    ['u\u0308mlauts', 'slug'], // stored in another form
    ['4f2b8c1e', 'parser2'], // an id wins over a title
  ];
  for (const [word, name] of cases) {
    const { status, stdout, stderr } = run('cat', word);
    assert.deepEqual([word, status, stdout.includes(ids[name])], [word, 0, true]);
    const isId = /^\w{8}$/.test(word) && word === '4f2b8c1e';
    assert.equal(stderr, isId ? '' : `clew: "${word}" is session ${ids[name]}: ${titles[name]}\n`);
  }
});

test('words that fit several sessions, or none, are an error in one line', (context) => {
  const { run, root } = library(context);
  assert.equal(
    run('show', 'parser').stderr,
    'clew: "parser" fits 2 sessions: 3f2b8c1e (Fix the parser), 4f2b8c1e (Fix the parser of dates); give more of the title, or the id\n',
  );
  const below = `below ${path.join(root, 'projects')}; run \`clew ls\` to list the sessions\n`;
  assert.equal(run('show', 'nowhere').stderr, `clew: no session "nowhere" ${below}`);
  assert.equal(run('show', 'abcd1234').stderr, `clew: no session "abcd1234" ${below}`);
  assert.equal(run('show', 'nowhere').status, 2);
});

test('last is the newest session of this folder, or of all', (context) => {
  const { env, run } = library(context);
  const last = (cwd: string): string => runClew(['cat', 'last'], { env, cwd, isAlone: true }).stderr;
  // None of the folders exists here.
  assert.equal(
    last(temporaryFolder(context)),
    `clew: "last" is session ${ids.hex}: the newest of all, because this folder has none\n`,
  );
  assert.equal(run('cat', 'last').status, 0);
});

test('a command that changes a session takes an id; words only with a question, and never with --yes', (context) => {
  const { run, fileOf } = library(context);
  const refused = (...args: readonly string[]): void => {
    const { status, stderr } = run(...args);
    assert.equal(status, 3, args.join(' '));
    assert.equal(
      stderr,
      `clew: "Fix the parser" is session ${ids.parser}: Fix the parser; to change a session without a question, name it by its id\n`,
    );
  };
  refused('rm', 'Fix the parser', '--yes');
  refused('rm', 'Fix the parser');
  refused('strip', 'Fix the parser', '--tools', '--in-place');
  refused('doctor', 'Fix the parser', '--fix', '--yes');
  assert.equal(run('rm', 'last', '--yes').status, 3);
  // A part of a title is not enough, even if it fits one session only.
  assert.deepEqual(
    [run('rm', 'dates', '--yes').status, run('rm', 'dates', '--yes').stderr],
    [2, 'clew: no session has exactly the title "dates"; to change a session, give its id or its whole title\n'],
  );
  for (const name of Object.keys(ids) as (keyof typeof ids)[]) assert.ok(existsSync(fileOf(name)), name);
  // Looking is harmless, and a fork changes nothing.
  assert.equal(run('rm', 'Fix the parser', '--dry-run').status, 0);
  assert.equal(run('fork', 'dates', '--dry-run').status, 0);
});
