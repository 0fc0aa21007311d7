// Loads the instruction files (CLAUDE.md and rules) in reading order: the user's, then from the top of the tree down,
// so that the nearest comes last. Other people may have written them, so an import from outside the project needs the
// user's consent.
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isInside, matchesPath, readContent, realPath, resolvePath } from '../access/index.ts';
import { isUsed, type SettingSource } from '../contract/index.ts';
import { fieldList, listMarkdown, parseFrontMatter } from './front-matter.ts';
import { findMentions, type Mention } from './mention.ts';

export interface MemoryOptions {
  readonly cwd: string;
  /** The user's `.claude` folder. */
  readonly root: string;
  readonly home: string;
  readonly extraDirs?: readonly string[];
  /** Whose instructions are read; all of them if absent. */
  readonly settingSources?: readonly SettingSource[] | undefined;
  /** Called for an import from outside the project or of a secret; without it such imports are left out. */
  readonly allowImport?: AllowImport;
  /** The decision of the rules about reading a file; `undefined` if only its location matters. */
  readonly judgeRead?: (file: string) => Promise<'allow' | 'ask' | 'deny' | undefined>;
}

export type AllowImport = (file: string, importedBy: string) => Promise<boolean>;

export type MemoryKind = 'user' | 'project' | 'local' | 'rule' | 'agents' | 'import';

export interface MemoryFile {
  readonly file: string;
  readonly kind: MemoryKind;
  readonly text: string;
  readonly importedBy?: string;
}

interface Memory {
  readonly files: readonly MemoryFile[];
  /** Messages for the user about what was left out or cut. */
  readonly notes: readonly string[];
  /** Rules that apply once a matching file is touched. */
  readonly pathRules: readonly PathRule[];
}

interface PathRule {
  readonly file: string;
  readonly patterns: readonly string[];
  /** The folder that the patterns are relative to; `undefined` for the user's own. */
  readonly tree: string | undefined;
  readonly text: string;
}

export const memoryLimits = { fileChars: 40_000, totalChars: 200_000, importDepth: 5, files: 200 } as const;

export async function loadMemory(options: MemoryOptions): Promise<Memory> {
  const reader = new MemoryReader(options);
  if (isUsed('user', options.settingSources)) {
    await reader.read(path.join(options.root, 'CLAUDE.md'), 'user');
    await reader.readRules(path.join(options.root, 'rules'));
  }
  for (const folder of foldersDownTo(options.cwd)) {
    if (folder === path.resolve(options.cwd) || !(await isOpenToAll(folder))) await readFolder(reader, folder, options);
  }
  return reader;
}

/** The instructions of one folder below the project. */
async function loadFolderMemory(options: MemoryOptions, folder: string): Promise<Memory> {
  const reader = new MemoryReader(options);
  await readFolder(reader, folder, options);
  return reader;
}

async function readFolder(reader: MemoryReader, folder: string, { settingSources }: MemoryOptions): Promise<void> {
  if (isUsed('project', settingSources)) {
    const plain = await reader.read(path.join(folder, 'CLAUDE.md'), 'project', folder);
    const tidy = await reader.read(path.join(folder, '.claude', 'CLAUDE.md'), 'project', folder);
    if (!plain && !tidy) await reader.read(path.join(folder, 'AGENTS.md'), 'agents', folder);
    await reader.readRules(path.join(folder, '.claude', 'rules'), folder);
  }
  if (isUsed('local', settingSources)) await reader.read(path.join(folder, 'CLAUDE.local.md'), 'local', folder);
}

function foldersDownTo(cwd: string): readonly string[] {
  const folders = [path.resolve(cwd)];
  for (let at = path.resolve(cwd); path.dirname(at) !== at; at = path.dirname(at)) folders.unshift(path.dirname(at));
  return folders;
}

/** Anyone can leave instructions in /tmp for agents that work below it. */
async function isOpenToAll(folder: string): Promise<boolean> {
  try {
    return ((await stat(folder)).mode & 0o002) !== 0;
  } catch {
    return true;
  }
}

class MemoryReader implements Memory {
  readonly files: MemoryFile[] = [];
  readonly notes: string[] = [];
  readonly pathRules: PathRule[] = [];
  readonly #options: MemoryOptions;
  readonly #seen = new Set<string>();
  #chars = 0;

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  /**
   * Whether the file exists, also as a link to a file that was already read. `tree`: the folder that its links and imports
   * may not leave; `undefined` for the user's own files.
   */
  async read(file: string, kind: MemoryKind, tree?: string): Promise<boolean> {
    return this.#add(file, kind, tree, []);
  }

