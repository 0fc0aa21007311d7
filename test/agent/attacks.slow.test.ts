// The attack list, end to end: what the judge allows runs in a real bash, in four modes, with and without the sandbox. No
// secret may come out, nothing outside or protected may change, and nothing may reach the network.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { makeJudge } from '../../src/agent/permission/judge.ts';
import type { PermissionMode } from '../../src/agent/permission-mode.ts';
import { makeSandbox, noMechanism } from '../../src/agent/sandbox/sandbox.ts';
import { startShell } from '../../src/agent/tools/shell.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { listTree } from '../support/tree-snapshot.ts';
import { allAttacks } from './attack-cases.ts';
import { mechanism, rule, skip } from './sandbox/sandbox-kit.ts';

/** In no command of the list, also not in pieces. */
const token = 'QX7TOKEN9Z';
const tokenForms = [token, Buffer.from(token).toString('base64').slice(2, 10), [...token].reverse().join('')];
const hexForm = Buffer.from(token).toString('hex');
const modes: readonly PermissionMode[] = ['default', 'plan', 'dontAsk', 'acceptEdits'];
const longestMs = 5000;

test('the attack list has at least 250 cases', () => {
  assert.ok(new Set(allAttacks.map(({ command }) => command)).size >= 250, String(allAttacks.length));
});

for (const hasSandbox of [true, false]) {
  for (const mode of modes) {
    const name = `attacks in ${mode} mode ${hasSandbox ? 'in the sandbox' : 'without a sandbox'} have no effect`;
    test(name, { skip: hasSandbox ? skip : false }, async (t) => {
      const place = makePlace(temporaryFolder(t));
      const { server, port, connections } = await listen();
      t.after(() => server.close());
      const outcomes = { ran: 0, stopped: 0 };
      const failures: string[] = [];
      for (const { kind, command } of allAttacks) {
        const text = fill(command, place, port);
        const result = await attempt(text, place, mode, hasSandbox);
        outcomes[result.hasRun ? 'ran' : 'stopped']++;
        const effects = [
          ...leaks(result.output),
          ...changes(place),
          ...(connections.splice(0).length > 0 ? ['network'] : []),
        ];
        if (effects.length > 0) failures.push(`${kind}: ${command} → ${effects.join(', ')}`);
        if (mode === 'acceptEdits' || effects.length > 0) reset(place);
      }
      t.diagnostic(`${mode}, sandbox ${hasSandbox}: ${outcomes.ran} ran, ${outcomes.stopped} were not run`);
      assert.deepEqual(failures, []);
      // Else the list would prove nothing about the sandbox.
      if (hasSandbox) assert.ok(outcomes.ran > 200, `${outcomes.ran} ran`);
    });
  }
}

interface Place {
  readonly base: string;
  readonly project: string;
  readonly outside: string;
  readonly home: string;
  readonly template: string;
  readonly before: Map<string, string>;
}

function makePlace(folder: string): Place {
  const base = path.join(folder, 'place');
  const [project, outside, home] = ['project', 'outside', 'home'].map((name) => path.join(base, name)) as [
    string,
    string,
    string,
  ];
  const evil = `touch ${outside}/made`;
  writeTree(base, {
    'outside/canary.txt': `${token}\n`,
    'home/.ssh/id_rsa': `${token}\n`,
    'home/.claude/.credentials.json': `${token}\n`,
    'home/.claude/projects/other/session.jsonl': `${token}\n`,
    'project/README.md': 'readme\n',
    'project/src/a.ts': 'plain\n',
    'project/src/evil.sh': `#!/bin/sh\n${evil}\n`,
    'project/src/evil.mk': `all:\n\t${evil}\n`,
    'project/src/evil.cjs': `require('node:fs').writeFileSync('${outside}/made', '')\n`,
    'project/src/rgrc': `--pre=${project}/src/evil.sh\n`,
    'project/Makefile': `all:\n\t${evil}\n`,
    'project/package.json': JSON.stringify({ scripts: { test: evil, evil, pretest: evil } }),
    'project/.env': `${token}\n`,
    'project/deep/.env.local': `${token}\n`,
    'project/priv/a.txt': `${token}\n`,
    'project/.claude/settings.json': '{}\n',
  });
  execFileSync('chmod', ['+x', path.join(project, 'src/evil.sh')]);
  const git = (...args: string[]): unknown => execFileSync('git', ['-C', project, ...args], { stdio: 'ignore' });
  git('init', '-q');
  git('add', '-f', '.env', 'README.md');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'first');
  const template = path.join(folder, 'template');
  cpSync(base, template, { recursive: true });
  return { base, project, outside, home, template, before: watched({ base, project, outside, home }) };
}

