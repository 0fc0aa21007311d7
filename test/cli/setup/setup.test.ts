// clew setup on settings files of every kind: the entries are there afterwards, --remove restores the bytes, and a file
// that cannot be understood is not touched.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { jsonOf, runClew } from '../../support/clew.ts';
import { sessionText, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const parts = ['--mcp', '--archive', '--statusline', '--skill', '--guard', '--push'];

/** settings.json and .claude.json, `null` for no file. */
const files: Readonly<Record<string, readonly [string | null, string | null]>> = {
  'no files': [null, null],
  'empty files': ['', ''],
  'empty objects': ['{}', '{ }\n'],
  'white space in an empty object': ['{\n\n}\n', '{\r\n}'],
  'compact, no final newline': ['{"model":"opus"}', '{"a":1,"mcpServers":{"x":{"command":"y"}}}'],
  'tabs and CRLF': ['{\r\n\t"model": "opus"\r\n}\r\n', '{\r\n\t"mcpServers": {}\r\n}\r\n'],
  'a byte order mark': ['\uFEFF{\n  "a": 1\n}\n', '\uFEFF{}'],
  'hooks of others in the same events': [
    '{"hooks":{"SessionEnd":[{"matcher":"","hooks":[{"type":"command","command":"mine"}]}],"PreToolUse":[]}}',
    '{"mcpServers":{"a":{"command":"b"},"c":{"command":"d"}}}',
  ],
  'odd spaces, escapes, duplicate keys': [
    '{ "a" : "\\u00e9\\/" , "a":2,\n\n  "hooks" : {  } , "b":[ 1,2 ,3 ] }  \n\n',
    '{"x":1e400,"x":-0.0,   "mcpServers"  :  { }}',
  ],
};

for (const [name, [settings, config]] of Object.entries(files)) {
  test(`${name}: what is set up is there, and --remove restores every byte`, (context) => {
    const place = makePlace(context, settings, config);
    const before = filesIn(place.root);
    assert.equal(place.run('setup', ...parts, '--yes').status, 0);
    place.checkInstalled();
    const again = place.json('setup', ...parts, '--yes') as { readonly changed: boolean };
    assert.equal(again.changed, false);
    assert.equal(place.run('setup', '--remove', '--yes').status, 0);
    assert.deepEqual(filesIn(place.root), before);
  });
}

test('a part at a time, added and removed, leaves the bytes as they were', (context) => {
  const place = makePlace(context, '{\n    "model": "opus"\n}', '{"numStartups":3}\n');
  const before = filesIn(place.root);
  for (const part of parts) assert.equal(place.run('setup', part, '--yes').status, 0);
  place.checkInstalled();
  for (const part of parts) assert.equal(place.run('setup', '--remove', part, '--yes').status, 0);
  assert.deepEqual(filesIn(place.root), before);
});

test('changes of others stay, and only our entries are removed', (context) => {
  const place = makePlace(context, '{\n  "model": "opus"\n}\n', '{"numStartups":3}');
  assert.equal(place.run('setup', ...parts, '--yes').status, 0);
  place.edit('settings.json', '"opus"', '"sonnet"');
  place.edit('.claude.json', '"numStartups":3', '"numStartups":4');
  place.edit('commands/clew/find.md', 'Search', 'Look');
  const { stderr, stdout, status } = place.run('setup', '--remove', '--yes');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /find\.md was changed and stays/);
  assert.equal(place.read('settings.json'), '{\n  "model": "sonnet"\n}\n');
  assert.equal(place.read('.claude.json'), '{"numStartups":4}');
  assert.match(place.read('commands/clew/find.md'), /^description: Look earlier/m);
  assert.deepEqual(place.status(), {});
});

