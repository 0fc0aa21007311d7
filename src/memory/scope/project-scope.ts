// Folders of a project → which sessions belong to it. Two folders belong together if they are in the same git repository,
// worktrees included; a folder outside of a repository is a project of its own. A path that only begins alike, a nested
// repository and a link to another project are other projects.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { realPath } from '../../base/files/index.ts';
import { slugMatches } from '../../store/index.ts';

/** Where a session was, as the index knows it. */
export interface SessionFolder {
  readonly cwd: string | undefined;
  /** The name of its project folder. */
  readonly slug: string;
  readonly worktree: { readonly path: string; readonly repository: string } | undefined;
}

export class ProjectScope {
  readonly #folders: readonly string[];
  readonly #keys: ReadonlySet<string>;
  readonly #known = new Map<string, string>();

  constructor(folders: readonly string[]) {
    this.#folders = folders.map((folder) => path.resolve(folder));
    this.#keys = new Set(this.#folders.map((folder) => this.#keyOf(folder)));
  }

  /** The sessions of the project. Those without a folder are in it if no other project has the name of theirs. */
  filter<T extends SessionFolder>(sessions: readonly T[]): readonly T[] {
    const others = new Set<string>();
    const inside = sessions.map((session) => {
      if (session.cwd === undefined) return undefined;
      const isInside = this.#includes(session.cwd, session.worktree);
      if (!isInside) others.add(session.slug);
      return isInside;
    });
    return sessions.filter(
      ({ slug }, i) => inside[i] ?? (!others.has(slug) && this.#folders.some((folder) => slugMatches(slug, folder))),
    );
  }

  #includes(cwd: string, worktree: SessionFolder['worktree']): boolean {
    if (!path.isAbsolute(cwd)) return false;
    if (this.#keys.has(this.#keyOf(cwd))) return true;
    if (isFolder(cwd)) return false;
    // The worktree is removed when its work is merged.
    const repository = worktree?.path === cwd ? worktree.repository : repositoryOfWorktree(cwd);
    return repository !== undefined && isFolder(repository) && this.#keys.has(this.#keyOf(repository));
  }

  #keyOf(folder: string): string {
    const known = this.#known.get(folder);
    if (known !== undefined) return known;
    const key = projectKey(folder);
    this.#known.set(folder, key);
    return key;
  }
}

/** Where current clients create worktrees. */
function repositoryOfWorktree(cwd: string): string | undefined {
  return /^(.+)\/\.claude\/worktrees\/[^/]+/.exec(cwd)?.[1];
}

/** The same text for all folders of a project. A folder that is gone is alone. */
export function projectKey(folder: string): string {
  const real = realPath(folder).normalize('NFC');
  if (!isFolder(real)) return `folder ${real}`;
  for (let at = real; ; at = path.dirname(at)) {
    const git = gitFolder(path.join(at, '.git'));
    if (git !== undefined) return `git ${git}`;
    if (at === path.dirname(at)) return `folder ${real}`;
  }
}

/** The folder that all worktrees of a repository share; `undefined` if there is no repository. */
function gitFolder(place: string): string | undefined {
  const stats = statSync(place, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return realPath(place);
  if (stats?.isFile() !== true) return undefined;
  const own = /^gitdir: *(.+?)\s*$/m.exec(smallText(place))?.[1];
  if (own === undefined) return undefined;
  const folder = path.resolve(path.dirname(place), own);
  const shared = smallText(path.join(folder, 'commondir')).trim();
  return realPath(shared === '' ? folder : path.resolve(folder, shared));
}

function smallText(file: string): string {
  try {
    return statSync(file).size > 4096 ? '' : readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isFolder(folder: string): boolean {
  try {
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
