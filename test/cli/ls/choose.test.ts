// Which sessions `clew ls` lists, in which order, and how they are grouped: one library with known facts.
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { copyOf, id, Root, talk } from '../../library/lineage/lineage-tree.ts';
import { jsonOf, runClew } from '../../support/clew.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { text, transcript } from '../../support/transcript-builder.ts';

const root = new Root(temporaryFolder({ after }));

before(() => {
  const link = (number: number, repository = 'ada/light'): object => ({
    prNumber: number,
    prUrl: `https://github.com/${repository}/pull/${number}`,
    prRepository: repository,
  });
  const add = (
    name: string,
    options: { at: string; prompts: number; cwd?: string; branch?: string; size?: number },
    more: readonly (readonly [string, object])[] = [],
  ): void => {
    const { at, prompts, cwd = '/home/ada/light', branch, size = 0 } = options;
    const builder = transcript({ sessionId: id(name, 1), cwd, gitBranch: branch });
    const time = (i: number): string => new Date(Date.parse(at) + i * 1000).toISOString();
    for (let i = 0; i < prompts; i++) {
      builder.user(i === 0 ? `title of ${name}` : 'more', { uuid: `${name}-u${i}`, timestamp: time(i) });
      const message = { id: `msg_${name}_${i}`, usage: { input_tokens: 1000 * size, output_tokens: 1 } };
      builder.assistant([text('x'.repeat(size * 1000))], { uuid: `${name}-a${i}`, timestamp: time(i), message });
    }
    for (const [type, fields] of more) builder.aside(type, { ...fields });
    root.add(id(name, 1), builder);
    utimesSync(root.fileOf(id(name, 1)), new Date(at), new Date(at));
  };
  add('a', { at: '2026-03-01T10:00:00Z', prompts: 1, branch: 'main', size: 9 }, [['pr-link', link(7)]]);
  add('b', { at: '2026-03-02T10:00:00Z', prompts: 3, branch: 'feature/lamp', size: 1 }, [
    ['tag', { tag: 'review' }],
    ['pr-link', link(12)],
  ]);
  add('c', { at: '2026-03-03T10:00:00Z', prompts: 2, branch: 'main', cwd: '/work/light-lamp' }, [
    [
      'worktree-state',
      {
        worktreeSession: {
          originalCwd: '/home/ada/light',
          worktreePath: '/work/light-lamp',
          worktreeBranch: 'worktree-lamp',
        },
      },
    ],
    ['pr-link', link(12, 'kim/boat')],
  ]);
  add('d', {
    at: '2026-03-04T10:00:00Z',
    prompts: 1,
    cwd: '/home/ada/light/.claude/worktrees/oil',
    branch: 'oil',
    size: 4,
  });
  add('e', { at: '2026-03-05T10:00:00Z', prompts: 1, cwd: '/home/kim/boat' });
});

/** The first letters of the listed ids. */
function listed(...flags: readonly string[]): string {
  const rows = jsonOf(['ls', '--json', '--root', root.folder, ...flags]) as unknown as { sessionId: string }[];
  return rows.map(({ sessionId }) => sessionId.slice(0, 1)).join('');
}

const choices: readonly (readonly [flags: string, expected: string])[] = [
  ['', 'edcba'],
  ['--branch main', 'ca'],
  ['--branch feature/*', 'b'],
  ['--branch worktree-lamp', 'c'],
  ['--branch feature', ''],
  ['--pr 7', 'a'],
  ['--pr 12', 'cb'],
  ['--pr #12', 'cb'],
  ['--pr ada/light#12', 'b'],
  ['--pr https://github.com/kim/boat/pull/12', 'c'],
  ['--pr https://github.com/kim/boat/pull/12/files?w=1', 'c'],
  ['--since 2026-03-03', 'edc'],
  ['--until 2026-03-02', 'ba'],
  ['--since 2026-03-02 --until 2026-03-03', 'cb'],
  ['--limit 2', 'ed'],
  ['--sort created --limit 1', 'e'],
  ['--sort size', 'abdce'],
  ['--sort turns', 'bceda'],
  ['--sort cost', 'adbce'],
  ['--sort title', 'abcde'],
  ['--tag review --branch feature/lamp --pr 12', 'b'],
  ['--tag review --branch main', ''],
  // A worktree belongs to its repository, wherever it is.
  ['--project /home/ada/light', 'dcba'],
  ['--project ada', 'dcba'],
  ['--project light-lamp', 'c'],
  ['--project boat --limit 5', 'e'],
];

test('filters, orders and the limit combine', () => {
  for (const [flags, expected] of choices) {
    const args = flags.split(' ').filter((each) => each !== '');
    assert.equal(listed(...args), expected, flags);
  }
});

test('bad values are refused in one line', () => {
  for (const [flags, said] of [
    [
      ['--pr', 'twelve'],
      /^clew: --pr does not understand "twelve"; use a number \(12\), owner\/name#12 or the address\n$/,
    ],
    [
      ['--sort', 'colour'],
      /^clew: --sort does not understand "colour"; use updated, created, size, turns, cost, title\n$/,
    ],
    [['--limit', '0'], /^clew: --limit does not understand "0"; use a number from 1\n$/],
    [['--since', 'soon'], /^clew: --since does not understand "soon"; /],
    [['--branch', ' '], /^clew: --branch is empty; /],
  ] as const) {
    const { status, stderr } = runClew(['ls', '--root', root.folder, ...flags]);
    assert.equal(status, 2);
    assert.match(stderr, said);
  }
});

test('the table names worktrees by their repository, and says what a limit leaves out', () => {
  const { stdout } = runClew(['ls', '--root', root.folder, '--limit', '3']);
  assert.match(stdout, /title of d +…?\S*light ⎇ oil +1/);
  assert.match(stdout, /title of c +…?\S*light ⎇ light-lamp +2/);
  assert.match(stdout, /\n3 sessions of 5 in 1 folder; /);
});

test('--tree groups worktrees with their repository, and lists a fork below its origin', (context) => {
  const tree = new Root(temporaryFolder(context));
  const first = talk(id('a', 1), ['begin'], { cwd: '/home/ada/light' });
  tree.add(id('a', 1), first);
  tree.add(id('f', 2), copyOf(first, id('f', 2), { forkedFrom: { sessionId: id('a', 1) } }, ['fork']));
  tree.add(id('b', 1), talk(id('b', 1), ['in a worktree'], { cwd: '/home/ada/light/.worktrees/oil' }));
  tree.add(id('c', 1), talk(id('c', 1), ['boat'], { cwd: '/home/kim/boat' }));
  const { stdout } = runClew(['ls', '--root', tree.folder, '--tree']);
  const lines = stdout.split('\n').map((line) => line.replace(/^ *\d+ mo +| {2,}.*$/g, '').trim());
  assert.deepEqual(lines.slice(1, 9), [
    '',
    '/home/kim/boat · 1 session',
    'boat',
    '',
    '/home/ada/light · 3 sessions',
    'in a worktree',
    'begin',
    '└ begin',
  ]);
  assert.match(stdout, /└ begin +fork of a0000000/);
});
