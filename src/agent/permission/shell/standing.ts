// Where the shell may stand while a text runs. A `cd` may fail or happen in a subshell, so the folders only add up: a
// path must be fine from every one of them. Only behind `cd x &&` is it known that the shell stands in x.

export interface Standing {
  readonly start: string;
  /** All that are possible now. */
  folders: readonly string[];
  /** All that were possible at some time. */
  seen: readonly string[];
  /** A `cd` whose goal is not known: relative paths lead anywhere. */
  isLost: boolean;
}

const maxFolders = 8;

export function standAt(cwd: string): Standing {
  return { start: cwd, folders: [cwd], seen: [cwd], isLost: false };
}

/** `isSure`: what comes next runs only if the shell has arrived. */
export function move(standing: Standing, goals: readonly string[], isSure: boolean): void {
  standing.seen = [...new Set([...standing.seen, ...goals])];
  standing.folders = isSure ? [...new Set(goals)] : [...new Set([...standing.folders, ...goals])];
  if (standing.seen.length > maxFolders) standing.isLost = true;
}

/** A chain of commands is over, and any of them may have been the last that ran. */
export function rejoin(standing: Standing): void {
  standing.folders = standing.seen;
}
