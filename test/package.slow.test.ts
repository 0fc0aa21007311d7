// The package as a user gets it: packed, installed with an empty home and an empty npm cache, and used from there. Only
// the npm registry is asked, with the npm settings of the machine.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { startScriptedServer } from '../src/api/server/messages-server.ts';
import { asObject, asString, isObject, parseJson } from '../src/base/json/json.ts';
import { tokenHeader } from '../src/web/wire/wire.ts';
import { dist } from './support/dist.ts';
import { projectRoot } from './support/paths.ts';
import { processesBelow } from './support/processes.ts';
import { writeTree } from './support/temp-folder.ts';
import { waitFor } from './support/wait.ts';
import { tokenOf } from './support/web-server.ts';

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'clew-package-')));
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
const project = path.join(folder, 'project');
const installed = path.join(project, 'node_modules/clew');
const tsc = path.join(projectRoot, 'node_modules/typescript/bin/tsc');
const maxInstalledBytes = 45_000_000;

const env: Readonly<Record<string, string>> = {
  // A ripgrep on PATH must not be needed: this one would be noticed.
  PATH: [path.join(folder, 'bin'), path.dirname(process.execPath), process.env.PATH ?? ''].join(path.delimiter),
  HOME: path.join(folder, 'home'),
  TZ: 'UTC',
  NO_COLOR: '1',
  npm_config_cache: path.join(folder, 'cache'),
  npm_config_userconfig: run('npm', ['config', 'get', 'userconfig'], projectRoot, process.env).stdout.trim(),
  npm_config_update_notifier: 'false',
  npm_config_loglevel: 'error',
};
for (const name of ['home', 'cache', 'project']) mkdirSync(path.join(folder, name));
writeTree(folder, { 'bin/rg': '#!/bin/sh\necho wrong ripgrep\n', 'project/package.json': '{ "type": "module" }' });
spawnSync('chmod', ['+x', path.join(folder, 'bin/rg')]);

// The runner has built dist/ for this file; a build by npm pack would disturb the tests that run at the same time.
const packed = run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], path.dirname(dist), process.env);
const tarball = path.join(folder, packed.stdout.trim().split('\n').at(-1) ?? '');
run('npm', ['install', '--no-audit', '--no-fund', tarball], project, env);

test('the package holds only these kinds of files', () => {
  const kinds = [
    /^(package\.json|README\.md|CHANGELOG\.md|CONTRIBUTING\.md|LICENSE)$/,
    /^dist\/(clew|lean\/(find|guard|guard-answer|mcp|statusline|usage|usage-count)|trace-hook|trace-work)\.js$/,
    /^dist\/(index|media-worker|memory-answers|program|web-worker)\.mjs$/,
    /^dist\/(index\.d\.mts|package\.json|THIRD-PARTY\.txt)$/,
    /^dist\/chunks\/[\w-]+-[0-9A-Z]{8}\.mjs$/,
    /^dist\/wasm\/\w+\.wasm$/,
    /^dist\/page\/(index\.html|[a-z-]+-[0-9A-Z]{8}\.(js|css|js\.LEGAL\.txt))$/,
    /^dist\/standalone\/standalone\.(js|css)$/,
    /^demo\/(README\.md|projects\/[\w/-]+\.(jsonl|meta\.json))$/,
    /^\.claude-plugin\/marketplace\.json$/,
    /^plugin\/(README\.md|\.claude-plugin\/plugin\.json|bin\/clew|hooks\/(hooks\.json|run\.sh))$/,
    /^plugin\/(commands\/[a-z]+|skills\/recall\/SKILL)\.md$/,
    /^docs\/((?:tracing\/)?[\w-]+\.md|pictures\/[\w-]+\.(svg|png))$/,
  ];
  const files = filesOf(installed);
  assert.deepEqual(
    files.filter((file) => !kinds.some((kind) => kind.test(file))),
    [],
  );
  assert.deepEqual(
    kinds.filter((kind) => !files.some((file) => kind.test(file))),
    [],
  );
});

