// Where the shell may stand while a text runs. A `cd` may fail or happen in a subshell, so the folders only add up: a
// path must be fine from every one of them.

export interface Standing {
  /** Grows as `cd`s are met. */
  readonly folders: string[];
  /** A `cd` whose goal is not known: relative paths lead anywhere. */
  isLost: boolean;
}

const maxFolders = 8;

export function standAt(cwd: string): Standing {
  return { folders: [cwd], isLost: false };
}

export function move(standing: Standing, goals: readonly string[]): void {
  for (const goal of goals) if (!standing.folders.includes(goal)) standing.folders.push(goal);
  if (standing.folders.length > maxFolders) standing.isLost = true;
}
