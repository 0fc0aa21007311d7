// The plugin of this repository: its versions agree, what it names exists, and its hooks never disturb a session.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { commands } from '../src/cli/commands.ts';
import { projectRoot } from './support/paths.ts';
import { temporaryFolder, writeTree } from './support/temp-folder.ts';

const plugin = path.join(projectRoot, 'plugin');
const read = (name: string): string => readFileSync(path.join(projectRoot, name), 'utf8');
const script = path.join(plugin, 'hooks', 'run.sh');

test('the plugin has the version of the package, and the marketplace offers it', () => {
  const { version } = JSON.parse(read('package.json')) as { readonly version: string };
  const manifest = JSON.parse(read('plugin/.claude-plugin/plugin.json')) as { readonly version: string };
  assert.equal(manifest.version, version);
  const market = JSON.parse(read('.claude-plugin/marketplace.json')) as {
    readonly plugins: readonly { readonly name: string; readonly source: string; readonly version?: string }[];
  };
  assert.deepEqual(
    market.plugins.map(({ name, source, version: own }) => [name, source, own]),
    [['clew', './plugin', undefined]],
  );
});

test('every command that the plugin names is a command of clew', () => {
  const known = new Set(commands.map(({ name }) => name));
  const named = new Set<string>();
  for (const name of readdirSync(plugin, { recursive: true }).map(String)) {
    const file = path.join(plugin, name);
    if (!statSync(file).isFile()) continue;
    const text = readFileSync(file, 'utf8');
    for (const [, word] of text.matchAll(/(?:`clew |sh "\$clew" |Bash\(clew )([a-z]+)/g)) named.add(word ?? '');
  }
  assert.deepEqual([...named].sort(), ['archive', 'doctor', 'fork', 'guard', 'mcp', 'setup', 'trace', 'usage']);
  assert.deepEqual(
    [...named].filter((name) => !known.has(name)),
    [],
  );
});

test('slash commands cost no tokens until they are used, and the skill costs few', () => {
  for (const name of ['find', 'doctor', 'fork', 'usage'])
    assert.match(read(`plugin/commands/${name}.md`), /^---\n(?:.+\n)*disable-model-invocation: true\n(?:.+\n)*---\n/);
  const description = /^description: (.*)$/m.exec(read('plugin/skills/recall/SKILL.md'))?.[1] ?? '';
  assert.ok(description.length > 0 && description.length < 260, `${description.length} characters`);
});

test('a hook that is not configured prints nothing and runs nothing', (context) => {
  const place = makePlace(context);
  for (const name of ['start', 'stop', 'guard']) {
    assert.deepEqual(place.hook(name), { status: 0, stdout: '', stderr: '' });
    // For the client's own metrics, not for Clew.
    const other = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', CLEW_TRACE: 'off' };
    assert.deepEqual(place.hook(name, other), { status: 0, stdout: '', stderr: '' });
  }
  assert.deepEqual(place.calls(), []);
});

test('a hook that is configured runs clew with the input, and hides its failure', (context) => {
  const place = makePlace(context);
  writeTree(place.home, { 'state/guard.json': '{}' });
  assert.deepEqual(place.hook('guard'), { status: 0, stdout: 'verdict of guard\n', stderr: '' });
  assert.deepEqual(place.hook('stop', { CLEW_TRACE_ENDPOINT: 'http://x' }), { status: 0, stdout: '', stderr: '' });
  assert.deepEqual(place.calls(), ['guard <input of guard>', 'trace hook <input of stop>']);
});

test('hooks that settings.json has already are not run a second time', (context) => {
  const place = makePlace(context);
  const commands = ['node /x/dist/trace-hook.js', 'clew archive --auto', "'node' '/x/clew.js' guard"];
  writeTree(place.home, { 'state/guard.json': '{}', '.claude/settings.json': JSON.stringify({ hooks: commands }) });
  for (const name of ['start', 'stop', 'end', 'guard'])
    assert.deepEqual(place.hook(name, { CLEW_TRACE: '1' }), { status: 0, stdout: '', stderr: '' });
  assert.deepEqual(place.calls(), []);
});

test('without clew there is one message, at the start of a session', (context) => {
  const place = makePlace(context, { hasClew: false });
  writeTree(place.home, { 'state/guard.json': '{}' });
  const { status, stdout, stderr } = place.hook('start');
  assert.deepEqual([status, stderr], [0, '']);
  assert.match((JSON.parse(stdout) as { readonly systemMessage: string }).systemMessage, /npm install -g clew/);
  for (const name of ['stop', 'end', 'guard'])
    assert.deepEqual(place.hook(name, { CLEW_TRACE: '1' }), { status: 0, stdout: '', stderr: '' });
  const server = place.hook('mcp');
  assert.deepEqual([server.status, server.stdout], [127, '']);
  assert.match(server.stderr, /^clew: the program is not in the PATH; install it with `npm install -g clew`/);
});

/** A copy of the scripts, so that no built program is next to them, and a fake clew that writes down its calls. */
function makePlace(context: TestContext, { hasClew = true } = {}) {
  const home = temporaryFolder(context);
  writeTree(home, {
    'plugin/hooks/run.sh': readFileSync(script),
    'plugin/bin/clew': readFileSync(path.join(plugin, 'bin', 'clew')),
    'log.txt': '',
  });
  if (hasClew) {
    const text = `#!/bin/sh\necho "$* <$(cat)>" >> ${home}/log.txt\necho "verdict of $1"\necho noise >&2\nexit 2\n`;
    writeTree(home, { 'program/clew': text });
    chmodSync(path.join(home, 'program', 'clew'), 0o755);
  }
  return {
    home,
    hook(name: string, env: Readonly<Record<string, string>> = {}) {
      const PATH = `${home}/program:/usr/bin:/bin`;
      const options = { input: `input of ${name}`, encoding: 'utf8' } as const;
      const { status, stdout, stderr } = spawnSync('sh', [path.join(home, 'plugin/hooks/run.sh'), name], {
        ...options,
        env: { PATH, HOME: home, CLEW_HOME: path.join(home, 'state'), ...env },
      });
      return { status, stdout, stderr };
    },
    calls: (): readonly string[] => readFileSync(path.join(home, 'log.txt'), 'utf8').split('\n').slice(0, -1),
  };
}
