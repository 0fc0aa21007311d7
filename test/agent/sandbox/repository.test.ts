// git works in a project below the top of its repository and in a worktree, and a `.git` file opens no other repository.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeSandbox } from '../../../src/agent/sandbox/sandbox.ts';
import { startShell } from '../../../src/agent/tools/shell/shell.ts';
import { makeBench, mechanism, type Ran, skip } from './sandbox-kit.ts';

function git(folder: string, ...args: string[]): void {
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  execFileSync('git', ['-C', folder, ...author, ...args], { stdio: 'ignore' });
}

/** A repository at `base` with a project in it, another worktree of it, and a repository of another author. */
function makeRepositories(context: TestContext, files: Readonly<Record<string, string>> = {}) {
  const bench = makeBench(context, { 'project/a.txt': 'one\n', 'other/secret.txt': 'OTHER-SECRET\n', ...files });
  rmSync(path.join(bench.base, 'home/.claude'), { recursive: true });
  writeFileSync(path.join(bench.base, '.gitignore'), 'home\nother\nworktree\noutside\n');
  git(bench.base, 'init', '-q');
  git(bench.base, 'add', '.');
  git(bench.base, 'commit', '-q', '-m', 'first commit');
  const worktree = path.join(bench.base, 'worktree');
  git(bench.base, 'worktree', 'add', '-q', worktree);
  const other = path.join(bench.base, 'other');
  git(other, 'init', '-q');
  git(other, 'add', '.');
  git(other, 'commit', '-q', '-m', 'another author');
  return { ...bench, worktree, other };
}

async function run(bench: ReturnType<typeof makeRepositories>, project: string, command: string): Promise<Ran> {
  // The home folder must not be below the repository: nothing around the project is shown then.
  const home = path.join(path.dirname(bench.base), 'nobody');
  const { judge } = bench;
  const sandbox = makeSandbox({
    projectDir: project,
    extraDirs: [],
    home,
    root: home,
    policy: judge.policy,
    mechanism,
  });
  const launch = sandbox.launch('read-only', { cwd: project, env: process.env, sessionDir: home });
  const pieces: Buffer[] = [];
  const shell = startShell(command, { cwd: project, launch, onOutput: (bytes) => void pieces.push(bytes) });
  const { code } = await shell.exited;
  shell.kill();
  await shell.gone;
  return { code, output: Buffer.concat(pieces).toString(), notes: launch.finish() };
}

test('git works in a project below the top of its repository', { skip }, async (t) => {
  const bench = makeRepositories(t);
  const { output } = await run(
    bench,
    bench.project,
    'git log --format=%s && git status --short && git show HEAD:./a.txt',
  );
  assert.equal(output, 'first commit\none\n');
});

test('git works in a worktree, and only its repository is mounted', { skip }, async (t) => {
  const bench = makeRepositories(t);
  const { output } = await run(
    bench,
    bench.worktree,
    'git log --format=%s && git status --short && git branch --show-current',
  );
  assert.equal(output, 'first commit\nworktree\n');
  const outside = await run(bench, bench.worktree, `cat ${bench.base}/project/a.txt`);
  assert.notEqual(outside.code, 0);
});

test('a repository that tracks a hidden file is not mounted for its worktrees', { skip }, async (t) => {
  const bench = makeRepositories(t, { 'project/.env': 'HIDDEN-VALUE\n' });
  for (const command of ['git show :project/.env', `git --git-dir=${bench.base}/.git show HEAD:project/.env`]) {
    const { output } = await run(bench, bench.worktree, command);
    assert.doesNotMatch(output, /HIDDEN-VALUE/);
  }
});

test('a .git file that names a repository which does not know it mounts nothing', { skip }, async (t) => {
  const bench = makeRepositories(t);
  for (const target of [
    bench.other,
    path.join(bench.other, '.git'),
    path.join(bench.base, '.git/worktrees/worktree'),
  ]) {
    const project = path.join(bench.base, 'outside');
    writeFileSync(path.join(project, '.git'), `gitdir: ${target}\n`);
    for (const command of ['git log', 'git show :secret.txt', `cat ${bench.other}/secret.txt`, `ls ${bench.other}`]) {
      const { output } = await run(bench, project, command);
      assert.doesNotMatch(output, /another author|OTHER-SECRET|first commit|secret\.txt$/m, `${target}: ${command}`);
    }
  }
});
