import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadMemory, memoryLimits } from '../../../src/agent/prompt/memory.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

/** A home with its `.claude`, and a project `work/app` next to it, filled with `files` (named from the top). */
function makeHome(context: TestContext, files: Readonly<Record<string, string>>) {
  const top = temporaryFolder(context);
  writeTree(top, files);
  const cwd = path.join(top, 'work/app');
  mkdirSync(cwd, { recursive: true });
  return { top, options: { cwd, root: path.join(top, 'home/.claude'), home: path.join(top, 'home') } };
}

const shortly = (top: string, memory: Awaited<ReturnType<typeof loadMemory>>) => ({
  files: memory.files.map(({ file, kind, text, importedBy }) => [
    path.relative(top, file),
    kind,
    text,
    ...(importedBy === undefined ? [] : [path.relative(top, importedBy)]),
  ]),
  notes: memory.notes.map((note) => note.replaceAll(`${top}/`, '')),
});

test('instructions are read from the user, then from the top down to the folder, local ones last', async (t) => {
  const { top, options } = makeHome(t, {
    'home/.claude/CLAUDE.md': 'user',
    'home/.claude/rules/style.md': '---\ndescription: x\n---\nuser rule',
    'work/CLAUDE.md': 'above',
    'work/AGENTS.md': 'not read if CLAUDE.md exists',
    'work/app/AGENTS.md': 'agents',
    'work/app/.claude/rules/b/deep.md': 'deep rule',
    'work/app/.claude/rules/only-ts.md': '---\npaths: "**/*.ts"\n---\nonly for some',
    'work/app/CLAUDE.local.md': 'local',
    'work/app/sub/CLAUDE.md': 'below is not read',
  });
  assert.deepEqual(shortly(top, await loadMemory(options)), {
    files: [
      ['home/.claude/CLAUDE.md', 'user', 'user'],
      ['home/.claude/rules/style.md', 'rule', 'user rule'],
      ['work/CLAUDE.md', 'project', 'above'],
      ['work/app/AGENTS.md', 'agents', 'agents'],
      ['work/app/.claude/rules/b/deep.md', 'rule', 'deep rule'],
      ['work/app/CLAUDE.local.md', 'local', 'local'],
    ],
    notes: [],
  });
});

test('imports follow the file that names them, once each, also in a loop', async (t) => {
  const { top, options } = makeHome(t, {
    'work/app/CLAUDE.md': 'See @docs/a.md, @missing.md and `@code.md`; thanks @kim.',
    'work/app/docs/a.md': 'a imports @b.md',
    'work/app/docs/b.md': 'b imports @a.md and @../CLAUDE.md',
    'work/app/code.md': 'never',
  });
  assert.deepEqual(shortly(top, await loadMemory(options)), {
    files: [
      ['work/app/CLAUDE.md', 'project', 'See @docs/a.md, @missing.md and `@code.md`; thanks @kim.'],
      ['work/app/docs/a.md', 'import', 'a imports @b.md', 'work/app/CLAUDE.md'],
      ['work/app/docs/b.md', 'import', 'b imports @a.md and @../CLAUDE.md', 'work/app/docs/a.md'],
    ],
    notes: ['work/app/CLAUDE.md imports missing.md, which does not exist'],
  });
});

test('imports go five deep', async (t) => {
  const chain = Object.fromEntries(
    Array.from({ length: 8 }, (_, index) => [`work/app/${index}.md`, `@${index + 1}.md`]),
  );
  const { top, options } = makeHome(t, { ...chain, 'work/app/CLAUDE.md': '@0.md' });
  const memory = shortly(top, await loadMemory(options));
  assert.deepEqual(
    memory.files.map(([file]) => file),
    ['work/app/CLAUDE.md', 'work/app/0.md', 'work/app/1.md', 'work/app/2.md', 'work/app/3.md', 'work/app/4.md'],
  );
  assert.deepEqual(memory.notes, ['work/app/4.md imports 5.md, which is more than 5 imports deep: left out']);
});

test('a project imports from itself, and from elsewhere, the user’s folder included, only when allowed', async (t) => {
  const { top, options } = makeHome(t, {
    'work/app/CLAUDE.md': '@~/.claude/mine.md @~/secret.md @link.md',
    'home/.claude/mine.md': 'mine',
    'home/.claude/CLAUDE.md': '@~/secret2.md',
    'home/secret.md': 'secret',
    'home/secret2.md': 'the user may',
    'elsewhere.md': 'elsewhere',
  });
  symlinkSync(path.join(top, 'elsewhere.md'), path.join(top, 'work/app/link.md'));
  const strict = shortly(top, await loadMemory(options));
  assert.deepEqual(
    strict.files.map(([file]) => file),
    ['home/.claude/CLAUDE.md', 'home/secret2.md', 'work/app/CLAUDE.md'],
  );
  assert.deepEqual(strict.notes, [
    'work/app/CLAUDE.md imports ~/.claude/mine.md, which is outside the project or may not be read: left out',
    'work/app/CLAUDE.md imports ~/secret.md, which is outside the project or may not be read: left out',
    'work/app/CLAUDE.md imports link.md, which is outside the project or may not be read: left out',
  ]);
  const asked: string[] = [];
  const allowImport = async (file: string) => asked.push(path.relative(top, file)) > 0;
  const allowed = shortly(top, await loadMemory({ ...options, allowImport }));
  assert.deepEqual(asked, ['home/.claude/mine.md', 'home/secret.md', 'elsewhere.md']);
  assert.deepEqual(allowed.notes, []);
});

