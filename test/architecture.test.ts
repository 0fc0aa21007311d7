// The rules for src: the folder table of src/README.md (a folder imports only from folders above it), the size of folders, no
// import cycles, entry files, and which modules may write to the terminal. And one for the tests: how they read a page.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { journeyProblems, readJourneys } from './support/journeys.ts';
import { projectRoot } from './support/paths.ts';
import {
  crowdedFolders,
  earlyReads,
  entryPoints,
  entryViolations,
  fileCycles,
  folderCycles,
  type SourceFile,
} from './support/source-rules.ts';

test('every source folder imports only from folders above it in src/README.md', () => {
  assert.deepEqual(
    violations(folderOrder(readFileSync(path.join(projectRoot, 'src/README.md'), 'utf8')), sources()),
    [],
  );
});

test('a planted violation is found', () => {
  const planted = [
    { path: 'format/entry/entry.ts', text: "import { loadSession } from '../../session/index.ts';" },
    { path: 'base/late.ts', text: "const late = await import('../cli/main.ts');" },
    { path: 'base/again.ts', text: "export * from '../format/block.ts';" },
    { path: 'attic/old.ts', text: '' },
  ];
  assert.deepEqual(violations(['base', 'format', 'session', 'cli'], planted), [
    'format/entry/entry.ts imports ../../session/index.ts, which is below format/',
    'base/late.ts imports ../cli/main.ts, which is below base/',
    'base/again.ts imports ../format/block.ts, which is below base/',
    'attic/old.ts is in a folder that src/README.md does not list',
  ]);
});

test('no folder has more than 15 files directly', () => {
  const exempt = ['agent/tools', 'surgery/secrets']; // one file per tool, tables of rules
  assert.deepEqual(crowdedFolders(sourcePaths(), { limit: 15, exempt }), []);
});

test('tests ask in one place who runs them, so none passes only for root', () => {
  const asking = filesBelow('test')
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `test/${file}`)
    .filter((file) => /\bprocess\.gete?uid\b/.test(readProjectFile(file)));
  // A server of PostgreSQL refuses to run as root.
  assert.deepEqual(asking.sort(), ['test/support/ordinary-user.ts', 'test/support/postgres.ts']);
});

test('files do not import one another in a cycle', () => {
  assert.deepEqual(fileCycles(sources()), []);
});

test('folders do not import one another in a cycle', () => {
  assert.deepEqual(folderCycles(sources()), []);
});

test('files import only the entry file of another folder', () => {
  const scripts = ['scripts/build.mjs', 'scripts/build-lean.mjs', 'scripts/build-page.mjs'].map(readProjectFile);
  const exempt = entryPoints(scripts);
  assert.ok(exempt.includes('cli/main.ts'));
  assert.deepEqual(entryViolations(sources(), exempt), []);
});

test('the five journeys of src/README.md take real files and imports', () => {
  const readme = readProjectFile('src/README.md');
  assert.equal(readJourneys(readme).length, 5);
  assert.deepEqual(
    readJourneys(readme).filter(({ lists }) => lists.flat().length === 0),
    [],
  );
  assert.deepEqual(journeyProblems(readme, sources(), 12), []);
});

test('a folder with too many files is found', () => {
  const files = ['base/a.ts', 'base/b.css', 'base/deep/c.ts', 'secrets/a.ts', 'secrets/b.ts', 'session/a.ts'];
  assert.deepEqual(crowdedFolders(files, { limit: 1, exempt: ['secrets'] }), ['base/ has 2 files; the limit is 1']);
});

test('import cycles between files are found, types and late imports included, one for each group', () => {
  const planted = [
    { path: 'base/a.ts', text: "import { b } from './b.ts';" },
    { path: 'base/b.ts', text: "import type { C } from '../format/c.ts';\nimport './d.ts';" },
    { path: 'format/c.ts', text: "const late = await import('../base/a.ts');" },
    { path: 'base/d.ts', text: "export * from './e.ts';" },
    { path: 'base/e.ts', text: "import { d } from './d.ts';" },
    { path: 'base/f.ts', text: "import { a } from './a.ts';\nimport fs from 'node:fs';" },
  ];
  assert.deepEqual(fileCycles(planted), [
    'base/a.ts → base/b.ts → format/c.ts → base/a.ts',
    'base/d.ts → base/e.ts → base/d.ts',
  ]);
  assert.deepEqual(fileCycles(planted.filter(({ path: file }) => file === 'base/f.ts' || file === 'base/a.ts')), []);
});

test('a cycle between folders is found, also between a folder and its subfolder', () => {
  const planted = [
    { path: 'web/a.ts', text: "import { b } from './server/b.ts';" },
    { path: 'web/server/b.ts', text: '' },
    { path: 'web/server/c.ts', text: "import type { D } from '../d.ts';" },
    { path: 'web/d.ts', text: '' },
    { path: 'cli/e.ts', text: "import { a } from '../web/a.ts';" },
  ];
  assert.deepEqual(folderCycles(planted), [
    'web → web/server → web (web/a.ts imports web/server/b.ts; web/server/c.ts imports web/d.ts)',
  ]);
  assert.deepEqual(folderCycles(planted.filter(({ path: file }) => file !== 'web/server/c.ts')), []);
});