test('no file refers to a source map or names a path of the machine that built it', () => {
  const hosts = [projectRoot, realpathSync(projectRoot), folder, path.join(projectRoot, 'node_modules')];
  for (const file of filesOf(installed).filter((name) => !name.endsWith('.png'))) {
    const text = readFileSync(path.join(installed, file), 'utf8');
    assert.ok(!/^\/\/# sourceMappingURL=/m.test(text), `${file} refers to a source map`);
    for (const each of hosts) assert.ok(!text.includes(each), `${file} names ${each}`);
    // A package inside another one is named below node_modules of this project, not with a path of the machine.
    assert.doesNotMatch(
      text,
      /(?<!node_modules(?:[/\\]@[\w.-]+)?)[/\\][\w.-]+[/\\]node_modules[/\\](?!clew|\.bin)[\w@.-]+[/\\]\S+\.[cm]?js\b/,
      file,
    );
  }
});

test('every page that the README and the pages of docs/ link to is in the package', () => {
  const pages = filesOf(installed).filter((file) => file.endsWith('.md'));
  const missing = pages.flatMap((page) => {
    const text = readFileSync(path.join(installed, page), 'utf8');
    const links = [...text.matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
    return links
      .filter((link) => !exists(path.join(installed, path.dirname(page), link)))
      .map((link) => `${page}: ${link}`);
  });
  assert.deepEqual(missing, []);
  // Our pages have names in lower case; bundled packages name pages of their own.
  const code = filesOf(installed).filter((file) => /\.m?js$/.test(file));
  const named = code.flatMap(
    (file) => readFileSync(path.join(installed, file), 'utf8').match(/\bdocs\/[a-z-]+\.md\b/g) ?? [],
  );
  assert.ok(named.includes('docs/json.md'));
  assert.deepEqual(
    [...new Set(named)].filter((page) => !exists(path.join(installed, page))),
    [],
  );
});

test('it depends on packages with native parts only, and takes at most 45 MB with them', () => {
  const { dependencies } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
  assert.deepEqual(Object.keys(dependencies).sort(), ['@vscode/ripgrep', 'libsql']);
  const bytes = filesOf(path.join(project, 'node_modules'))
    .map((file) => lstatSync(path.join(project, 'node_modules', file)))
    .reduce((sum, { size, blocks }) => sum + Math.max(size, (blocks ?? 0) * 512), 0);
  assert.ok(bytes <= maxInstalledBytes, `${(bytes / 1e6).toFixed(1)} MB`);
});

test('npx clew ls --demo lists the demo sessions', () => {
  const { stdout } = run('npx', ['clew', 'ls', '--demo', '--json'], project, env);
  const sessions = JSON.parse(stdout) as readonly { readonly sessionId: string }[];
  assert.deepEqual(sessions.map(({ sessionId }) => sessionId.slice(0, 8)).sort(), [
    '463b11e7',
    '8f1e8572',
    'b8f420a0',
    'b9147db8',
    'e45ab231',
  ]);
});

test('npx clew open --json prints its address, serves the page and ends with Ctrl-C', async (t) => {
  const args = ['clew', 'open', '--demo', '--no-browser', '--json'];
  const child = spawn('npx', args, { cwd: project, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  const closed = once(child, 'close');
  t.after(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL');
  });
  await waitFor(
    () => (texts.stdout.includes('\n') ? true : undefined),
    () => JSON.stringify(texts),
  );
  const url = asString(asObject(parseJson(texts.stdout))?.url) ?? '';
  const page = await (await fetch(url)).text();
  const script = /<script type="module" src="([^"]+)"/.exec(page)?.[1] ?? '';
  const code = await fetch(new URL(script, url));
  const headers = { [tokenHeader]: tokenOf(url) };
  const list = await (await fetch(new URL('/api/sessions', url), { headers })).json();
  assert.deepEqual([code.status, asObject(list)?.total], [200, 5]);
  // npx ends as what it runs ends; a signal to npx itself would hide that.
  const clew = processesBelow(child.pid ?? 0).at(-1);
  assert.ok(clew !== undefined);
  process.kill(clew, 'SIGINT');
  const [status] = await closed;
  assert.deepEqual([status, texts.stderr], [0, '']);
});

test('npx clew -p runs the agent, which searches with the ripgrep of the package', async (t) => {
  const server = await startScriptedServer({
    script: [
      { blocks: [{ type: 'tool_use', name: 'Grep', input: { pattern: 'need.e', output_mode: 'content' } }] },
      { blocks: [{ type: 'text', text: 'Found it.' }] },
    ],
  });
  t.after(() => server.close());
  writeTree(project, { 'work/hay.txt': 'hay\nneedle\n' });
  const where = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'none', ANTHROPIC_MODEL: 'claude-sonnet-4-6' };
  const child = spawn('npx', ['clew', '-p', 'Where is the needle?'], {
    cwd: path.join(project, 'work'),
    env: { ...env, ...where },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [status] = await once(child, 'close');
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: 'Found it.\n', stderr: '' });
  const asked = server.requests.filter(({ path: place }) => place === '/v1/messages').at(-1)?.body;
  assert.ok(isObject(asked));
  const sent = JSON.stringify(asked.messages);
  assert.match(sent, /hay\.txt:2:needle/);
  assert.doesNotMatch(sent, /wrong ripgrep/);
});

