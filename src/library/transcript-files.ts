// Roots → every transcript below them, main ones and sub-agents, with what tells whether it changed. Synchronous and
// lean: it is the part of every command that does not get smaller when nothing has changed.
import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../base/errors.ts';
import type { DiskProblem } from '../store/folders.ts';
import { projectsFolders } from '../store/roots.ts';
import { agentIdOf } from '../store/session-files.ts';

export interface TranscriptFile {
  readonly path: string;
  /** The main transcript of its session. For a flat agent file (2.0.x) only its lines tell: then `undefined`. */
  readonly mainPath: string | undefined;
  readonly agentId: string | undefined;
  readonly slug: string;
  readonly root: string;
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

export interface TranscriptFiles {
  readonly files: readonly TranscriptFile[];
  readonly problems: readonly DiskProblem[];
}

export function findTranscripts(roots: readonly string[]): TranscriptFiles {
  const search: Search = { files: [], problems: [] };
  for (const { root, projects } of projectsFolders(roots)) {
    for (const entry of list(search, projects)) {
      if (isFolder(entry, projects)) findInProject(search, root, path.join(projects, entry.name), entry.name);
    }
  }
  return search;
}

interface Search {
  readonly files: TranscriptFile[];
  readonly problems: DiskProblem[];
}

function findInProject(search: Search, root: string, folder: string, slug: string): void {
  const entries = list(search, folder);
  const names = new Set(entries.map((entry) => entry.name));
  for (const entry of entries) {
    const full = path.join(folder, entry.name);
    if (entry.name.endsWith('.jsonl')) {
      const agentId = agentIdOf(entry.name);
      add(search, { path: full, mainPath: agentId === undefined ? full : undefined, agentId, slug, root });
    } else if (names.has(`${entry.name}.jsonl`) || entry.isDirectory()) {
      findAgents(search, path.join(full, 'subagents'), { mainPath: `${full}.jsonl`, slug, root });
    }
  }
}

/** Links below a session's folder are not followed: one may lead back up. */
function findAgents(search: Search, folder: string, session: { mainPath: string; slug: string; root: string }): void {
  for (const entry of list(search, folder)) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) findAgents(search, full, session);
    else if (entry.isFile() && entry.name.endsWith('.jsonl')) {
      const agentId = agentIdOf(entry.name);
      if (agentId !== undefined) add(search, { path: full, agentId, ...session });
    }
  }
}

function add(search: Search, file: Omit<TranscriptFile, 'dev' | 'ino' | 'size' | 'mtimeMs'>): void {
  const stats = stat(search, file.path);
  if (stats === undefined || !stats.isFile()) return;
  const { dev, ino, size, mtimeMs } = stats;
  search.files.push({ ...file, dev, ino, size, mtimeMs });
}

function isFolder(entry: Dirent, parent: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return statSync(path.join(parent, entry.name), { throwIfNoEntry: false })?.isDirectory() === true;
}

function list(search: Search, folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    note(search, folder, error);
    return [];
  }
}

function stat(search: Search, file: string): Stats | undefined {
  try {
    return statSync(file);
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