test('an import past the entry file of another folder is found', () => {
  const planted = [
    { path: 'session/a.ts', text: "import { b } from './b.ts';\nimport { read } from '../store/index.ts';" },
    { path: 'session/c.ts', text: "import type { Line } from '../store/line.ts';" },
    { path: 'session/resume/d.ts', text: "const late = await import('../b.ts');\nexport * from '../c.ts';" },
    { path: 'session/e.tsx', text: "import './e.css';\nimport '../style/page.css';" },
    { path: 'cli/main.ts', text: "import { run } from '../session/a.ts';" },
  ];
  assert.deepEqual(entryViolations(planted, ['cli/main.ts']), [
    'session/c.ts imports store/line.ts instead of store/index.ts',
    'session/resume/d.ts imports session/c.ts instead of session/index.ts',
  ]);
});

test('the entry points of the bundles are read from the build scripts', () => {
  assert.deepEqual(entryPoints(["entryPoints: { clew: 'src/cli/main.ts', index: 'src/index.ts' },\n", 'no entry']), [
    'cli/main.ts',
    'index.ts',
  ]);
});

test('a journey through a missing file, over too many files or past the imports is found', () => {
  const files = [
    { path: 'cli/main.ts', text: "const { ls } = await import('./ls/index.ts');" },
    { path: 'cli/ls/index.ts', text: "export { ls } from './command.ts';" },
    { path: 'cli/ls/command.ts', text: "import { list } from '../../library/list.ts';" },
    { path: 'library/list.ts', text: '' },
    { path: 'library/other.ts', text: '' },
  ];
  const readme = (steps: string): string =>
    `# Sources\n\n\`cli/main.ts\`\n\n## Journeys\n\n### \`ls\`\n\n${steps}\n\n## More\n`;
  const good = '1. `cli/main.ts` finds the command\n2. `cli/ls/command.ts` prints,\n   `library/list.ts` lists';
  assert.deepEqual(readJourneys(readme(good)), [
    { name: '`ls`', lists: [['cli/main.ts', 'cli/ls/command.ts', 'library/list.ts']] },
  ]);
  assert.deepEqual(journeyProblems(readme(good), files, 3), []);
  assert.deepEqual(journeyProblems(readme(good), files, 2), ['`ls` names 3 files; the limit is 2']);
  assert.deepEqual(journeyProblems(readme('1. `cli/main.ts`\n2. `cli/old.ts`'), files, 3), [
    'cli/old.ts does not exist',
    '`ls`: no earlier file of the list imports cli/old.ts',
  ]);
  assert.deepEqual(journeyProblems(readme('1. `cli/main.ts`\n2. `library/other.ts`'), files, 3), [
    '`ls`: no earlier file of the list imports library/other.ts',
  ]);
  const overHttp = '1. `cli/main.ts`\n\nThen, over HTTP:\n\n1. `library/other.ts`';
  assert.deepEqual(journeyProblems(readme(overHttp), files, 3), []);
});

test('the parts of the agent do not import one another', () => {
  assert.deepEqual(entangled(sources()), []);
});

test('a planted knot between two parts of the agent is found', () => {
  const planted = [
    { path: 'agent/tools/shell/bash.ts', text: "import { judgeCall } from '../../permission/index.ts';" },
    { path: 'agent/tools/files/read.ts', text: "import type { Tool } from '../../contract/index.ts';" },
    { path: 'agent/agent.ts', text: "import { makeTools } from './tools/all.ts';" },
  ];
  assert.deepEqual(entangled(planted), ['agent/tools/shell/bash.ts imports ../../permission/index.ts']);
});

test('only the modules that make text safe write to the terminal', () => {
  assert.deepEqual(terminalWriters(sources()), []);
});

test('a planted write to the terminal is found', () => {
  const planted = [
    { path: 'cli/ls/command.ts', text: 'io.stdout.write(row.title);' },
    { path: 'library/watch/watch.ts', text: "console.error('cannot read');" },
    { path: 'trace/hook/hook.ts', text: 'process.stderr\n    .write(text);' },
    { path: 'cli/reshape/fork.ts', text: 'writeSync(1, text);' },
    { path: 'cli/terminal/output.ts', text: 'stderr.write(safeText(message));' },
    { path: 'store/append.ts', text: 'writeSync(descriptor, bytes);' },
  ];
  assert.deepEqual(terminalWriters(planted), [
    'cli/ls/command.ts',
    'library/watch/watch.ts',
    'trace/hook/hook.ts',
    'cli/reshape/fork.ts',
  ]);
});

