// Working directories → the repository of each that is a worktree. Only what transcripts say and the shape of paths count;
// no folder that a transcript names is opened.

export interface WorktreeSource {
  /** The last worktree that a session entered. */
  readonly worktree: { readonly path: string; readonly repository: string } | null | undefined;
}

/** The repository of a folder; `null` if the folder is not known as a worktree. */
export type RepositoryOf = (folder: string) => string | null;

/** A worktree may be entered from another one. */
const mostSteps = 4;

export function repositoryFinder(sessions: Iterable<WorktreeSource>): RepositoryOf {
  const worktrees = new Map<string, string>();
  for (const { worktree } of sessions) if (worktree) worktrees.set(worktree.path, worktree.repository);
  const known = new Map<string, string | null>();
  return (project) => {
    let found = known.get(project);
    if (found !== undefined) return found;
    found = null;
    for (let i = 0, folder = project; i < mostSteps; i++) {
      const repository = worktrees.get(folder) ?? repositoryInPath(folder);
      if (repository === null || repository === project) break;
      found = repository;
      folder = repository;
    }
    known.set(project, found);
    return found;
  };
}

/** Claude Code puts worktrees into `.claude/worktrees`; `.worktrees` is a common place too. */
const worktreePath = /^(.+?)[\\/](?:\.claude[\\/]worktrees|\.worktrees)[\\/][^\\/]+/;

export function repositoryInPath(folder: string): string | null {
  return worktreePath.exec(folder)?.[1] ?? null;
}