const program = `import { isToolUse, openLibrary, parseLine, scanRecord } from 'clew';
import type { Block, Bytes, DiagnoseOptions, Graph, Reachable, StripOptions, TraceSpan, TranscriptOptions } from 'clew';

export type Named = [Graph, Reachable, TraceSpan, Block];
export const strip: StripOptions = { tools: ['Bash'], keepLast: 2 };
export const options: [DiagnoseOptions, TranscriptOptions] = [{ daysLeft: 3 }, { strict: false }];
export const nameOf = (block: Block): string | undefined => (isToolUse(block) ? block.name : undefined);

const bytes: Uint8Array = new Uint8Array([123, 125]);
const piece: Bytes | undefined = parseLine(bytes).pieces[0]?.bytes;
const library = openLibrary({ roots: ['node_modules/clew/demo'], state: 'memory' });
library.update();
const { sessions } = await library.sessions();
console.log(sessions.length, library.search({ text: 'slugify' }).total > 0, piece?.length, scanRecord(bytes)?.type);
library.close();
`;

test('a program that uses the library passes tsc --strict without any package of types, and runs', () => {
  writeTree(project, { 'program.ts': program });
  const flags = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2023'];
  run(process.execPath, [tsc, ...flags, '--skipLibCheck', 'false', '--types', '', 'program.ts'], project, env);
  assert.equal(run(process.execPath, ['program.js'], project, env).stdout, '5 true 2 \n');
});

test('with the types of Node, bytes are Buffers; a wrong use is an error', () => {
  const roots = path.join(projectRoot, 'node_modules/@types');
  const settings = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--skipLibCheck', 'false'];
  const flags = [tsc, ...settings, '--typeRoots', roots, '--types', 'node'];
  writeTree(project, {
    'right.ts': "import { parseLine } from 'clew';\nparseLine(Buffer.from('{}')).pieces[0]?.bytes.toString('utf8');\n",
    'wrong.ts': "import { parseLine } from 'clew';\nparseLine('{}');\n",
  });
  run(process.execPath, [...flags, 'right.ts'], project, env);
  const { status, stdout } = spawnSync(process.execPath, [...flags, 'wrong.ts'], {
    cwd: project,
    env,
    encoding: 'utf8',
  });
  assert.notEqual(status, 0);
  assert.match(stdout, /^wrong\.ts\(2,11\): error TS2345/);
});

/** Runs a program to its end; a failure fails with what it said. */
function run(name: string, args: readonly string[], cwd: string, settings: NodeJS.ProcessEnv): { stdout: string } {
  const { status, stdout, stderr, error } = spawnSync(name, args, { cwd, env: settings, encoding: 'utf8' });
  assert.equal(status, 0, `${name} ${args.join(' ')}: ${error?.message ?? ''}${stdout}${stderr}`);
  return { stdout };
}

/** Paths below a folder, with forward slashes; links are not followed. */
function filesOf(top: string): string[] {
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(top, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
}

function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}