test('another status line is kept unless it is named, and comes back', (context) => {
  const theirs = '{"statusLine": {"type":"command","command":"mine"}, "z":1}';
  const place = makePlace(context, theirs, '{}');
  const usual = place.json('setup', '--yes') as { readonly parts: readonly { part: string; state: string }[] };
  assert.equal(usual.parts.find(({ part }) => part === 'statusline')?.state, 'skip');
  assert.match(place.read('settings.json'), /"command":"mine"/);
  assert.equal(place.run('setup', '--statusline', '--yes').status, 0);
  assert.doesNotMatch(place.read('settings.json'), /"command":"mine"/);
  place.edit('settings.json', '"z":1', '"z":2');
  assert.equal(place.run('setup', '--remove', '--yes').status, 0);
  assert.equal(place.read('settings.json'), theirs.replace('"z":1', '"z":2'));
});

test('what the user wrote is neither added a second time nor removed', (context) => {
  const own = '{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"clew archive --auto"}]}]}}';
  const place = makePlace(context, own, '{"mcpServers":{"clew":{"command":"clew","args":["mcp"]}}}');
  const before = filesIn(place.root);
  const report = place.json('setup', '--mcp', '--archive', '--yes') as { readonly parts: readonly object[] };
  assert.deepEqual(
    report.parts.map((each) => ({ ...each, note: '' })),
    [
      { part: 'mcp', state: 'already', note: '' },
      { part: 'archive', state: 'already', note: '' },
    ],
  );
  place.run('setup', '--remove', '--yes');
  assert.deepEqual(filesIn(place.root), before);
});

const refused: Readonly<Record<string, readonly [string | null, string | null, RegExp]>> = {
  'settings.json is not JSON': ['{"a":1,}', '{}', /settings\.json is not a JSON object; correct it first/],
  'settings.json with comments': ['{\n// x\n"a":1}', '{}', /settings\.json is not a JSON object/],
  'settings.json is a list': ['[]', '{}', /settings\.json is not a JSON object/],
  'hooks are a list': ['{"hooks":[]}', '{}', /"hooks" in .*settings\.json is not an object/],
  'hooks of an event are an object': ['{"hooks":{"Stop":{}}}', '{}', /the hooks of Stop in .* are not a list/],
  '.claude.json is not JSON': ['{}', 'x', /\.claude\.json is not a JSON object/],
  'mcpServers is a list': ['{}', '{"mcpServers":[]}', /"mcpServers" in .*\.claude\.json is not an object/],
};

for (const [name, [settings, config, message]] of Object.entries(refused)) {
  test(`${name}: nothing is written`, (context) => {
    const place = makePlace(context, settings, config);
    const before = filesIn(place.root);
    const { status, stderr } = place.run('setup', ...parts, '--yes');
    assert.deepEqual([status, message.test(stderr)], [2, true], stderr);
    assert.deepEqual(filesIn(place.root), before);
  });
}

