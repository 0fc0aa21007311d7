// Sessions that are only in the archive → what they did to files. They are unpacked into a temporary folder, read and
// removed again. Only sessions of the project's folders are unpacked.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { listArchive, restoreSession } from '../../library/archive/index.ts';
import { loadSession } from '../../session/load/index.ts';
import { encodeOldSlug, projectsFolder } from '../../store/index.ts';
import { readWork, type SessionWork } from '../calls/index.ts';
import { endsWithName, type WorkSearch } from './find-work.ts';

export interface ArchiveSearch extends WorkSearch {
  /** The archive. */
  readonly archive: string;
  /** The folders of the project: its repository and worktrees. */
  readonly folders: readonly string[];
}

export async function readArchivedWork(search: ArchiveSearch): Promise<SessionWork | undefined> {
  const { archive, folders, roots, names, onRead, onProblem } = search;
  if (!existsSync(archive)) return undefined;
  const projects = new Set(roots.map(projectsFolder));
  const slugs = folders.map(encodeOldSlug);
  const gone = listArchive(archive).flatMap(({ key, versions }) => {
    const manifest = versions.at(-1);
    if (manifest === undefined || existsSync(key) || !projects.has(manifest.projects)) return [];
    return slugs.some((slug) => manifest.slug.startsWith(slug)) ? { key } : [];
  });
  if (gone.length === 0) return undefined;
  const temporary = mkdtempSync(path.join(tmpdir(), 'clew-archived-'));
  const all: SessionWork[] = [];
  try {
    for (const [i, { key }] of gone.entries()) {
      onRead?.(i, gone.length);
      try {
        const restored = await restoreSession(key, { folder: archive, to: path.join(temporary, String(i)) });
        const session = await loadSession(restored.path, { strict: false });
        const work = await readWork(session, { isWanted: (file) => endsWithName(file, names) !== undefined });
        all.push({
          ...work,
          edits: work.edits.map((edit) => ({ ...edit, author: { ...edit.author, path: key, isArchived: true } })),
        });
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        onProblem?.(key, error);
      }
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return {
    edits: all.flatMap(({ edits }) => edits),
    moves: all.flatMap(({ moves }) => moves),
    commits: all.flatMap(({ commits }) => commits),
  };
}
