// The rules for files and folders of src, and one for the tests, as pure functions: files in, one message per violation
// out. A folder is every directory below src; a subfolder is another folder than its parent. `test/architecture.test.ts`
// applies them.
import path from 'node:path';

export interface SourceFile {
  /** From src, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** The files that a file imports by a relative path, as paths from src; types and `import()` included. */
export function importsOf({ path: file, text }: SourceFile): readonly string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].map(([, specifier = '']) =>
    path.posix.join(path.posix.dirname(file), specifier),
  );
}

/** Folders with more than `limit` files directly in them. */
export function crowdedFolders(
  paths: readonly string[],
  { limit, exempt }: { readonly limit: number; readonly exempt: readonly string[] },
): string[] {
  const counts = new Map<string, number>();
  for (const file of paths) counts.set(folderOf(file), (counts.get(folderOf(file)) ?? 0) + 1);
  return [...counts]
    .filter(([folder, count]) => count > limit && !exempt.includes(folder))
    .map(([folder, count]) => `${folder}/ has ${count} files; the limit is ${limit}`);
}

/** One cycle for each group of files that import one another. */
export function fileCycles(files: readonly SourceFile[]): string[] {
  const known = new Set(files.map((file) => file.path));
  const graph = new Map(files.map((file) => [file.path, importsOf(file).filter((target) => known.has(target))]));
  return cyclesOf(graph).map((cycle) => cycle.join(' → '));
}

/** One cycle for each group of folders that import one another, with an import for each step. */
export function folderCycles(files: readonly SourceFile[]): string[] {
  const graph = new Map<string, string[]>(files.map((file) => [folderOf(file.path), []]));
  const examples = new Map<string, string>();
  for (const file of files) {
    const from = folderOf(file.path);
    for (const target of importsOf(file)) {
      const to = folderOf(target);
      if (to === from || !graph.has(to)) continue;
      graph.get(from)?.push(to);
      const step = `${from} → ${to}`;
      if (!examples.has(step)) examples.set(step, `${file.path} imports ${target}`);
    }
  }
  return cyclesOf(graph).map((cycle) => {
    const steps = cycle.slice(1).map((to, index) => examples.get(`${cycle[index]} → ${to}`));
    return `${cycle.join(' → ')} (${steps.join('; ')})`;
  });
}

/**
 * Imports of another folder that do not go through its entry file. Files in `exempt` may import any file. A file that is
 * loaded with `import()` starts a chunk of its own, so that may be any file too: its folder would be loaded with it.
 */
export function entryViolations(files: readonly SourceFile[], exempt: readonly string[]): string[] {
  return files
    .filter((file) => !exempt.includes(file.path))
    .flatMap((file) =>
      importsOf({ ...file, text: file.text.replaceAll(/\bimport\s*\(/g, '') })
        .filter((target) => /\.tsx?$/.test(target) && folderOf(target) !== folderOf(file.path))
        .filter((target) => path.posix.basename(target) !== 'index.ts')
        .map((target) => `${file.path} imports ${target} instead of ${folderOf(target)}/index.ts`),
    );
}

/** The source files that the build scripts start from, as paths from src. */
export function entryPoints(buildScripts: readonly string[]): string[] {
  return buildScripts
    .flatMap((text) => [...text.matchAll(/entryPoints: \{([^}]*)\}/g)])
    .flatMap(([, list = '']) => [...list.matchAll(/'src\/([^']+)'/g)])
    .map(([, file = '']) => file);
}

/**
 * Tests of a page that read it once, where the page may need a moment more: an assertion with an `await` in it, and an
 * awaited read of a locator, outside of `eventually`. A comment with `Read once` above the read says why it need not be
 * repeated. Lines are enough, because the formatter indents what belongs to a statement.
 */
export function earlyReads(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ text }) => /^import [^;]*from '(?:playwright-core|[^']*\/(?:browser|page-kit)\.ts)'/m.test(text))
    .flatMap((file) => earlyReadsOf(file).map((line) => `${file.path}:${line} reads a page once`));
}

const awaitedInAssert = /\bassert(?:\.\w+)?\([\s\S]*(?:\bawait\b|\bpage\.url\(\))/;
const awaitedRead =
  /\bawait\b[^;]*\.(?:all(?:InnerTexts|TextContents)|boundingBox|count|getAttribute|innerText|inputValue|is(?:Checked|Disabled|Editable|Enabled|Hidden|Visible)|textContent|title)\(/;

function earlyReadsOf({ text }: SourceFile): number[] {
  const lines = text.split('\n');
  const found: number[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (/^\s*(?:\/\/|\/?\*)/.test(line)) continue;
    if (line.includes('eventually(')) {
      i = endOf(lines, i);
      continue;
    }
    const asserted = /\bassert(?:\.\w+)?\(/.test(line) ? lines.slice(i, endOf(lines, i) + 1).join('\n') : '';
    // A call in several lines continues with a dot.
    let next = i + 1;
    while (/^\s+\./.test(lines[next] ?? '')) next++;
    const isRead = awaitedRead.test(lines.slice(i, next).join('\n'));
    if ((awaitedInAssert.test(asserted) || isRead) && !isReadOnce(lines, i)) found.push(i + 1);
  }
  return found;
}

/** The last line of what begins in a line. */
function endOf(lines: readonly string[], start: number): number {
  const indentOf = (line: string): number => line.search(/\S/);
  if (/[;,]$/.test(lines[start] ?? '')) return start;
  const indent = indentOf(lines[start] ?? '');
  const end = lines.findIndex((line, i) => i > start && line !== '' && indentOf(line) <= indent);
  return end < 0 ? lines.length - 1 : end;
}

function isReadOnce(lines: readonly string[], start: number): boolean {
  for (let i = start - 1; /^\s*\/\//.test(lines[i] ?? ''); i--) if (lines[i]?.includes('// Read once')) return true;
  return false;
}

function folderOf(file: string): string {
  return path.posix.dirname(file);
}

/** One shortest cycle, with its first node repeated at the end, for each strongly connected part of a graph. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>();
  const cycles: string[][] = [];
  for (const start of [...graph.keys()].sort()) {
    if (done.has(start)) continue;
    const cycle = shortestCycle(graph, start);
    if (cycle === undefined) continue;
    cycles.push(cycle);
    const reached = reachable(graph, start);
    for (const node of reached) if (reachable(graph, node).has(start)) done.add(node);
  }
  return cycles;
}

function shortestCycle(graph: ReadonlyMap<string, readonly string[]>, start: string): string[] | undefined {
  const paths: string[][] = [[start]];
  const seen = new Set<string>();
  for (const steps of paths) {
    for (const next of graph.get(steps.at(-1) ?? '') ?? []) {
      if (next === start) return [...steps, start];
      if (seen.has(next)) continue;
      seen.add(next);
      paths.push([...steps, next]);
    }
  }
  return undefined;
}

function reachable(graph: ReadonlyMap<string, readonly string[]>, start: string): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = [start];
  for (const node of queue) {
    for (const next of graph.get(node) ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      queue.push(next);
    }
  }
  return found;
}
