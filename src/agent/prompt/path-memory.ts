// A file that the model read or changed → the instructions for it: those in the folders between the project and the
// file, and rules whose `paths:` match. They become a line of the conversation, so that a resume sends the same.
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { realPath } from '../access/place.ts';
import { matchesPath } from '../access/wildcard.ts';
import {
  loadFolderMemory,
  loadMemory,
  type Memory,
  type MemoryFile,
  type MemoryOptions,
  type PathRule,
} from './memory.ts';

/** Packages and git's own files contain no instructions for the project. */
const foreignFolders: ReadonlySet<string> = new Set(['node_modules', '.git']);
const maxDepth = 32;
const maxAlternatives = 64;

export class PathMemory {
  readonly #options: MemoryOptions;
  readonly #note: (text: string) => void;
  readonly #folders = new Map<string, Promise<Memory>>();
  #start: Promise<Memory> | undefined;

  /** Calls `note` once for everything that was left out or cut. */
  constructor(options: MemoryOptions, note: (text: string) => void) {
    this.#options = options;
    this.#note = note;
  }

  /** From the outermost folder inwards, then the rules. Files outside the project, also through a link, have none. */
  async textsFor(file: string): Promise<readonly string[]> {
    const [real, project] = await Promise.all([file, this.#options.cwd].map((each) => realpath(each).catch(() => '')));
    if (!real || !project) return [];
    const names = path.relative(project, real).split(path.sep);
    const isForeign =
      names.some((name) => name === '..' || foreignFolders.has(name)) || path.isAbsolute(names[0] ?? '');
    if (isForeign || names.length > maxDepth) return [];
    const texts: string[] = [];
    for (let depth = 1; depth < names.length; depth++) {
      const { files, pathRules } = await this.#folder(path.join(project, ...names.slice(0, depth)));
      texts.push(...files.map(instructionText), ...(await rulesFor(pathRules, real, project)));
    }
    this.#start ??= loadMemory(this.#options);
    texts.push(...(await rulesFor((await this.#start).pathRules, real, project)));
    return texts;
  }

  #folder(folder: string): Promise<Memory> {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const loading = loadFolderMemory(this.#options, folder).then((memory) => {
      for (const note of memory.notes) this.#note(note);
      return memory;
    });
    this.#folders.set(folder, loading);
    return loading;
  }
}

function instructionText({ file, text }: MemoryFile): string {
  return tagged(file, 'the files of its folder', text);
}

/** Begins with a tag, like every text of the program in a user message: a summary must not quote it as the user's. */
function tagged(file: string, subject: string, text: string): string {
  return `<instructions from=${JSON.stringify(file)} for=${JSON.stringify(subject)}>\n${text}\n</instructions>`;
}

async function rulesFor(rules: readonly PathRule[], file: string, project: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const { tree = project, patterns, file: rule, text } of rules) {
    const relative = path.relative(await realPath(tree), file);
    if (patterns.some((pattern) => matches(pattern, relative))) texts.push(tagged(rule, patterns.join(', '), text));
  }
  return texts;
}

/** Relative to the folder that contains `.claude`; the user's rules are relative to the project. */
function matches(pattern: string, relative: string): boolean {
  const names = relative.split(path.sep);
  if (names[0] === '..') return false;
  return expandBraces(pattern.replace(/^\.?\//, '')).some((each) =>
    matchesPath(
      each.split('/').filter((part) => part !== ''),
      names,
      { ignoresCase: false },
    ),
  );
}

/** `a.{ts,tsx}` → `a.ts`, `a.tsx`; too many alternatives stay as they are. */
export function expandBraces(pattern: string): readonly string[] {
  let open = [pattern];
  const done: string[] = [];
  while (open.length > 0) {
    if (open.length + done.length > maxAlternatives) return [pattern];
    const next: string[] = [];
    for (const each of open) {
      const group = /\{([^{}]*,[^{}]*)\}/.exec(each);
      if (group === null) done.push(each);
      else {
        const [before, after] = [each.slice(0, group.index), each.slice(group.index + group[0].length)];
        next.push(...(group[1] ?? '').split(',').map((choice) => `${before}${choice}${after}`));
      }
    }
    open = next;
  }
  return [...new Set(done)];
}
