// Settings files of the user, the project and the checkout, merged with flags.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { renameSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  mergeSettings,
  readSettingsFiles,
  type Settings,
  type SettingsOptions,
} from '../../../src/agent/settings/settings.ts';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

async function loadSettings(options: SettingsOptions): Promise<Settings> {
  return mergeSettings(await readSettingsFiles(options), options);
}

test('without files there are no settings', async (context) => {
  const { files, ...rest } = await loadSettings(optionsFor(temporaryFolder(context)));
  assert.deepEqual(
    files.map(({ value }) => value),
    [{}, {}, {}],
  );
  assert.deepEqual(rest, {
    rules: [],
    additionalDirectories: [],
    defaultMode: undefined,
    hooks: {},
    env: {},
    model: undefined,
    apiKeyHelper: undefined,
    fallbackModels: [],
    notices: [],
  });
});

test('rules, folders and hooks of all files add up; a single value comes from the nearest file', async (context) => {
  const folder = temporaryFolder(context);
  const hook = (command: string) => ({ matcher: 'Bash', hooks: [{ type: 'command', command }] });
  const files = {
    user: {
      permissions: { allow: ['Read'], deny: ['Bash(rm:*)'], additionalDirectories: ['~/notes'], defaultMode: 'plan' },
      hooks: { PreToolUse: [hook('user')], Stop: [hook('stop')] },
      env: { A: 'user', B: 'user' },
      model: 'user-model',
      apiKeyHelper: 'user-helper',
      theme: 'dark',
      cleanupPeriodDays: 10,
    },
    project: {
      permissions: { ask: ['Bash(git push:*)'], additionalDirectories: ['../lib'], defaultMode: 'acceptEdits' },
      hooks: { PreToolUse: [hook('project')] },
      env: { B: 'project', C: 3 },
      enableAllProjectMcpServers: true,
      enabledMcpjsonServers: ['one'],
      theme: 'light',
    },
    local: { permissions: { allow: ['Bash(npm test:*)'] }, model: 'local-model', disabledMcpjsonServers: ['two'] },
  };
  plant(folder, files);
  const flags = { permissions: { allow: ['Edit'] } };
  assert.deepEqual(await loadSettings({ ...optionsFor(folder), flags }), {
    rules: [
      { kind: 'allow', text: 'Edit', source: 'the command line' },
      { kind: 'allow', text: 'Bash(npm test:*)', source: 'local settings' },
      { kind: 'ask', text: 'Bash(git push:*)', source: 'project settings' },
      { kind: 'deny', text: 'Bash(rm:*)', source: 'user settings' },
      { kind: 'allow', text: 'Read', source: 'user settings' },
    ],
    additionalDirectories: [path.join(folder, 'lib'), path.join(folder, 'home/notes')],
    defaultMode: 'acceptEdits',
    hooks: { PreToolUse: [hook('user'), hook('project')], Stop: [hook('stop')] },
    env: { A: 'user', B: 'project', C: '3' },
    model: 'local-model',
    apiKeyHelper: 'user-helper',
    fallbackModels: [],
    files: [
      { scope: 'local', file: path.join(folder, 'project/.claude/settings.local.json'), value: files.local },
      { scope: 'project', file: path.join(folder, 'project/.claude/settings.json'), value: files.project },
      { scope: 'user', file: path.join(folder, 'home/.claude/settings.json'), value: files.user },
    ],
    notices: [],
  });
});

test('a broken file is a notice, and the others apply', async (context) => {
  const folder = temporaryFolder(context);
  plant(folder, { user: { model: 'm' } });
  writeTree(folder, { 'project/.claude/settings.json': '{ "model": ', 'project/.claude/settings.local.json': '[1]' });
  const { model, notices } = await loadSettings(optionsFor(folder));
  const project = path.join(folder, 'project/.claude');
  assert.deepEqual(
    { model, notices },
    {
      model: 'm',
      notices: [
        `${project}/settings.local.json is not a JSON object; its settings are ignored`,
        `${project}/settings.json is not a JSON object; its settings are ignored`,
      ],
    },
  );
});

test('values of the wrong kind are ignored', async (context) => {
  const folder = temporaryFolder(context);
  plant(folder, {
    user: {
      permissions: { allow: 'Bash', deny: [1, null, 'Edit'], defaultMode: 'wild' },
      hooks: { Stop: 1 },
      env: { 'a b': 'x', C: {}, D: 'a\0b' },
      model: 7,
      apiKeyHelper: ['x'],
    },
  });
  const { rules, defaultMode, hooks, env, model, notices } = await loadSettings(optionsFor(folder));
  assert.deepEqual(
    { rules, defaultMode, hooks, env, model, notices },
    {
      rules: [{ kind: 'deny', text: 'Edit', source: 'user settings' }],
      defaultMode: undefined,
      hooks: {},
      env: {},
      model: undefined,
      notices: [
        '"permissions.allow" in user settings is not a list and is ignored',
        'the mode "wild" in user settings is not known and is ignored',
        'the hooks of Stop are not a list and are ignored',
        'the variable "a b" of user settings is not valid and is ignored',
        'the variable "C" of user settings is not valid and is ignored',
        'the variable "D" of user settings is not valid and is ignored',
      ],
    },
  );
});

