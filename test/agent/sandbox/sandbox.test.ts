// What a confined command can see, change and reach, tried with real commands.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { makeJudge } from '../../../src/agent/permission/judge.ts';
import { confinedArgs } from '../../../src/agent/sandbox/mechanism.ts';
import { makeSandbox } from '../../../src/agent/sandbox/sandbox.ts';
import { writeTree } from '../../support/temp-folder.ts';
import { makeBench, mechanism, rule, skip } from './sandbox-kit.ts';

const secrets = {
  'project/.env': 'SECRET-ENV\n',
  'project/deep/down/.env.local': 'SECRET-DEEP\n',
  'project/priv/a.txt': 'SECRET-PRIV\n',
  'project/src/a.ts': 'plain\n',
  'home/.ssh/id_rsa': 'SECRET-KEY\n',
  'home/.claude/projects/other/s.jsonl': 'SECRET-SESSION\n',
  'home/.claude/.credentials.json': 'SECRET-LOGIN\n',
};

test('the read-only profile reads the project, and neither secrets nor anything outside', { skip }, async (t) => {
  const bench = makeBench(t, secrets, [rule('deny', 'Read(priv/**)')]);
  symlinkSync('.env', path.join(bench.project, 'link'));
  symlinkSync(path.join(bench.outside, 'canary.txt'), path.join(bench.project, 'out'));
  const { output } = await bench.run(
    `cat README.md src/a.ts; cat .env link out deep/down/.env.local priv/* ${bench.outside}/* ~/.ssh/* ~/.claude/*/*/* ~/.claude/.cred*; grep -r SECRET . /root /home ${bench.base} /proc/1/environ`,
    'read-only',
  );
  assert.match(output, /^readme\nplain\n/);
  assert.match(output, /\.env: Permission denied/);
  // Node may be in the home, and npm next to it has files with the word.
  assert.doesNotMatch(output, /SECRET-[A-Z]|CANARY/);
});

test('the read-only profile changes nothing but a private /tmp', { skip }, async (t) => {
  const bench = makeBench(t, secrets);
  const { output } = await bench.run(
    `touch new; echo x > README.md; rm -rf src; mkdir ${bench.outside}/x; echo hello > /tmp/clew-probe && cat /tmp/clew-probe`,
    'read-only',
  );
  assert.match(output, /Read-only file system/);
  assert.match(output, /hello\n$/);
  assert.deepEqual(readdirSync(bench.project).sort(), ['.env', 'README.md', 'deep', 'priv', 'src']);
  assert.equal(existsSync('/tmp/clew-probe'), false);
});

test('no network, no environment secrets, no other processes', { skip }, async (t) => {
  const bench = makeBench(t, {});
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const env = { ...process.env, ANTHROPIC_API_KEY: 'SECRET-1', MY_TOKEN: 'SECRET-2', SSH_AUTH_SOCK: '/SECRET-3' };
  const { output } = await bench.run(
    `env; (echo x > /dev/tcp/127.0.0.1/${address.port}); kill -0 ${process.pid}`,
    'workspace',
    {
      env,
    },
  );
  assert.doesNotMatch(output, /SECRET/);
  assert.match(output, /PATH=/);
  assert.match(output, /No such process/);
  assert.equal(connections, 0);
});

test('the API key is in no command, not even in an open one', { skip }, async (t) => {
  const bench = makeBench(t, {});
  const { output } = await bench.run('env', 'open', {
    env: { ...process.env, ANTHROPIC_API_KEY: 'SECRET-1', MINE: 'kept' },
  });
  assert.match(output, /MINE=kept/);
  assert.doesNotMatch(output, /SECRET-1/);
});

test('the workspace profile changes the project, but not what runs code later', { skip }, async (t) => {
  const bench = makeBench(t, {
    'project/.git/config': 'original\n',
    'project/.git/hooks/x.sample': 'original\n',
    'project/.claude/settings.json': 'original\n',
    'project/src/.vscode/tasks.json': 'original\n',
    'project/.mcp.json': 'original\n',
  });
  const { output } = await bench.run(
    [
      'echo new > made.txt; echo x > .git/config; echo x > .git/hooks/pre-commit; echo x > .claude/settings.json',
      'echo x > .mcp.json; rm .mcp.json; mv .git old; mv src moved; mv .claude old; echo x > src/.vscode/tasks.json',
      `echo x > ${bench.outside}/canary.txt; echo x > ~/.bashrc`,
    ].join('; '),
    'workspace',
  );
  assert.match(output, /Device or resource busy/);
  assert.equal(readFileSync(path.join(bench.project, 'made.txt'), 'utf8'), 'new\n');
  for (const file of [
    '.git/config',
    '.claude/settings.json',
    '.mcp.json',
    'src/.vscode/tasks.json',
    '.git/hooks/x.sample',
  ])
    assert.equal(readFileSync(path.join(bench.project, file), 'utf8'), 'original\n', file);
  assert.deepEqual(readdirSync(path.join(bench.project, '.git/hooks')), ['x.sample']);
  assert.equal(readFileSync(path.join(bench.outside, 'canary.txt'), 'utf8'), 'CANARY-OUTSIDE\n');
  assert.equal(existsSync(path.join(bench.home, '.bashrc')), false);
});

