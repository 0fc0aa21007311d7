// What the commands that must start fast load: every module of Node and every file of dist/ costs time at each start. If an
// import adds one, load it later, or add it here deliberately, after `npm run bench -- start`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { version } from '../../src/base/version/version.ts';
import { tracePlaces } from '../../src/trace/state/places.ts';
import { identifyHead, writeState } from '../../src/trace/state/session-state.ts';
import { cleanEnv } from '../support/clew.ts';
import { clew, dist } from '../support/dist.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { place } from './statusline-kit.ts';

const hook = path.join(dist, 'trace-hook.js');
const folder = temporaryFolder({ after });
const report = path.join(folder, 'loaded.json');
const preload = path.join(folder, 'preload.cjs');
// Internal modules differ between versions of Node; of them, only ES modules need the translators.
writeTree(folder, {
  'preload.cjs': `
    const isCounted = (name) => !/^Internal|^internal\\//.test(name) || name === 'internal/modules/esm/translators';
    const names = () => process.moduleLoadList.map((name) => name.replace(/^NativeModule /, '')).filter(isCounted);
    const before = new Set(names());
    process.on('exit', () => {
      const modules = names().filter((name) => !before.has(name)).sort();
      const files = Object.keys(require.cache).filter((file) => file !== __filename).sort();
      require('node:fs').writeFileSync(${JSON.stringify(report)}, JSON.stringify({ modules, files }));
    });`,
});

interface Loaded {
  readonly stdout: string;
  readonly modules: readonly string[];
  readonly files: readonly string[];
}

function load(args: readonly string[], { input = '', env = {} }: { input?: string; env?: object } = {}): Loaded {
  const run = spawnSync(process.execPath, ['--require', preload, ...args], {
    input,
    encoding: 'utf8',
    env: { ...cleanEnv(), ...env },
  });
  assert.deepEqual([run.status, run.stderr], [0, '']);
  const { modules, files } = JSON.parse(readFileSync(report, 'utf8')) as Omit<Loaded, 'stdout'>;
  return { stdout: run.stdout, modules, files: files.map((file) => path.relative(dist, file)) };
}

test('--version loads one small file and no further module of Node', () => {
  assert.deepEqual(load([clew, '--version']), { stdout: `${version}\n`, modules: [], files: ['clew.js'] });
});

test('statusline loads two files, and no parser of flags, database, streams or ES modules', (context) => {
  const { file, env } = place(context);
  const input = JSON.stringify({ transcript_path: file });
  load([clew, 'statusline'], { input, env }); // writes the state of usage
  assert.deepEqual(load([clew, 'statusline'], { input, env }), {
    stdout: '$0.02 session · $0.05 today · 20.0k context (10 %)\n',
    modules: ['os'],
    files: ['clew.js', path.join('lean', 'statusline.js')],
  });
});

test('guard as a hook loads two files without limits, and one more with them', (context) => {
  const { file, env } = place(context);
  const input = JSON.stringify({ transcript_path: file, hook_event_name: 'PreToolUse' });
  const files = ['clew.js', path.join('lean', 'guard.js')];
  assert.deepEqual(load([clew, 'guard'], { input, env }), { stdout: '', modules: ['os'], files });
  load([clew, 'guard', '--hard', '5'], { input, env }); // writes the state of usage
  assert.deepEqual(load([clew, 'guard', '--hard', '5'], { input, env }), {
    stdout: '',
    modules: ['os'],
    files: ['clew.js', path.join('lean', 'guard-answer.js'), path.join('lean', 'guard.js')],
  });
});

test('usage loads two files if nothing has changed, and one more to count', (context) => {
  const { env } = place(context);
  const files = ['clew.js', path.join('lean', 'usage-count.js'), path.join('lean', 'usage.js')];
  const first = load([clew, 'usage', '--json'], { env });
  assert.deepEqual(first.files, files);
  const again = load([clew, 'usage', '--json'], { env });
  assert.deepEqual([again.modules, again.files], [['os'], files.filter((file) => !file.includes('count'))]);
  assert.equal(again.stdout, first.stdout);
});

test('mcp loads two files until it is asked something, and no database', () => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const asked = [
    { id: 1, method: 'initialize', params },
    { id: 2, method: 'tools/list' },
  ];
  const input = asked.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
  const { stdout, modules, files } = load([clew, 'mcp'], { input, env: { CLEW_HOME: path.join(folder, 'none') } });
  assert.match(stdout, /"name":"usage"/);
  assert.deepEqual(files, ['clew.js', path.join('lean', 'mcp.js')]);
  assert.ok(!modules.includes('internal/modules/esm/translators'));
});

test('the trace hook loads one file where there is nothing to do', () => {
  const file = path.join(folder, 'session.jsonl');
  writeTree(folder, { 'session.jsonl': '{"type":"summary","summary":"x","leafUuid":"y"}\n' });
  const env = { CLEW_HOME: path.join(folder, 'state') };
  const identity = identifyHead(file);
  assert.ok(identity !== undefined);
  const rest = { cursor: undefined, takenOver: undefined, updatedMs: 0, pending: [] };
  writeState(tracePlaces(env), { sessionId: 'session', file, identity, atEnd: 'turn', ...rest });
  const input = JSON.stringify({ transcript_path: file, hook_event_name: 'Stop' });
  const cases = [{ CLEW_TRACE: 'off' }, {}, { CLEW_TRACE_ENDPOINT: 'http://127.0.0.1:9' }];
  for (const settings of cases) {
    const { stdout, modules, files } = load([hook], { input, env: { ...env, ...settings } });
    assert.deepEqual([stdout, modules, files], ['', ['os'], ['trace-hook.js']]);
  }
  assert.match(readFileSync(tracePlaces(env).log, 'utf8'), /^\S+ hook: no destination is set up [^\n]*\n$/);
});

test('everything else loads the full program, which these lists would show', () => {
  const { modules, files } = load([clew, '--help']);
  assert.ok(modules.includes('internal/modules/esm/translators') || Number(process.versions.node.split('.')[0]) > 20);
  assert.ok(modules.includes('stream'));
  assert.deepEqual(files, ['clew.js']);
});

test('the first files are small', () => {
  const limits = {
    'clew.js': 4_000,
    'lean/statusline.js': 122_000,
    'lean/usage.js': 73_000,
    'lean/usage-count.js': 76_000,
    'lean/mcp.js': 165_000,
    'lean/find.js': 218_000,
    'trace-hook.js': 32_000,
  };
  for (const [name, limit] of Object.entries(limits)) {
    const { size } = statSync(path.join(dist, name));
    assert.ok(size <= limit, `${name} has ${size} bytes, more than ${limit}`);
  }
});