test('bytes that are not UTF-8, and a folder instead of the file, are refused', (context) => {
  const place = makePlace(context, null, null);
  writeFileSync(path.join(place.root, 'settings.json'), Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
  assert.match(place.run('setup', '--archive', '--yes').stderr, /settings\.json is not UTF-8/);
  mkdirSync(path.join(place.root, '.claude.json'));
  assert.equal(place.run('setup', '--mcp', '--yes').status, 2);
});

test('without --yes and a terminal nothing is written, and --dry-run shows the difference', (context) => {
  const place = makePlace(context, '{}\n', '{}\n');
  const before = filesIn(place.root);
  const asked = place.run('setup', '--mcp');
  assert.deepEqual([asked.status, /needs confirmation: add `--yes`/.test(asked.stderr)], [3, true]);
  const shown = place.run('setup', '--mcp', '--all-projects', '--dry-run');
  assert.equal(shown.status, 0);
  assert.match(shown.stdout, /\n\+ {8}"mcp",\n\+ {8}"--all-projects"\n/);
  assert.deepEqual(filesIn(place.root), before);
});

test('beside the plugin only the status line is set up', (context) => {
  const place = makePlace(context, '{"enabledPlugins":{"clew@clew":true}}', '{}');
  const report = place.json('setup', '--yes') as { readonly parts: readonly { readonly part: string }[] };
  assert.deepEqual(
    report.parts.map(({ part }) => part),
    ['statusline'],
  );
  const { status, stderr } = place.run('setup', '--mcp', '--yes');
  assert.deepEqual([status, /the plugin clew@clew is enabled/.test(stderr)], [3, true]);
});

test('the hook of push is set up without a choice if there is a store, also if the plugin is enabled', (context) => {
  const place = makePlace(context, '{"enabledPlugins":{"clew@clew":true}}', '{}');
  const wanted = ['setup', '--push', '--dry-run'];
  assert.match(place.run(...wanted).stderr, /no store is set up yet; see docs\/team\.md/);
  writeTree(place.state, { 'team.json': '{"store":"postgres://ada@db.example/clew"}' });
  assert.doesNotMatch(place.run(...wanted).stderr, /no store is set up/);
  assert.equal(place.run('setup', '--yes').status, 0);
  assert.deepEqual(place.status(), { push: 'setup', statusline: 'setup', ...byPlugin });
  assert.equal(place.run('setup', '--remove', '--push', '--yes').status, 0);
  assert.doesNotMatch(place.read('settings.json'), /push --auto/);
});

const byPlugin = Object.fromEntries(['mcp', 'archive', 'trace', 'guard', 'skill'].map((part) => [part, 'plugin']));

/** Every file and folder, with its bytes. */
function filesIn(root: string): Readonly<Record<string, string>> {
  const names = readdirSync(root, { recursive: true }).map(String).sort();
  const bytesOf = (file: string): string => (statSync(file).isFile() ? readFileSync(file, 'base64') : 'folder');
  return Object.fromEntries(names.map((name) => [name, bytesOf(path.join(root, name))]));
}

function makePlace(context: TestContext, settings: string | null, config: string | null) {
  const folder = temporaryFolder(context);
  const root = path.join(folder, 'claude');
  writeTree(root, {
    'projects/p/s.jsonl': sessionText([user('hi')], { version: '2.1.325' }),
    ...(settings === null ? {} : { 'settings.json': settings }),
    ...(config === null ? {} : { '.claude.json': config }),
  });
  const state = path.join(folder, 'state');
  // No client on the PATH: the newest transcript has the version.
  const env = { PATH: '/nowhere', CLEW_HOME: state };
  const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');
  const run = (...words: string[]) => runClew([...words, '--root', root], { env });
  const json = (...words: string[]) => jsonOf([...words, '--json', '--root', root], { env });
  return {
    root,
    state,
    read,
    run,
    json,
    edit(name: string, from: string, to: string): void {
      const text = read(name);
      assert.ok(text.includes(from), text);
      writeFileSync(path.join(root, name), text.replace(from, to));
    },
    /** The parts that `--status` knows, and who set them up. */
    status(): object {
      const { parts: found } = json('setup', '--status') as { parts: readonly { part: string; by: string | null }[] };
      return Object.fromEntries(found.filter(({ by }) => by !== null).map(({ part, by }) => [part, by]));
    },
    checkInstalled(): void {
      const program = path.join('dist', 'clew.js');
      const { hooks, statusLine } = JSON.parse(read('settings.json').replace('\uFEFF', '')) as Settings;
      const commands = Object.entries(hooks).flatMap(([event, groups]) =>
        groups.flatMap((group) => group.hooks.map(({ command }) => `${event} ${command.split(program)[1]}`)),
      );
      const ends = ['SessionEnd  archive --auto --detach', 'SessionEnd  push --auto --detach'];
      for (const wanted of [...ends, 'PreToolUse  guard', 'UserPromptSubmit  guard'])
        assert.equal(commands.filter((command) => command === wanted).length, 1, JSON.stringify(commands));
      assert.ok(statusLine.command.endsWith(`${program} statusline`));
      const { mcpServers } = JSON.parse(read('.claude.json').replace('\uFEFF', '')) as Config;
      assert.deepEqual(mcpServers.clew?.args.slice(1), ['mcp']);
      assert.match(read('skills/clew-recall/SKILL.md'), /^---\ndescription: Recall/);
      assert.match(read('commands/clew/usage.md'), /clew usage/);
    },
  };
}

interface Settings {
  readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>;
  readonly statusLine: { readonly command: string };
}

interface Config {
  readonly mcpServers: Readonly<Record<string, { readonly args: readonly string[] }>>;
}