test(
  'a protected file that was not there is neither created by the mask nor left by the command',
  { skip },
  async (t) => {
    const bench = makeBench(t, {});
    await bench.run('true', 'workspace');
    assert.deepEqual(readdirSync(bench.project), ['README.md']);
    const { notes } = await bench.run('echo x > .mcp.json; mkdir -p sub/.git/hooks', 'workspace');
    assert.equal(notes.length, 2);
    assert.equal(existsSync(path.join(bench.project, '.mcp.json')), false);
    assert.equal(existsSync(path.join(bench.project, 'sub/.git')), false);
  },
);

test('a folder above a hidden file cannot be renamed away', { skip }, async (t) => {
  const bench = makeBench(t, { 'project/a/priv/x.txt': 'SECRET\n' }, [rule('deny', 'Read(a/priv/**)')]);
  await bench.run('mv a b; mv a/priv a/public; cp -r a c; ln a/priv/x.txt y', 'workspace');
  const { output } = await bench.run('cat b/priv/x.txt a/public/x.txt c/priv/x.txt y a/priv/x.txt', 'read-only');
  assert.doesNotMatch(output, /SECRET/);
});

test('what a rule denies is hidden from a command that the user allowed', { skip }, async (t) => {
  const bench = makeBench(t, secrets, [rule('deny', 'Read(priv/**)'), rule('deny', 'Read(~/.ssh/**)')]);
  const { output } = await bench.run(
    `cat priv/a.txt; cat ${bench.home}/.ssh/id_rsa; cat ${bench.outside}/canary.txt .env; echo x > ${bench.outside}/made`,
    'open',
  );
  assert.match(output, /CANARY-OUTSIDE\nSECRET-ENV\n/);
  assert.doesNotMatch(output, /SECRET-PRIV|SECRET-KEY/);
  assert.equal(readFileSync(path.join(bench.outside, 'made'), 'utf8'), 'x\n');
});

test('a folder above a denied file cannot be renamed away by a command that the user allowed', { skip }, async (t) => {
  const bench = makeBench(t, { 'project/conf/x.txt': 'SECRET\n' }, [rule('deny', 'Read(conf/x.txt)')]);
  await bench.run('mv conf open', 'open');
  const { output } = await bench.run('cat open/x.txt conf/x.txt', 'open');
  assert.doesNotMatch(output, /SECRET/);
});

test('a hidden file whose name, or whose folder, is not UTF-8 hides the folder that holds it', { skip }, async (t) => {
  const bench = makeBench(t, { 'project/a/plain.txt': 'PLAIN\n', 'project/b/plain.txt': 'PLAIN\n' });
  const odd = (text: string): Buffer => Buffer.from(path.join(bench.project, text), 'latin1');
  writeFileSync(odd('a/\xff.pem'), 'SECRET\n');
  mkdirSync(odd('b/\xff'));
  writeFileSync(odd('b/\xff/.env'), 'SECRET\n');
  mkdirSync(odd('\xff'));
  writeFileSync(odd('\xff/plain.txt'), 'PLAIN\n');
  for (const confinement of ['read-only', 'workspace'] as const) {
    const { output } = await bench.run('cat a/* b/*/.env; cat */plain.txt; cat README.md', confinement);
    assert.doesNotMatch(output, /SECRET/);
    // The folder with nothing to hide stays.
    assert.equal(output.split('PLAIN').length, 2);
    assert.match(output, /readme/);
  }
});

test('what a protected link leads to is protected', { skip }, async (t) => {
  const bench = makeBench(t, { 'project/hooks/pre-commit': 'old\n', 'project/other/a': 'old\n' });
  symlinkSync('hooks', path.join(bench.project, '.husky'));
  await bench.run('echo new > hooks/pre-commit; echo new > .husky/pre-commit; echo new > other/a', 'workspace');
  assert.equal(readFileSync(path.join(bench.project, 'hooks/pre-commit'), 'utf8'), 'old\n');
  assert.equal(readFileSync(path.join(bench.project, 'other/a'), 'utf8'), 'new\n');
});

test('a file that appears later is hidden in the next command', { skip }, async (t) => {
  const bench = makeBench(t, {});
  await bench.run('true', 'read-only');
  writeTree(bench.project, { 'later/.env': 'SECRET\n' });
  const { output } = await bench.run('cat later/.env', 'read-only');
  assert.match(output, /Permission denied/);
});

test('processes that a confined command left end with it', { skip }, async (t) => {
  const bench = makeBench(t, {});
  await bench.run('(sleep 0.3; touch late) & true', 'workspace');
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.equal(existsSync(path.join(bench.project, 'late')), false);
});