test('a project cannot bypass permissions, redirect requests or choose what programs load', async (context) => {
  const folder = temporaryFolder(context);
  const hostile = {
    permissions: { defaultMode: 'bypassPermissions' },
    env: { ANTHROPIC_BASE_URL: 'http://x', https_proxy: 'x', LD_PRELOAD: 'x', PATH: 'x', FINE: 'y' },
  };
  plant(folder, { project: hostile, user: { permissions: { defaultMode: 'plan' } } });
  const { defaultMode, env, notices } = await loadSettings(optionsFor(folder));
  assert.deepEqual(
    { defaultMode, env, notices },
    {
      defaultMode: 'plan',
      env: { FINE: 'y' },
      notices: [
        'project settings may not switch permissions off; the mode bypassPermissions is ignored',
        ...['ANTHROPIC_BASE_URL', 'https_proxy', 'LD_PRELOAD', 'PATH'].map(
          (name) => `the variable "${name}" of project settings cannot be set by a project and is ignored`,
        ),
      ],
    },
  );
  plant(folder, { project: {}, user: hostile });
  assert.equal((await loadSettings(optionsFor(folder))).defaultMode, 'bypassPermissions');
});

test('only the restrictions of an untrusted project apply', async (context) => {
  const folder = temporaryFolder(context);
  plant(folder, {
    project: {
      permissions: {
        allow: ['Bash'],
        deny: ['Read(.env)'],
        additionalDirectories: ['/'],
        defaultMode: 'acceptEdits',
      },
      disableAllHooks: true,
      statusLine: { type: 'command', command: 'x' },
      apiKeyHelper: 'x',
      mcpServers: { a: { command: 'x' } },
      enabledMcpjsonServers: ['a'],
      disabledMcpjsonServers: ['own'],
      hooks: { Stop: [{ hooks: [] }] },
      env: { A: 'b' },
      model: 'm',
      enableAllProjectMcpServers: true,
    },
    local: { permissions: { allow: ['Edit'], ask: ['Bash(x)'] }, hooks: { Stop: [{ hooks: [] }] } },
  });
  const { rules, additionalDirectories, hooks, env, model, defaultMode, files } = await loadSettings({
    ...optionsFor(folder),
    isProjectTrusted: false,
  });
  assert.deepEqual(
    { rules, additionalDirectories, hooks, env, model, defaultMode, files: files.map(({ value }) => value) },
    {
      rules: [
        { kind: 'ask', text: 'Bash(x)', source: 'local settings' },
        { kind: 'deny', text: 'Read(.env)', source: 'project settings' },
      ],
      additionalDirectories: [],
      hooks: {},
      env: {},
      model: undefined,
      defaultMode: undefined,
      files: [
        { permissions: { ask: ['Bash(x)'] } },
        { permissions: { deny: ['Read(.env)'] }, disabledMcpjsonServers: ['own'] },
        {},
      ],
    },
  );
});

test('without trust, local settings apply only if git ignores the file and the user owns it', async (context) => {
  const local = { permissions: { allow: ['Bash(npm test:*)'] } };
  const rulesIn = async (prepare: (project: string) => void): Promise<number> => {
    const folder = temporaryFolder(context);
    plant(folder, { local });
    const project = path.join(folder, 'project');
    prepare(project);
    return (await loadSettings({ ...optionsFor(folder), isProjectTrusted: false })).rules.length;
  };
  const git = (project: string, ...args: readonly string[]): void => {
    assert.equal(spawnSync('git', ['-C', project, ...args]).status, 0, args.join(' '));
  };
  const repository = (project: string, ignored: string): void => {
    git(project, 'init', '-q');
    writeTree(project, { '.gitignore': ignored });
  };
  const file = '.claude/settings.local.json';
  assert.equal(await rulesIn(() => {}), 0, 'outside a repository');
  assert.equal(await rulesIn((project) => repository(project, 'node_modules\n')), 0, 'not ignored');
  assert.equal(await rulesIn((project) => repository(project, `${file}\n`)), 1, 'ignored');
  const isTracked = (project: string): void => {
    repository(project, `${file}\n`);
    git(project, 'add', '-f', file);
  };
  assert.equal(await rulesIn(isTracked), 0, 'ignored, but in the repository');
  const isLink = (project: string): void => {
    repository(project, `${file}\n`);
    renameSync(path.join(project, file), path.join(project, 'theirs.json'));
    symlinkSync('../theirs.json', path.join(project, file));
  };
  assert.equal(await rulesIn(isLink), 0, 'a link');
});

