// Roots → every transcript below them, main ones and sub-agents, with what shows whether it changed. Synchronous and
// fast: every command pays for this part, even if nothing has changed.
import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemErrorCode } from '../base/errors/index.ts';
import { type Inode, readInode } from '../base/files/index.ts';
import { type DiskProblem, oddNames, readProblem } from './owned-files.ts';
import { type ProjectsFolder, projectsFolders } from './roots.ts';
import { agentIdOf } from './session-files.ts';

/** What the path of a transcript says about it. */
export interface TranscriptPlace {
  readonly path: string;
  /** The main transcript of its session; `undefined` for a flat agent file (2.0.x), where only the lines name it. */
  readonly mainPath: string | undefined;
  readonly agentId: string | undefined;
  readonly slug: string;
  readonly root: string;
}

export interface TranscriptFile extends TranscriptPlace {
  readonly dev: number;
  readonly ino: Inode;
  readonly size: number;
  readonly mtimeMs: number;
  /** `null` where the disk does not say. */
  readonly bornMs: number | null;
}

export interface TranscriptFiles {
  readonly files: readonly TranscriptFile[];
  readonly problems: readonly DiskProblem[];
}

export function findTranscripts(roots: readonly string[]): TranscriptFiles {
  const search = newSearch();
  for (const _ of searchRoots(search, roots));
  return found(search);
}

/** The same with pauses for other work: thousands of files take longer than the user should wait for an update. */
export async function findTranscriptsInSteps(roots: readonly string[]): Promise<TranscriptFiles> {
  const search = newSearch();
  for (const _ of searchRoots(search, roots)) await setImmediate();
  return found(search);
}

/** Pauses after every few files. */
function* searchRoots(search: Search, roots: readonly string[]): Generator<void> {
  for (const { root, projects } of projectsFolders(roots)) {
    const stats = stat(search, root);
    if (stats === undefined) continue;
    if (!stats.isDirectory()) search.problems.push({ path: root, code: 'ENOTDIR' });
    const { names, problems } = projectNames(projects);
    search.problems.push(...problems, ...oddNames(projects, names));
    for (const slug of names) yield* findInProject(search, root, path.join(projects, slug), slug);
  }
}

const filesPerStep = 128;

/** Those of `paths` that are transcripts below the roots and exist, without looking at anything else. */
export function findNamedTranscripts(roots: readonly string[], paths: Iterable<string>): TranscriptFiles {
  const search = newSearch();
  const folders = projectsFolders(roots);
  for (const each of new Set(paths)) {
    const place = transcriptPlace(each, folders);
    if (place !== undefined) add(search, place.path, place.mainPath, place.agentId, place.slug, place.root);
  }
  return found(search);
}

/** `undefined` if a transcript cannot be at this path, whether or not there is a file. */
export function transcriptPlace(file: string, folders: readonly ProjectsFolder[]): TranscriptPlace | undefined {
  for (const { root, projects } of folders) {
    if (!file.startsWith(projects + path.sep) || !file.endsWith('.jsonl')) continue;
    const parts = file.slice(projects.length + 1).split(path.sep);
    const [slug = '', session = '', subagents] = parts;
    const agentId = agentIdOf(file);
    if (parts.length === 2)
      return { path: file, mainPath: agentId === undefined ? file : undefined, agentId, slug, root };
    if (parts.length < 4 || subagents !== 'subagents' || agentId === undefined) continue;
    return { path: file, mainPath: path.join(projects, slug, `${session}.jsonl`), agentId, slug, root };
  }
  return undefined;
}

/**
 * The project folders in a `projects` folder. Users link one to another after renaming a project: its sessions are
 * still listed only once.
 */
export function projectNames(projects: string): {
  readonly names: readonly string[];
  readonly problems: readonly DiskProblem[];
} {
  const search = newSearch();
  const entries = list(search, projects);
  // Names that are not UTF-8 may be the same text.
  const names = [...new Set(entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name))];
  const links = entries.filter((entry) => entry.isSymbolicLink()).map((entry) => entry.name);
  const real = links.length === 0 ? projects : realpathSync(projects);
  const seen = new Set(names.map((name) => path.join(real, name)));
  for (const name of links) {
    const target = linkedFolder(search, path.join(projects, name));
    if (target === undefined || seen.has(target)) continue;
    seen.add(target);
    names.push(name);
  }
  return { names, problems: search.problems };
}

function linkedFolder(search: Search, link: string): string | undefined {
  try {
    const target = realpathSync(link);
    return statSync(target).isDirectory() ? target : undefined;
  } catch (error) {
    note(search, link, error);
    return undefined;
  }
}

