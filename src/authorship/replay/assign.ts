// Calls → the version of the file in which their lines appear first. Content decides: the lines that a call wrote are
// among the lines that the version adds. If several versions add them (a change that was undone and made again), the
// commits of the session, whole states of the file, clocks and the order of the calls decide, in this order.
import type { FileEdit, SessionCommit } from '../calls/index.ts';
import type { Version } from '../history/index.ts';
import { align, isDistinctive, squeezed } from '../lines/index.ts';
import { type Introduced, introducedBy } from './introduced.ts';

export interface AssignOptions {
  readonly versions: readonly Version[];
  /** In the order in which they were made. */
  readonly edits: readonly FileEdit[];
  readonly commits: readonly SessionCommit[];
  /** The checkout that a call worked in. */
  rootOf(edit: FileEdit): string;
}

export interface AssignedEdits {
  /** The index of a version for each call; calls that are in none are missing. */
  readonly assigned: ReadonlyMap<FileEdit, number>;
  /** Commands that may have changed the file in some way, by the versions that may have the change. */
  readonly commands: ReadonlyMap<number, FileEdit>;
}

export function assignEdits(options: AssignOptions): AssignedEdits {
  return new Assignment(options).run();
}

interface Added {
  readonly counts: ReadonlyMap<string, number>;
  readonly lines: readonly string[];
}

class Assignment {
  readonly #options: AssignOptions;
  readonly #added: readonly Added[];
  /** The versions that add a line. */
  readonly #adding = new Map<string, number[]>();
  readonly #chosen = new Map<FileEdit, number>();
  readonly #commands = new Map<number, FileEdit>();
  readonly #claimed: Map<string, number>[];

  constructor(options: AssignOptions) {
    this.#options = options;
    this.#added = options.versions.map((version) => addedBy(version, options.versions));
    this.#claimed = options.versions.map(() => new Map());
    for (const [i, { counts }] of this.#added.entries()) {
      for (const line of counts.keys()) {
        const known = this.#adding.get(line);
        if (known === undefined) this.#adding.set(line, [i]);
        else known.push(i);
      }
    }
  }

  run(): AssignedEdits {
    const rest: FileEdit[] = [];
    const introduced = new Map(this.#options.edits.map((edit) => [edit, introducedBy(edit)]));
    const last = new Map<string, number>();
    for (const [edit, wrote] of introduced) {
      const root = this.#options.rootOf(edit);
      const choice = this.#choose(edit, wrote, last.get(root) ?? -1);
      if (choice === undefined) {
        // A call with distinctive lines that no version adds was undone; one that only deletes wrote nothing.
        if (wrote.lines.size === 0 && wrote.parts.length === 0 && wrote.size !== 0) rest.push(edit);
        continue;
      }
      last.set(root, choice);
      this.#take(edit, wrote, choice);
    }
    for (const edit of rest) this.#place(edit);
    return { assigned: this.#chosen, commands: this.#commands };
  }

  #take(edit: FileEdit, { lines }: Introduced, version: number): void {
    this.#chosen.set(edit, version);
    const claimed = this.#claimed[version] as Map<string, number>;
    for (const [line, count] of lines) claimed.set(line, (claimed.get(line) ?? 0) + count);
  }

  #choose(edit: FileEdit, wrote: Introduced, last: number): number | undefined {
    const scores = this.#scores(wrote);
    const best = Math.max(0, ...scores.values());
    if (best === 0) return wrote.lines.size > 0 || wrote.size === 0 ? undefined : this.#byState(wrote, last);
    const tied = [...scores].flatMap(([version, score]) => (score > best - 1e-9 ? version : [])).sort((a, b) => a - b);
    return tied.length === 1 ? tied[0] : this.#breakTie(edit, wrote, tied, last);
  }

  /** How many of the lines each version adds; a rare line counts more. */
  #scores({ lines, parts }: Introduced): Map<number, number> {
    const scores = new Map<number, number>();
    for (const [line, count] of lines) {
      const versions = this.#adding.get(line) ?? [];
      for (const version of versions) {
        const found = Math.min(count, this.#added[version]?.counts.get(line) ?? 0);
        scores.set(version, (scores.get(version) ?? 0) + found / versions.length);
      }
    }
    for (const part of parts) {
      const wanted = squeezed(part);
      const versions = [...this.#added.keys()].filter((i) =>
        this.#added[i]?.lines.some((line) => line.includes(wanted)),
      );
      for (const version of versions) scores.set(version, (scores.get(version) ?? 0) + 1 / versions.length);
    }
    return scores;
  }

