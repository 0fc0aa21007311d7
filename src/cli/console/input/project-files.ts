// Lists the files of a folder that the user can mention: those known to git, else those on disk. The list is bounded,
// and empty on any error.
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readText } from '../../../agent/access/file.ts';
import { runGit } from '../../../agent/access/git.ts';

const maxFiles = 50_000;
const skipped: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', '__pycache__']);

/** Relative paths with slashes. */
export async function listProjectFiles(folder: string): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = await runGit(folder, process.env, args, { timeoutMs: 10_000, maxBytes: 64 * 1024 * 1024 });
  if (listed === undefined) return walk(folder);
  return listed
    .split('\0')
    .filter((file) => file !== '')
    .slice(0, maxFiles);
}

async function walk(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  const left = [''];
  for (let at = left.pop(); at !== undefined && files.length < maxFiles; at = left.pop()) {
    for (const entry of await entriesOf(path.join(folder, at))) {
      const name = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory() && !skipped.has(entry.name)) left.push(name);
      else if (entry.isFile()) files.push(name);
    }
  }
  return files.sort();
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The current branch or the short commit; `undefined` outside of a repository. */
export async function gitBranch(folder: string): Promise<string | undefined> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const head = await readHead(path.join(at, '.git'));
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 8);
    if (at === path.dirname(at)) return undefined;
  }
}

/** In a worktree `.git` is a file with the path of the folder. */
async function readHead(dotGit: string): Promise<string | undefined> {
  const read = async (file: string): Promise<string | undefined> => (await readText(file, 4096))?.trim();
  const head = await read(path.join(dotGit, 'HEAD'));
  if (head !== undefined) return head;
  const link = /^gitdir: (.+)$/.exec((await read(dotGit)) ?? '')?.[1];
  return link === undefined ? undefined : read(path.join(path.resolve(path.dirname(dotGit), link), 'HEAD'));
}