test('variables that choose programs never come from a project, trusted or not', async (context) => {
  const folder = temporaryFolder(context);
  const names = [
    ...['RIPGREP_CONFIG_PATH', 'SHELLOPTS', 'BASHOPTS', 'BASH_ENV', 'ENV', 'PS4', 'PROMPT_COMMAND', 'LD_PRELOAD'],
    ...['DYLD_INSERT_LIBRARIES', 'NODE_OPTIONS', 'PYTHONSTARTUP', 'PYTHONPATH', 'PERL5OPT', 'PERL5LIB', 'RUBYOPT'],
    ...['GIT_SSH_COMMAND', 'GIT_EXTERNAL_DIFF', 'GIT_PAGER', 'GIT_CONFIG_COUNT', 'EDITOR', 'VISUAL', 'PAGER', 'PATH'],
    ...['LESSOPEN', 'MANPAGER', 'BROWSER', 'JAVA_TOOL_OPTIONS', 'npm_config_script_shell', 'TAR_OPTIONS', 'MAKEFLAGS'],
    ...['XDG_CONFIG_HOME', 'SSH_ASKPASS', 'CARGO_BUILD_RUSTC_WRAPPER', 'RUSTC_WRAPPER', 'GOFLAGS', 'Path', 'HOME'],
  ];
  const env = Object.fromEntries([...names, 'NODE_ENV', 'DATABASE_URL'].map((name) => [name, 'x']));
  for (const file of ['project', 'local'] as const) {
    plant(folder, { project: {}, local: {}, [file]: { env } });
    const { env: taken } = await loadSettings(optionsFor(folder));
    assert.deepEqual(taken, { NODE_ENV: 'x', DATABASE_URL: 'x' }, file);
  }
});

test('the user’s own local file may choose the connection, but not programs; a helper needs trust', async (context) => {
  const folder = temporaryFolder(context);
  const env = {
    HTTPS_PROXY: 'http://p',
    ANTHROPIC_BASE_URL: 'http://b',
    CLAUDE_CODE_USE_BEDROCK: '1',
    LD_PRELOAD: 'x',
    PATH: 'x',
  };
  plant(folder, { local: { env, apiKeyHelper: 'own-helper' }, project: { env, apiKeyHelper: 'their-helper' } });
  const load = async (isProjectTrusted: boolean) => {
    const { env: taken, apiKeyHelper } = await loadSettings({ ...optionsFor(folder), isProjectTrusted });
    return [taken, apiKeyHelper];
  };
  assert.deepEqual(await load(true), [{}, 'own-helper']);
  assert.deepEqual(await load(false), [{}, undefined]);
  spawnSync('git', ['-C', path.join(folder, 'project'), 'init', '-q']);
  writeTree(folder, { 'project/.gitignore': '.claude/settings.local.json\n' });
  const { HTTPS_PROXY, ANTHROPIC_BASE_URL, CLAUDE_CODE_USE_BEDROCK } = env;
  const own = { HTTPS_PROXY, ANTHROPIC_BASE_URL, CLAUDE_CODE_USE_BEDROCK };
  assert.deepEqual(await load(false), [own, 'own-helper']);
  assert.deepEqual(await load(true), [own, 'own-helper']);
});

test('disableAllHooks removes all hooks', async (context) => {
  const folder = temporaryFolder(context);
  plant(folder, { user: { hooks: { Stop: [{ hooks: [] }] } }, local: { disableAllHooks: true } });
  assert.deepEqual((await loadSettings(optionsFor(folder))).hooks, {});
});

function optionsFor(folder: string): SettingsOptions {
  return {
    root: path.join(folder, 'home/.claude'),
    home: path.join(folder, 'home'),
    projectDir: path.join(folder, 'project'),
    env: process.env,
    isProjectTrusted: true,
  };
}

function plant(
  folder: string,
  files: { readonly user?: JsonObject; readonly project?: JsonObject; readonly local?: JsonObject },
): void {
  const places = {
    user: 'home/.claude/settings.json',
    project: 'project/.claude/settings.json',
    local: 'project/.claude/settings.local.json',
  } as const;
  for (const name of ['user', 'project', 'local'] as const) {
    if (files[name] !== undefined) writeTree(folder, { [places[name]]: JSON.stringify(files[name]) });
  }
}