  /** A call without distinctive lines belongs to the version with the same whole state. */
  #byState({ before, after }: Introduced, last: number): number | undefined {
    const { versions } = this.#options;
    const text = after?.join('\n');
    const old = before?.join('\n');
    const fits = (i: number): boolean => {
      const version = versions[i] as Version;
      if (text !== undefined && version.lines.join('\n') === text) return true;
      const [parent] = version.parents;
      return old !== undefined && parent !== undefined && versions[parent]?.lines.join('\n') === old;
    };
    const found = [...versions.keys()].filter(fits);
    return found.find((i) => i >= last) ?? found.at(-1);
  }

  #breakTie(edit: FileEdit, wrote: Introduced, tied: readonly number[], last: number): number | undefined {
    const byCommit = this.#byCommit(edit, tied);
    if (byCommit !== undefined) return byCommit;
    const { versions } = this.#options;
    const byTime = tied.find((i) => isAtOrAfter(versions[i] as Version, edit.time));
    const isInformative = tied.some((i) => !isAtOrAfter(versions[i] as Version, edit.time));
    if (byTime !== undefined && isInformative) return byTime;
    const later = tied.filter((i) => i >= last);
    const open = (later.length > 0 ? later : tied).filter((i) => !this.#isClaimed(wrote, i));
    return open[0] ?? later[0] ?? tied[0];
  }

  #isClaimed({ lines }: Introduced, version: number): boolean {
    const claimed = this.#claimed[version];
    const added = this.#added[version]?.counts;
    return [...lines.keys()].every((line) => (claimed?.get(line) ?? 0) >= (added?.get(line) ?? 0));
  }

  /** The next commit that the session itself made. */
  #byCommit({ author, time }: FileEdit, tied: readonly number[]): number | undefined {
    const { commits, versions } = this.#options;
    const next = commits.find((commit) => commit.sessionId === author.sessionId && commit.time >= time);
    return next === undefined ? undefined : tied.find((i) => versions[i]?.commit?.startsWith(next.hash));
  }

  /** A call that shows too little of its own is next to the calls before and after it in the same checkout. */
  #place(edit: FileEdit): void {
    const { edits, rootOf, versions } = this.#options;
    const own = edits.filter((each) => rootOf(each) === rootOf(edit));
    const at = own.indexOf(edit);
    const before = own.slice(0, at).findLast((each) => this.#chosen.has(each));
    const after = own.slice(at + 1).find((each) => this.#chosen.has(each));
    const first = before === undefined ? 0 : (this.#chosen.get(before) as number);
    const end = after === undefined ? versions.length - 1 : (this.#chosen.get(after) as number);
    if (first > end) return;
    const possible = range(first, end);
    const byCommit = this.#byCommit(edit, possible);
    const byTime = possible.find((i) => isAtOrAfter(versions[i] as Version, edit.time));
    const isInformative = possible.some((i) => !isAtOrAfter(versions[i] as Version, edit.time));
    const choice = first === end ? first : (byCommit ?? byTime);
    if (edit.action.kind === 'opaque') {
      const sure = byCommit ?? (isInformative ? byTime : undefined);
      for (const version of sure === undefined ? possible : [sure]) this.#commands.set(version, edit);
    } else if (choice !== undefined) this.#chosen.set(edit, choice);
  }
}

function range(first: number, end: number): readonly number[] {
  return Array.from({ length: end - first + 1 }, (_, i) => first + i);
}

/** Commits have whole seconds. The file on the disk is later than everything. */
function isAtOrAfter({ time }: Version, moment: number): boolean {
  return Number.isNaN(time) || Number.isNaN(moment) || time + 999 >= moment;
}

/** The distinctive lines that any version adds, without whitespace. */
export function addedLines(versions: readonly Version[]): ReadonlySet<string> {
  return new Set(versions.flatMap((version) => addedBy(version, versions).lines));
}

function addedBy(version: Version, versions: readonly Version[]): Added {
  const isNew = version.lines.map(() => true);
  for (const parent of version.parents) {
    const { source } = align(versions[parent]?.lines ?? [], version.lines);
    for (const [i, from] of source.entries()) if (from >= 0) isNew[i] = false;
  }
  const lines = version.lines.filter((line, i) => isNew[i] && isDistinctive(line)).map(squeezed);
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return { counts, lines };
}
