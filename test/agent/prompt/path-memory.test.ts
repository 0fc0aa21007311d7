// Instructions for certain files: which files load which of them, and which never do.
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { expandBraces, PathMemory } from '../../../src/agent/prompt/memory.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

test('a file loads the instructions of its folders and the rules whose paths it matches', async (t) => {
  const top = temporaryFolder(t);
  const cwd = path.join(top, 'app');
  writeTree(top, {
    'app/CLAUDE.md': 'top',
    'app/.claude/rules/ts.md': '---\npaths: "src/**/*.{ts,tsx}"\n---\nrule ts',
    'app/.claude/rules/tests.md': '---\npaths:\n  - test/**\n  - "*.test.md"\n---\nrule tests',
    'app/.claude/rules/always.md': 'always',
    'root/rules/mine.md': '---\npaths: docs\n---\nmine',
    'app/src/CLAUDE.md': 'in src, see @more.md and @../../outside.md',
    'app/src/more.md': 'more',
    'app/src/deep/AGENTS.md': 'in deep',
    'app/node_modules/x/CLAUDE.md': 'buy things',
    'outside.md': 'outside',
    'elsewhere/CLAUDE.md': 'elsewhere',
  });
  const touched = [
    'a.ts',
    'src/a.ts',
    'src/deep/er/a.tsx',
    'src/a.js',
    'test/x/y',
    'a.test.md',
    'src/a.test.md',
    'docs/a',
  ];
  const foreign = ['node_modules/x/a.ts', '../elsewhere/a.ts'];
  writeTree(cwd, Object.fromEntries([...touched, ...foreign].map((file) => [file, ''])));
  symlinkSync(path.join(top, 'elsewhere'), path.join(cwd, 'link'));
  symlinkSync(cwd, path.join(top, 'alias'));
  const notes: string[] = [];
  const options = { root: path.join(top, 'root'), home: top };
  for (const folder of [cwd, path.join(top, 'alias')]) {
    const memory = new PathMemory({ cwd: folder, ...options }, (text) => notes.push(text));
    const found: Record<string, readonly (string | undefined)[]> = {};
    for (const file of [...touched, ...foreign, 'link/a.ts', 'src/not-there.ts'])
      found[file] = (await memory.textsFor(path.join(folder, file))).map((text) => text.split('\n').at(-2));
    assert.deepEqual(found, {
      'a.ts': [],
      'src/a.ts': ['in src, see @more.md and @../../outside.md', 'more', 'rule ts'],
      'src/deep/er/a.tsx': ['in src, see @more.md and @../../outside.md', 'more', 'in deep', 'rule ts'],
      'src/a.js': ['in src, see @more.md and @../../outside.md', 'more'],
      'test/x/y': ['rule tests'],
      'a.test.md': ['rule tests'],
      'src/a.test.md': ['in src, see @more.md and @../../outside.md', 'more'],
      'docs/a': ['mine'],
      'node_modules/x/a.ts': [],
      'link/a.ts': [],
      '../elsewhere/a.ts': [],
      'src/not-there.ts': [],
    });
  }
  assert.equal(notes.length, 2);
  assert.match(
    notes[0] ?? '',
    /CLAUDE\.md imports \.\.\/\.\.\/outside\.md, which is outside the project or may not be read: left out/,
  );
});

test('braces are alternatives, also one in another, and never more than a few', () => {
  assert.deepEqual(expandBraces('a.{ts,{js,jsx}}'), ['a.ts', 'a.js', 'a.jsx']);
  assert.deepEqual(expandBraces('{a}/b'), ['{a}/b']);
  const bomb = '{a,b}'.repeat(30);
  assert.deepEqual(expandBraces(bomb), [bomb]);
});
