// Lists the Markdown files of a folder, sorted, up to a limit in depth and number, because the repository may come from
// another person.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../access/place.ts';

const maxFiles = 1000;
const maxDepth = 8;

export interface DefinitionFile {
  readonly file: string;
  /** Folders and name below the listed folder, without the extension. */
  readonly parts: readonly string[];
}

export async function listMarkdown(folder: string, depth: number = maxDepth): Promise<readonly DefinitionFile[]> {
  const found: DefinitionFile[] = [];
  await collect(folder, [], depth, found);
  return found;
}

export async function listFolders(folder: string): Promise<readonly string[]> {
  const entries = await readEntries(folder);
  // A skill is often a link to a folder that several projects share.
  return entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map((entry) => entry.name);
}

/** Only files inside the project after following links: a link may lead to any file that the user can read. */
export async function splitInside<T extends { readonly file: string }>(
  found: readonly T[],
  project: string,
): Promise<{ readonly inside: readonly T[]; readonly notes: readonly string[] }> {
  const inside: T[] = [];
  const notes: string[] = [];
  for (const each of found) {
    if (await isInside(each.file, [project])) inside.push(each);
    else notes.push(`${each.file} is a link that leads out of the project: left out`);
  }
  return { inside, notes };
}

async function collect(
  folder: string,
  above: readonly string[],
  depth: number,
  found: DefinitionFile[],
): Promise<void> {
  for (const entry of await readEntries(folder)) {
    if (found.length >= maxFiles) return;
    const file = path.join(folder, entry.name);
    // Links to folders are not followed, to avoid loops.
    if (entry.isDirectory()) {
      if (depth > 1) await collect(file, [...above, entry.name], depth - 1, found);
    } else if (/\.md$/i.test(entry.name)) found.push({ file, parts: [...above, entry.name.slice(0, -3)] });
  }
}

async function readEntries(folder: string) {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
