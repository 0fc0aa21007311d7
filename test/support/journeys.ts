// The journeys of src/README.md: which files a command crosses, checked against the sources. A journey is a section below
// "## Journeys" with a list of files; a second list begins where the data passes to another process, thread or program.
import path from 'node:path';
import { importsOf, type SourceFile } from './source-rules.ts';

export interface Journey {
  readonly name: string;
  /** The files of each list, in order. */
  readonly lists: readonly (readonly string[])[];
}

export function readJourneys(readme: string): readonly Journey[] {
  const part = /^## Journeys\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(readme)?.[1] ?? '';
  return part
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const [name = '', ...lines] = section.split('\n');
      return { name: name.trim(), lists: listsOf(lines) };
    });
}

/** Files of a page, in the order of the page: backticked paths from src such as `cli/main.ts`, with a folder. */
export function namedFiles(page: string): readonly string[] {
  return [...page.matchAll(/`([\w-]+(?:\/[\w.-]+)+\.tsx?)`/g)].map(([, file = '']) => file);
}

/** What is wrong with a page: a file that does not exist, a journey that is too long, a step that no import takes. */
export function journeyProblems(readme: string, files: readonly SourceFile[], maxFiles: number): string[] {
  const known = new Map(files.map((file) => [file.path, file]));
  const missing = [...new Set(namedFiles(readme))].filter((file) => !known.has(file));
  const rest = readJourneys(readme).flatMap(({ name, lists }) => {
    const count = new Set(lists.flat()).size;
    const long = count > maxFiles ? [`${name} names ${count} files; the limit is ${maxFiles}`] : [];
    return [...long, ...unlinked(lists, known).map((file) => `${name}: no earlier file of the list imports ${file}`)];
  });
  return [...missing.map((file) => `${file} does not exist`), ...rest];
}

/** Files that no earlier file of their list imports, directly or through entry files. */
function unlinked(lists: readonly (readonly string[])[], files: ReadonlyMap<string, SourceFile>): readonly string[] {
  return lists.flatMap((list) => {
    const reached = new Set<string>();
    return list.filter((file, index) => {
      const isLinked = index === 0 || reached.has(file);
      for (const target of importedThroughEntries(file, files)) reached.add(target);
      return !isLinked;
    });
  });
}

function importedThroughEntries(from: string, files: ReadonlyMap<string, SourceFile>): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = [from];
  for (const each of queue) {
    const file = files.get(each);
    for (const target of file === undefined ? [] : importsOf(file)) {
      if (found.has(target)) continue;
      found.add(target);
      if (path.posix.basename(target) === 'index.ts') queue.push(target);
    }
  }
  return found;
}

function listsOf(lines: readonly string[]): readonly (readonly string[])[] {
  const lists: string[][] = [];
  let isOpen: boolean = false;
  for (const line of lines) {
    const isItem = /^(?:\d+\.|-) /.test(line);
    const isContinued: boolean = isOpen && /^\s+\S/.test(line);
    if (isItem && !isOpen) lists.push([]);
    if (isItem || isContinued) lists.at(-1)?.push(...namedFiles(line));
    isOpen = isItem || isContinued;
  }
  return lists;
}