test('a pipe or socket in the project cannot be written to', { skip }, async (t) => {
  const bench = makeBench(t, {});
  const file = path.join(bench.project, 'control.sock');
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(file, resolve));
  t.after(() => server.close());
  const { output } = await bench.run(
    `node -e 'require("net").connect("control.sock").on("error", (e) => console.log(e.code))'`,
    'read-only',
  );
  assert.equal(connections, 0);
  assert.match(output, /ECONNREFUSED|EACCES|ENOTSOCK/);
});

test('while a command may change the project, what only a rule allows runs in the sandbox, too', { skip }, (t) => {
  const { sandbox, project, sessionDir } = makeBench(t, {});
  const place = { cwd: project, env: process.env, sessionDir };
  const opened = (more: { readonly isApproved?: boolean } = {}) => sandbox.launch('open', { ...place, ...more });
  assert.equal(opened().confinement, 'open');
  const first = sandbox.launch('workspace', place);
  const meanwhile = opened();
  assert.equal(meanwhile.confinement, 'workspace');
  assert.ok(meanwhile.prefix.includes('--unshare-all'));
  assert.equal(opened({ isApproved: true }).confinement, 'open');
  first.finish();
  // The second one still runs.
  const last = opened();
  assert.equal(last.confinement, 'workspace');
  meanwhile.finish();
  last.finish();
  sandbox.launch('read-only', place);
  assert.equal(opened().confinement, 'open');
});

test('folders of the PATH in the project cannot be changed', { skip }, async (t) => {
  const bench = makeBench(t, { 'project/.venv/bin/pip': 'old\n', 'project/.venv/lib/a': 'old\n' });
  const env = { PATH: `${bench.project}/.venv/bin:${process.env.PATH}` };
  await bench.run(
    'echo new > .venv/bin/git; echo new > .venv/bin/pip; mv .venv v; echo new > .venv/lib/a',
    'workspace',
    { env },
  );
  assert.deepEqual(readdirSync(path.join(bench.project, '.venv/bin')), ['pip']);
  assert.equal(readFileSync(path.join(bench.project, '.venv/bin/pip'), 'utf8'), 'old\n');
  assert.equal(readFileSync(path.join(bench.project, '.venv/lib/a'), 'utf8'), 'new\n');
});

test('a folder of the PATH that the user may not reach is left out', () => {
  // Root can reach everything, so a name that is too long replaces it: its stat fails too.
  const far = `/${'x'.repeat(300)}/bin`;
  const none = { readable: [], writable: [], hidden: [far], guarded: [], shown: [], files: new Map() };
  const args = confinedArgs({ home: '/nowhere', cwd: '/', searchPath: `${far}:/usr/bin`, ...none }, []);
  assert.equal(args.includes(far), false);
});

test('long results of the own session stay readable', { skip }, async (t) => {
  const bench = makeBench(t, { 'home/.claude/projects/own/session/tool-results/1.txt': 'result\n' });
  const { output } = await bench.run(`cat ${bench.sessionDir}/tool-results/1.txt`, 'read-only');
  assert.equal(output, 'result\n');
});

test('all that a command prints comes out, although its processes end with it', { skip }, async (t) => {
  const bench = makeBench(t, {});
  const runs = Array.from({ length: 40 }, (_, i) => bench.run(`echo ${i}`, 'read-only'));
  const outputs = (await Promise.all(runs)).map(({ output }) => output);
  assert.deepEqual(
    outputs,
    outputs.map((_, i) => `${i}\n`),
  );
});

test('a rule hides files of packages, also of one that is added later', { skip }, async (t) => {
  const files = {
    'project/node_modules/a/lib/private.txt': 'PRIVATE\n',
    'project/node_modules/a/test.pem': 'published\n',
  };
  const bench = makeBench(t, files, [rule('deny', 'Read(private.txt)')]);
  const show = 'cat node_modules/*/lib/private.txt; cat node_modules/a/test.pem';
  assert.match((await bench.run(show, 'read-only')).output, /^cat: .*Permission denied\npublished\n$/);
  writeTree(bench.project, { 'node_modules/b/lib/private.txt': 'PRIVATE\n' });
  assert.match((await bench.run(show, 'read-only')).output, /^(?:cat: .*Permission denied\n){2}published\n$/);
});

test('in a project that is itself a package, credentials are hidden', { skip }, async (t) => {
  const bench = makeBench(t, { 'project/node_modules/mine/.env': 'SECRET\n' });
  const project = path.join(bench.project, 'node_modules/mine');
  const options = { projectDir: project, home: bench.home, root: path.join(bench.home, '.claude') };
  const { policy } = makeJudge({ ...options, rules: [] });
  assert.deepEqual(makeSandbox({ ...options, extraDirs: [], policy, mechanism }).hiddenBelow(project), [
    path.join(project, '.env'),
  ]);
});