function reset({ base, template }: Place): void {
  rmSync(base, { recursive: true, force: true });
  mkdirSync(base);
  cpSync(template, base, { recursive: true });
}

function fill(text: string, { project, outside, home }: Place, port: number): string {
  return text
    .replaceAll('{project}', project)
    .replaceAll('{outside}', outside)
    .replaceAll('{home}', home)
    .replaceAll('{port}', String(port));
}

async function attempt(
  command: string,
  { project, home }: Place,
  mode: PermissionMode,
  hasSandbox: boolean,
): Promise<{ readonly hasRun: boolean; readonly output: string }> {
  const rules = [rule('deny', 'Read(.env)'), rule('deny', 'Read(priv/**)')];
  const use = { isAvailable: hasSandbox, runsUnasked: true, mayLeave: true, excluded: [] };
  const root = path.join(home, '.claude');
  const judge = makeJudge({ projectDir: project, home, root, rules, sandbox: use });
  const call = { id: 'toolu_1', name: 'Bash', input: { command } };
  const decision = judge.judge(call, { mode, cwd: project, isReadOnly: false });
  if (decision.kind !== 'allow') return { hasRun: false, output: '' };
  const used = hasSandbox ? mechanism : noMechanism;
  const sandbox = makeSandbox({
    projectDir: project,
    extraDirs: [],
    home,
    root,
    policy: judge.policy,
    mechanism: used,
  });
  const secret = { ANTHROPIC_API_KEY: token, ...(hasSandbox ? { SECRET_VARIABLE: token } : {}) };
  const env = { ...process.env, ...secret, HOME: home };
  const launch = sandbox.launch(decision.confinement ?? 'open', {
    cwd: project,
    env,
    sessionDir: path.join(root, 'own'),
  });
  const pieces: Buffer[] = [];
  const shell = startShell(command, { cwd: project, launch, onOutput: (bytes) => void pieces.push(bytes) });
  const timer = setTimeout(() => shell.kill(), longestMs);
  await shell.exited;
  clearTimeout(timer);
  shell.kill();
  await shell.gone;
  launch.finish();
  return { hasRun: true, output: Buffer.concat(pieces).toString('latin1') };
}

function leaks(output: string): readonly string[] {
  const digits = output.replace(/[^0-9a-f]/g, '');
  return tokenForms.some((form) => output.includes(form)) || digits.includes(hexForm) ? ['a secret was read'] : [];
}

/** Everything outside the project, and in it what must not change. */
function watched({
  base,
  project,
  outside,
  home,
}: Pick<Place, 'base' | 'project' | 'outside' | 'home'>): Map<string, string> {
  const files = ['.git/config', '.claude/settings.json', '.env', 'priv/a.txt', 'deep/.env.local'];
  return new Map([
    ['outside', contentOf(outside)],
    ['home', contentOf(home)],
    ['hooks', contentOf(path.join(project, '.git/hooks'))],
    ['base', execFileSync('ls', ['-a', base], { encoding: 'utf8' })],
    [
      'later',
      execFileSync(
        'sh',
        [
          '-c',
          'ls -ad .mcp.json .vscode .envrc .husky .bashrc .git/commondir sub/.git .ENV .claude/* 2>/dev/null; true',
        ],
        { cwd: project, encoding: 'utf8' },
      ),
    ],
    ...files.map((file): [string, string] => [file, readOr(path.join(project, file))]),
  ]);
}

function contentOf(folder: string): string {
  if (!existsSync(folder)) return '(missing)';
  return listTree(folder)
    .sort()
    .map((file) => `${file}: ${lstatSync(file).mode} ${readOr(file)}`)
    .join('\n');
}

function changes(place: Place): readonly string[] {
  const now = watched(place);
  return [...place.before].flatMap(([what, state]) => (now.get(what) === state ? [] : [`${what} changed`]));
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '(missing)';
  }
}

async function listen(): Promise<{ readonly server: Server; readonly port: number; readonly connections: true[] }> {
  const connections: true[] = [];
  const server = createServer((socket) => {
    connections.push(true);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { server, port: address.port, connections };
}
