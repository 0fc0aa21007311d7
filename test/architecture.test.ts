// The folder table of src/README.md is the rule: a folder imports only from folders above it.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectRoot } from './support/paths.ts';

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

test('every source folder imports only from folders above it in src/README.md', () => {
  assert.deepEqual(
    violations(folderOrder(readFileSync(path.join(projectRoot, 'src/README.md'), 'utf8')), sources()),
    [],
  );
});

test('a planted violation is found', () => {
  const planted = [
    { path: 'format/entry.ts', text: "import { loadSession } from '../session/load.ts';" },
    { path: 'base/late.ts', text: "const late = await import('../cli/main.ts');" },
    { path: 'base/again.ts', text: "export * from '../format/block.ts';" },
    { path: 'attic/old.ts', text: '' },
  ];
  assert.deepEqual(violations(['base', 'format', 'session', 'cli'], planted), [
    'format/entry.ts imports ../session/load.ts, which is below format/',
    'base/late.ts imports ../cli/main.ts, which is below base/',
    'base/again.ts imports ../format/block.ts, which is below base/',
    'attic/old.ts is in a folder that src/README.md does not list',
  ]);
});

test('the parts of the agent do not import one another', () => {
  assert.deepEqual(entangled(sources()), []);
});

test('a planted knot between two parts of the agent is found', () => {
  const planted = [
    { path: 'agent/tools/bash.ts', text: "import { judgeCall } from '../permission/judge.ts';" },
    { path: 'agent/tools/read.ts', text: "import type { Tool } from '../tool.ts';" },
    { path: 'agent/agent.ts', text: "import { makeTools } from './tools/all.ts';" },
  ];
  assert.deepEqual(entangled(planted), ['agent/tools/bash.ts imports ../permission/judge.ts']);
});

test('only the modules that make text safe write to the terminal', () => {
  assert.deepEqual(terminalWriters(sources()), []);
});

test('a planted write to the terminal is found', () => {
  const planted = [
    { path: 'cli/ls.ts', text: 'io.stdout.write(row.title);' },
    { path: 'library/watch.ts', text: "console.error('cannot read');" },
    { path: 'trace/hook.ts', text: 'process.stderr\n    .write(text);' },
    { path: 'cli/fork.ts', text: 'writeSync(1, text);' },
    { path: 'cli/notice.ts', text: 'stderr.write(safeText(message));' },
    { path: 'store/append.ts', text: 'writeSync(descriptor, bytes);' },
  ];
  assert.deepEqual(terminalWriters(planted), ['cli/ls.ts', 'library/watch.ts', 'trace/hook.ts', 'cli/fork.ts']);
});

/** Everything a command prints passes one of these; each neutralises what it writes, or writes only its own text. */
const mayWrite: ReadonlySet<string> = new Set([
  'cli/main.ts',
  'cli/notice.ts',
  'cli/progress.ts',
  'cli/terminal/output.ts',
  'cli/terminal/progress.ts',
  'cli/picker/screen.ts',
  'cli/console/ink-output.ts',
  'cli/console/chat-terminal.ts',
  'trace/log.ts',
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

const agentParts = ['tools', 'permission', 'sandbox', 'context', 'hooks', 'mcp'];

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
  const src = path.join(projectRoot, 'src');
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => /\.tsx?$/.test(file) && file.includes('/'))
    .map((file) => ({ path: file, text: readFileSync(path.join(src, file), 'utf8') }));
}
