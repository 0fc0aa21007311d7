import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectsFolder, projectsFolders, resolveRoots, stateFolder } from '../../src/store/roots.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

test('roots come from --root, else CLEW_ROOTS, else CLAUDE_CONFIG_DIR, else the home folder', (t) => {
  const home = temporaryFolder(t);
  const env = { CLEW_ROOTS: `/a${path.delimiter}/b`, CLAUDE_CONFIG_DIR: '/c,/d' };
  assert.deepEqual(resolveRoots({ roots: ['/x', '/y/', '/x'], env, home }), ['/x', '/y']);
  assert.deepEqual(resolveRoots({ roots: [], env, home }), ['/a', '/b']);
  assert.deepEqual(resolveRoots({ env: { ...env, CLEW_ROOTS: '' }, home }), ['/c', '/d']);
  assert.deepEqual(resolveRoots({ env: { CLAUDE_CONFIG_DIR: ' /c , , ~/d ' }, home }), ['/c', path.join(home, 'd')]);
  assert.deepEqual(resolveRoots({ env: {}, home }), [path.join(home, '.claude')]);
});

test('a relative --root is relative to the working folder', () => {
  assert.deepEqual(resolveRoots({ roots: ['some/where'], env: {} }), [path.resolve('some/where')]);
});

test('~/.config/claude is a second default root where it exists', (t) => {
  const home = temporaryFolder(t);
  mkdirSync(path.join(home, '.config/claude'), { recursive: true });
  assert.deepEqual(resolveRoots({ env: {}, home }), [path.join(home, '.claude'), path.join(home, '.config/claude')]);
});

test('a config folder with a comma in its name is one folder where it exists', (t) => {
  const folder = path.join(temporaryFolder(t), 'one,two');
  mkdirSync(folder);
  assert.deepEqual(resolveRoots({ env: { CLAUDE_CONFIG_DIR: folder } }), [folder]);
});

test('the projects folder is root/projects, or the root itself where that holds projects', (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, {
    'config/projects/-p/a.jsonl': '',
    'config/other/b.jsonl': '',
    'copy/-p/a.jsonl': '',
    'fresh/settings/readme.txt': '',
  });
  const at = (name: string): string => path.join(folder, name);
  mkdirSync(at('empty/projects'), { recursive: true });
  assert.deepEqual(
    ['config', 'config/projects', 'copy', 'fresh', 'empty/projects', 'missing'].map((name) => projectsFolder(at(name))),
    ['config/projects', 'config/projects', 'copy', 'fresh/projects', 'empty/projects', 'missing/projects'].map(at),
  );
});

test('one projects folder that several roots lead to is listed once, for the first of them', (t) => {
  const folder = temporaryFolder(t);
  const config = path.join(folder, 'config');
  const link = path.join(folder, 'link');
  writeTree(folder, { 'config/projects/-p/a.jsonl': '' });
  symlinkSync(config, link);
  assert.deepEqual(projectsFolders([link, config, path.join(config, 'projects'), path.join(folder, 'none')]), [
    { root: link, projects: path.join(link, 'projects') },
    { root: path.join(folder, 'none'), projects: path.join(folder, 'none/projects') },
  ]);
});

test('the state folder is CLEW_HOME, else below XDG_STATE_HOME, else below the home folder', () => {
  assert.deepEqual(
    [
      stateFolder({ CLEW_HOME: '/state', XDG_STATE_HOME: '/xdg' }, '/home/dev'),
      stateFolder({ CLEW_HOME: '~/state' }, '/home/dev'),
      stateFolder({ XDG_STATE_HOME: '/xdg' }, '/home/dev'),
      stateFolder({ XDG_STATE_HOME: 'relative' }, '/home/dev'),
      stateFolder({}, '/home/dev'),
    ],
    ['/state', '/home/dev/state', '/xdg/clew', '/home/dev/.local/state/clew', '/home/dev/.local/state/clew'],
  );
});