test('tests read a page in `eventually`, or say why once is enough', () => {
  const isTest = (file: string): boolean => file.endsWith('.ts') && !file.startsWith('corpus/');
  const tests = filesBelow('test')
    .filter(isTest)
    .map((file) => ({ path: `test/${file}`, text: readProjectFile(`test/${file}`) }));
  assert.ok(tests.filter(({ text }) => text.includes('playwright-core')).length > 10);
  assert.deepEqual(earlyReads(tests), []);
});

test('a planted read of a page that comes too early is found', () => {
  const header = "import { openPage } from '../support/browser.ts';";
  const planted = [
    'assert.equal(await rows.count(), 3);',
    'assert.equal(await page.evaluate(isWide), false);',
    'assert.equal(page.url(), address);',
    "assert.deepEqual(\n  (await names('People')).map(first),\n  ['ada'],\n);",
    "const first = await page\n  .locator('.row')\n  .first()\n  .getAttribute('href');",
    'if ((await rows.count()) === 0) return;',
    'for (const row of await rows.all()) assert.ok(await row.isVisible());',
  ];
  for (const statement of planted)
    assert.deepEqual(earlyReads([{ path: 'a.ts', text: `${header}\n${statement}\n` }]), ['a.ts:2 reads a page once']);
  const fine = [
    'await eventually(async () => assert.equal(await rows.count(), 3));',
    'await eventually(async () => {\n  const count = await rows.count();\n  assert.equal(count, await other.count());\n});',
    '// Read once: the row is there.\nconst before = await rows.count();',
    'const { rows } = await readJson(client.sessions.$get());\nassert.equal(rows.length, 3);',
    'const names = () => rows.allInnerTexts();',
    '// assert.equal(await rows.count(), 3);',
  ];
  assert.deepEqual(
    fine.flatMap((statement) => earlyReads([{ path: 'a.ts', text: `${header}\n${statement}\n` }])),
    [],
  );
  assert.deepEqual(earlyReads([{ path: 'a.ts', text: 'assert.equal(await rows.count(), 3);' }]), []);
});

/** Everything a command prints passes one of these; each neutralises what it writes, or writes only its own text. */
const mayWrite: ReadonlySet<string> = new Set([
  'cli/main.ts',
  'cli/terminal/output.ts',
  'cli/progress.ts',
  'cli/terminal/output.ts',
  'cli/terminal/progress.ts',
  'cli/terminal/screen.ts',
  'cli/console/screen/screen.tsx',
  'cli/console/chat-terminal.ts',
  'trace/state/log.ts',
]);

function terminalWriters(files: readonly SourceFile[]): string[] {
  const write = /\b(?:stdout|stderr)\s*(?:\.on\([^)]*\)\s*)?\??\.write\(|\bconsole\.\w+\(|\bwriteSync\((?:1|2|std\w+),/;
  return files
    .filter(({ path: file, text }) => !mayWrite.has(file) && !file.startsWith('web/app/') && write.test(text))
    .map(({ path: file }) => file);
}

function folderOrder(readme: string): string[] {
  return [...readme.matchAll(/^\| `(\w+)\/` \|/gm)].map((match) => match[1] ?? '');
}

function violations(order: readonly string[], files: readonly SourceFile[]): string[] {
  const found: string[] = [];
  for (const file of files) {
    const folder = file.path.split('/')[0] ?? '';
    const rank = order.indexOf(folder);
    if (rank < 0) {
      found.push(`${file.path} is in a folder that src/README.md does not list`);
      continue;
    }
    for (const [, specifier] of file.text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)) {
      if (specifier === undefined) continue;
      const target = path.posix.join(path.posix.dirname(file.path), specifier).split('/')[0] ?? '';
      const targetRank = order.indexOf(target);
      if (targetRank > rank || target === '..')
        found.push(`${file.path} imports ${specifier}, which is below ${folder}/`);
    }
  }
  return found;
}

const agentParts = ['tools', 'permission', 'sandbox', 'prompt', 'hooks', 'mcp'];

/** DESIGN: the loop gets the parts as values, so that each can be tested, and replaced, without the others. */
function entangled(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path: file, text }) => {
    const part = agentParts.find((name) => file.startsWith(`agent/${name}/`));
    if (part === undefined) return [];
    return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].flatMap(([, specifier = '']) => {
      const target = path.posix.join(path.posix.dirname(file), specifier);
      return agentParts.some((name) => name !== part && target.startsWith(`agent/${name}/`))
        ? [`${file} imports ${specifier}`]
        : [];
    });
  });
}

function sources(): SourceFile[] {
  return sourcePaths()
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({ path: file, text: readProjectFile(`src/${file}`) }));
}

/** The files in the folders of src, from src; `src/index.ts` is the public surface and may import anything. */
function sourcePaths(): string[] {
  return filesBelow('src').filter((file) => file.includes('/'));
}

/** From the folder, with `/`. */
function filesBelow(folder: string): string[] {
  return readdirSync(path.join(projectRoot, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(path.join(projectRoot, folder), path.join(entry.parentPath, entry.name)))
    .map((file) => file.split(path.sep).join('/'));
}

function readProjectFile(file: string): string {
  return readFileSync(path.join(projectRoot, file), 'utf8');
}