test('nobody imports the credentials of the client, not even with consent or from the user’s own file', async (t) => {
  const { top, options } = makeHome(t, {
    'home/.claude/CLAUDE.md': 'own @~/.claude/.credentials.json @~/.claude.json',
    'work/app/CLAUDE.md': 'theirs @~/.claude/.credentials.json @innocent.md',
    'home/.claude/.credentials.json': '{"secret":1}',
    'home/.claude.json': '{"secret":2}',
  });
  symlinkSync(path.join(top, 'home/.claude/.credentials.json'), path.join(top, 'work/app/innocent.md'));
  const allowed = await loadMemory({ ...options, allowImport: async () => true, judgeRead: async () => 'allow' });
  assert.deepEqual(
    allowed.files.map(({ text }) => text.split(' ')[0]),
    ['own', 'theirs'],
  );
  assert.equal(allowed.notes.length, 4);
});

test('rules about reading a file apply to its import', async (t) => {
  const names = ['allow', 'ask', 'deny', 'place'] as const;
  const { top, options } = makeHome(t, {
    'work/app/CLAUDE.md': names.map((name) => `@${name}.md @../../out/${name}.md`).join(' '),
    ...Object.fromEntries(names.flatMap((name) => [`work/app/${name}.md`, `out/${name}.md`].map((f) => [f, name]))),
  });
  const judgeRead = async (file: string) => {
    const name = names.find((each) => path.basename(file) === `${each}.md`);
    return name === 'place' ? undefined : name;
  };
  const files = async (allowImport?: () => Promise<boolean>): Promise<readonly string[]> => {
    const memory = await loadMemory({ ...options, judgeRead, ...(allowImport === undefined ? {} : { allowImport }) });
    return memory.files.slice(1).map(({ file }) => path.relative(top, file));
  };
  assert.deepEqual(await files(), ['work/app/allow.md', 'out/allow.md', 'work/app/place.md']);
  assert.deepEqual(await files(async () => true), [
    ...['work/app/allow.md', 'out/allow.md', 'work/app/ask.md', 'out/ask.md', 'work/app/place.md', 'out/place.md'],
  ]);
});

test('a memory file that is a link out of the project is not read, one that links to a sibling is read once', async (t) => {
  const { top, options } = makeHome(t, { 'work/CLAUDE.md': 'a', 'secret.md': 'secret' });
  symlinkSync(path.join(top, 'secret.md'), path.join(top, 'work/app/CLAUDE.md'));
  symlinkSync('CLAUDE.md', path.join(top, 'work/AGENTS.md'));
  assert.deepEqual(shortly(top, await loadMemory(options)), {
    files: [['work/CLAUDE.md', 'project', 'a']],
    notes: ['work/app/CLAUDE.md is a link that leads out of the project: left out'],
  });
});

test('instructions in a world-writable folder are not read, unless it is the project', async (t) => {
  const { top, options } = makeHome(t, { 'work/CLAUDE.md': 'anybody', 'work/app/CLAUDE.md': 'mine' });
  chmodSync(path.join(top, 'work'), 0o777);
  chmodSync(path.join(top, 'work/app'), 0o777);
  assert.deepEqual(shortly(top, await loadMemory(options)).files, [['work/app/CLAUDE.md', 'project', 'mine']]);
});

test('long files are cut, and all together never pass the limit', async (t) => {
  const { top, options } = makeHome(t, {
    'work/app/CLAUDE.md': 'x'.repeat(memoryLimits.fileChars + 1),
    ...Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`work/app/.claude/rules/${index}.md`, 'y'.repeat(39_000)]),
    ),
  });
  const memory = await loadMemory(options);
  const chars = memory.files.map(({ text }) => text.replace(/\n\[cut here.*\]$/, '').length);
  assert.deepEqual(chars, [40_000, 39_000, 39_000, 39_000, 39_000, 4000]);
  assert.match(memory.files[0]?.text ?? '', /\n\[cut here: the file is longer; read it if you need the rest\]$/);
  assert.deepEqual(shortly(top, memory).notes, [
    'work/app/CLAUDE.md is too long: only its first 40000 characters were read',
    'work/app/.claude/rules/4.md is too long: only its first 4000 characters were read',
    'work/app/.claude/rules/5.md was left out: the instruction files are too long together',
    'work/app/.claude/rules/6.md was left out: the instruction files are too long together',
    'work/app/.claude/rules/7.md was left out: the instruction files are too long together',
  ]);
});

test('a pipe, a folder and a binary file are skipped', async (t) => {
  const { top, options } = makeHome(t, { 'work/AGENTS.md': 'fallback', 'work/app/CLAUDE.local.md': 'a\0b' });
  mkdirSync(path.join(top, 'work/CLAUDE.md'));
  spawnSync('mkfifo', [path.join(top, 'work/app/CLAUDE.md')]);
  assert.deepEqual(shortly(top, await loadMemory(options)), {
    files: [['work/AGENTS.md', 'agents', 'fallback']],
    notes: [],
  });
});