  /** Rules for certain paths apply once such a file is touched; only the others are read at the start. */
  async readRules(folder: string, tree?: string): Promise<void> {
    for (const { file } of await listMarkdown(folder)) await this.#add(file, 'rule', tree, []);
  }

  async #add(file: string, kind: MemoryKind, tree: string | undefined, importers: readonly string[]): Promise<boolean> {
    const content = await readContent(file, memoryLimits.fileChars * 4);
    if (content.kind !== 'text') return false;
    const real = await realPath(file);
    if (this.#seen.has(real)) return true;
    this.#seen.add(real);
    if (importers.length === 0 && !(await this.#mayImport(file, tree, file))) {
      this.notes.push(`${file} is a link that leads out of the project: left out`);
      return true;
    }
    const head = kind === 'rule' ? parseFrontMatter(content.text) : undefined;
    const patterns = head === undefined ? [] : (fieldList(head, 'paths') ?? []);
    if (head !== undefined && patterns.length > 0) {
      const text = head.body.trim().slice(0, memoryLimits.fileChars).toWellFormed();
      if (text !== '') this.pathRules.push({ file, patterns, tree, text });
      return true;
    }
    const text = this.#keep(file, (head?.body ?? content.text).trim(), content.isCut);
    if (text === undefined) return true;
    const importedBy = importers.at(-1);
    this.files.push({ file, kind, text, ...(importedBy === undefined ? {} : { importedBy }) });
    for (const mention of findMentions(text)) await this.#import(mention, file, tree, [...importers, file]);
    return true;
  }

  /** Cuts the text to the remaining space. */
  #keep(file: string, text: string, isCut: boolean): string | undefined {
    if (text === '') return undefined;
    const room = Math.min(memoryLimits.fileChars, memoryLimits.totalChars - this.#chars);
    if (room <= 0 || this.files.length >= memoryLimits.files) {
      this.notes.push(`${file} was left out: the instruction files are too long together`);
      return undefined;
    }
    const kept = text.slice(0, room).toWellFormed();
    this.#chars += kept.length;
    if (kept.length === text.length && !isCut) return kept;
    this.notes.push(`${file} is too long: only its first ${kept.length} characters were read`);
    return `${kept}\n[cut here: the file is longer; read it if you need the rest]`;
  }

  async #import(mention: Mention, by: string, tree: string | undefined, importers: readonly string[]): Promise<void> {
    const { home } = this.#options;
    for (const written of mention.candidates) {
      const file = resolvePath(written, path.dirname(by), home);
      const content = await readContent(file, 1);
      if (content.kind === 'none' || content.kind === 'folder') continue;
      if (importers.includes(file)) return;
      if (importers.length > memoryLimits.importDepth) {
        this.notes.push(
          `${by} imports ${written}, which is more than ${memoryLimits.importDepth} imports deep: left out`,
        );
      } else if (!(await this.#mayImport(file, tree, by))) {
        this.notes.push(`${by} imports ${written}, which is outside the project or may not be read: left out`);
      } else await this.#add(file, 'import', tree, importers);
      return;
    }
    // `@someone` is more often a user name than a file.
    const [written = ''] = mention.candidates;
    if (/[/\\]|\.\w+$/.test(written)) this.notes.push(`${by} imports ${written}, which does not exist`);
  }

  async #mayImport(file: string, tree: string | undefined, by: string): Promise<boolean> {
    const { cwd, extraDirs = [], allowImport, judgeRead } = this.#options;
    const real = await realPath(file);
    if (await this.#isCredentialsFile(real)) return false;
    const ruling = await judgeRead?.(file);
    if (ruling === 'deny') return false;
    if (tree === undefined || ruling === 'allow') return true;
    if (ruling === undefined && (await isInside(file, [tree, cwd, ...extraDirs]))) return true;
    return (await allowImport?.(real, by)) ?? false;
  }

  /** Keys and logins of Claude Code: no request needs them. */
  async #isCredentialsFile(real: string): Promise<boolean> {
    const { root, home } = this.#options;
    const folders = [root, path.join(home, '.claude'), home];
    for (const folder of folders)
      for (const name of ['.credentials.json', '.claude.json'])
        if (real === (await realPath(path.join(folder, name)))) return true;
    return false;
  }
}

// A file that the model read or changed → the instructions for it: those in the folders between the project and the
// file, and rules whose `paths:` match. They become a line of the conversation, so that a resume sends the same.

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