interface Search {
  readonly files: TranscriptFile[];
  readonly problems: DiskProblem[];
  /** Asked for once: it is a call to the system. */
  readonly user: number | undefined;
}

function found({ files, problems }: Search): TranscriptFiles {
  return { files, problems };
}

function newSearch(): Search {
  return { files: [], problems: [], user: process.geteuid?.() };
}

/** The loop over the files is in a plain function: V8 does not optimise a long loop in a generator while it runs. */
function* findInProject(search: Search, root: string, folder: string, slug: string): Generator<void> {
  const entries = list(search, folder);
  search.problems.push(...oddNames(folder, oddTranscripts(entries)));
  for (let from = 0; from < entries.length; from += filesPerStep) {
    addEntries(search, entries, from, folder + path.sep, slug, root);
    yield;
  }
}

/** Folders and transcripts whose name may not be UTF-8: nothing else here is read. */
function oddTranscripts(entries: readonly Dirent[]): readonly string[] {
  return entries
    .filter((entry) => entry.name.includes('\ufffd') && (entry.isDirectory() || entry.name.endsWith('.jsonl')))
    .map(({ name }) => name);
}

function addEntries(
  search: Search,
  entries: readonly Dirent[],
  from: number,
  start: string,
  slug: string,
  root: string,
): void {
  const end = Math.min(entries.length, from + filesPerStep);
  for (let i = from; i < end; i++) {
    const entry = entries[i] as Dirent;
    const { name } = entry;
    const full = start + name;
    if (name.endsWith('.jsonl')) {
      const agentId = agentIdOfName(name);
      add(search, full, agentId === undefined ? full : undefined, agentId, slug, root);
    } else if (entry.isDirectory() || isLinkedSession(entry, full)) {
      findAgents(search, `${full}${path.sep}subagents`, `${full}.jsonl`, slug, root);
    }
  }
}

/** Whether a link next to the transcripts is named like one of them. */
function isLinkedSession(entry: Dirent, full: string): boolean {
  if (!entry.isSymbolicLink()) return false;
  try {
    return lstatSync(`${full}.jsonl`, orUndefined) !== undefined;
  } catch {
    return true; // listing it says why
  }
}

/** Links below a session's folder are not followed: one may lead back up. */
function findAgents(search: Search, folder: string, mainPath: string, slug: string, root: string): void {
  const start = folder + path.sep;
  for (const entry of list(search, folder)) {
    const { name } = entry;
    if (entry.isDirectory()) findAgents(search, start + name, mainPath, slug, root);
    else if (name.endsWith('.jsonl') && entry.isFile()) {
      const agentId = agentIdOfName(name);
      if (agentId !== undefined) add(search, start + name, mainPath, agentId, slug, root);
    }
  }
}

/** `agentIdOf` for the bare name of a file that ends in `.jsonl`: nearly all are main transcripts. */
function agentIdOfName(name: string): string | undefined {
  return name.startsWith('agent-') ? agentIdOf(name) : undefined;
}

/** Positions instead of an object for the place: one object per file costs less than two. */
function add(
  search: Search,
  file: string,
  mainPath: string | undefined,
  agentId: string | undefined,
  slug: string,
  root: string,
): void {
  const stats = stat(search, file);
  if (stats === undefined || !stats.isFile()) return;
  const problem = readProblem(file, stats, search.user);
  if (problem !== undefined) {
    search.problems.push(problem);
    return;
  }
  const { dev, size, mtimeMs } = stats;
  const ino = readInode(file, stats);
  search.files.push({ path: file, mainPath, agentId, slug, root, dev, ino, size, mtimeMs, bornMs: bornMsOf(stats) });
}

export function bornMsOf({ birthtimeMs }: Stats): number | null {
  return birthtimeMs > 0 ? birthtimeMs : null;
}

const withTypes = { withFileTypes: true } as const;
const orUndefined = { throwIfNoEntry: false } as const;

function list(search: Search, folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, withTypes);
  } catch (error) {
    note(search, folder, error);
    return [];
  }
}

function stat(search: Search, file: string): Stats | undefined {
  try {
    return statSync(file, orUndefined);
  } catch (error) {
    note(search, file, error);
    return undefined;
  }
}

function note(search: Search, where: string, error: unknown): void {
  const code = systemErrorCode(error);
  if (code === undefined) throw error;
  if (code !== 'ENOENT' && code !== 'ENOTDIR') search.problems.push({ path: where, code });
}
