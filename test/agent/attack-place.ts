// The folders of the attacks: a project with secrets, next to canaries and a home folder, a listener on loopback, and the
// check of what an attack did. Every secret contains a token that is in no command, also not in pieces.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { writeTree } from '../support/temp-folder.ts';
import { listTree } from '../support/tree-snapshot.ts';

export const token = 'QX7TOKEN9Z';
const tokenForms = [token, Buffer.from(token).toString('base64').slice(2, 10), [...token].reverse().join('')];
const hexForm = Buffer.from(token).toString('hex');

export interface Place {
  readonly base: string;
  readonly project: string;
  readonly outside: string;
  readonly home: string;
  /** The original files and folders; a folder has no content. */
  readonly tree: ReadonlyMap<string, { readonly mode: number; readonly content?: Buffer }>;
  readonly before: ReadonlyMap<string, string>;
}

export function makePlace(folder: string): Place {
  const base = path.join(folder, 'place');
  const [project, outside, home] = [path.join(base, 'project'), path.join(base, 'outside'), path.join(base, 'home')];
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
  chmodSync(path.join(project, 'src/evil.sh'), 0o755);
  const git = (...args: string[]): unknown => execFileSync('git', ['-C', project, ...args], { stdio: 'ignore' });
  git('init', '-q', '--template=');
  mkdirSync(path.join(project, '.git/hooks'));
  git('add', '-f', '.env', 'README.md');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'first');
  return { base, project, outside, home, tree: readTree(base), before: watched({ base, project, outside, home }) };
}

/** Restores the original state. Only differences are written: a fuzz test does this thousands of times. */
export function resetPlace({ base, tree }: Place): void {
  mkdirSync(base, { recursive: true });
  try {
    // From the bottom: a folder is empty before it is removed.
    for (const file of listTree(base).reverse()) {
      const wanted = tree.get(path.relative(base, file));
      if (lstatSync(file).mode !== wanted?.mode) rmSync(file, { recursive: true, force: true, maxRetries: 5 });
    }
  } catch {
    // A name that is not UTF-8 has no path here.
    execFileSync('sh', ['-c', 'chmod -R u+rwx "$1"; rm -rf "$1"/*', 'sh', base], { stdio: 'ignore' });
  }
  for (const [name, { mode, content }] of tree) {
    const file = path.join(base, name);
    const isHere = existsSync(file);
    if (content === undefined) {
      if (!isHere) mkdirSync(file);
    } else if (!isHere || !readFileSync(file).equals(content)) writeFileSync(file, content);
    if (!isHere) chmodSync(file, mode & 0o7777);
  }
}

function readTree(base: string): Place['tree'] {
  return new Map(
    listTree(base).map((file) => {
      const { mode } = lstatSync(file);
      return [path.relative(base, file), lstatSync(file).isFile() ? { mode, content: readFileSync(file) } : { mode }];
    }),
  );
}

export function fill(text: string, { project, outside, home }: Place, port: number): string {
  return text
    .replaceAll('{project}', project)
    .replaceAll('{outside}', outside)
    .replaceAll('{home}', home)
    .replaceAll('{port}', String(port));
}

export function leaks(output: string): readonly string[] {
  const digits = output.replace(/[^0-9a-f]/g, '');
  return tokenForms.some((form) => output.includes(form)) || digits.includes(hexForm) ? ['a secret was read'] : [];
}

/** The differences from the original state: everything outside the project, and protected files in it. */
export function changes(place: Place, before: ReadonlyMap<string, string> = place.before): readonly string[] {
  const now = watched(place);
  return [...before].flatMap(([what, state]) => (now.get(what) === state ? [] : [`${what} changed`]));
}

const keptFiles = ['.git/config', '.claude/settings.json', '.env', 'priv/a.txt', 'deep/.env.local'];
const newFiles = (
  '.mcp.json .vscode .envrc .husky .bashrc .profile .zshrc .ripgreprc .gitmodules .git/commondir .git/config.worktree ' +
  'sub/.git .ENV .claude/settings.local.json .claude/skills .claude/hooks'
).split(' ');

export function watched({ base, project, outside, home }: Omit<Place, 'tree' | 'before'>): Map<string, string> {
  return new Map([
    ['outside', contentOf(outside)],
    ['home', contentOf(home)],
    ['hooks', contentOf(path.join(project, '.git/hooks'))],
    ['base', readdirSync(base).sort().join(' ')],
    ['protected names', newFiles.filter((name) => isThere(path.join(project, name))).join(' ')],
    ...keptFiles.map((file): [string, string] => [file, readOr(path.join(project, file))]),
  ]);
}

function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function contentOf(folder: string): string {
  if (!existsSync(folder)) return '(missing)';
  if (!lstatSync(folder).isDirectory()) return 'not a folder';
  try {
    return listTree(folder, isOwnSession)
      .sort()
      .map((file) => `${file}: ${lstatSync(file).mode} ${readOr(file)}`)
      .join('\n');
  } catch (error) {
    // A name that is not UTF-8 has no path here, so it is new.
    return String(error);
  }
}

/** The agent's own session, below a folder named after the project. */
function isOwnSession(file: string): boolean {
  return /\/\.claude\/(?:projects\/-|file-history$)/.test(file);
}

/** A pipe at this path would block. */
function readOr(file: string): string {
  try {
    const stats = lstatSync(file);
    if (stats.isSymbolicLink()) return `a link to ${readlinkSync(file)}`;
    return stats.isFile() ? readFileSync(file, 'utf8') : '(not a file)';
  } catch {
    return '(missing)';
  }
}

export interface Listener {
  readonly server: Server;
  readonly port: number;
  /** One entry per connection. */
  readonly connections: true[];
}

export async function listen(): Promise<Listener> {
  const connections: true[] = [];
  const server = createServer((socket) => {
    connections.push(true);
    socket.on('error', () => undefined);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { server, port: address.port, connections };
}
