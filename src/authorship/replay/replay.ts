// All versions of a file and the calls that are in them → the origin of each line of the last version. Between two
// versions the calls are applied one after the other; what changes before, between and after them was not done by them.
import { applyAction, type FileEdit } from '../calls/index.ts';
import type { Version } from '../history/index.ts';
import { isDistinctive, linesOf, squeezed } from '../lines/index.ts';
import { applyEdit } from './apply-edit.ts';
import { introducedBy } from './introduced.ts';
import { emptyState, type Origin, type State, type Step, takeStep } from './state.ts';

export interface ReplayOptions {
  readonly versions: readonly Version[];
  readonly assigned: ReadonlyMap<FileEdit, number>;
  readonly commands: ReadonlyMap<number, FileEdit>;
  rootOf(edit: FileEdit): string;
  /** Whether a recorded session names a commit, and so may have made it. */
  isRecorded(commit: string): boolean;
}

/** The states of all versions. */
export function replay(options: ReplayOptions): readonly State[] {
  const states: State[] = [];
  const byText = new Map<string, State>();
  const editsIn = new Map<number, FileEdit[]>();
  for (const [edit, version] of options.assigned) {
    const known = editsIn.get(version);
    if (known === undefined) editsIn.set(version, [edit]);
    else known.push(edit);
  }
  for (const [i, version] of options.versions.entries()) {
    const next = new Interval(options, i, states, byText).replay(editsIn.get(i) ?? []);
    states.push(next);
    // The latest of equal states: a line may have been typed again in between.
    byText.set(version.lines.join('\n'), next);
  }
  return states;
}

/** More calls between two versions are all taken as they are. */
const mostChecked = 60;

/** So many lines that came back at once were not typed again. */
const mostTypedAgain = 6;

class Interval {
  readonly #options: ReplayOptions;
  readonly #index: number;
  readonly #version: Version;
  readonly #states: readonly State[];
  readonly #byText: ReadonlyMap<string, State>;
  readonly #others: readonly State[];

  constructor(options: ReplayOptions, index: number, states: readonly State[], byText: ReadonlyMap<string, State>) {
    this.#options = options;
    this.#index = index;
    this.#version = options.versions[index] as Version;
    this.#states = states;
    this.#byText = byText;
    this.#others = [...this.#version.parents.slice(1).flatMap((parent) => states[parent] ?? []), ...this.#reverted()];
  }

  replay(edits: readonly FileEdit[]): State {
    const groups = new Map<string, FileEdit[]>();
    for (const edit of edits) {
      const root = this.#options.rootOf(edit);
      groups.set(root, [...(groups.get(root) ?? []), edit]);
    }
    const results = [...groups.values()].map((group) => this.#replayFitting(group));
    const [first, ...more] = results.length === 0 ? [this.#replayGroup([])] : results;
    const merged = more.reduce((a, b) => mergeStates(a, b, this.#index), first as State);
    return this.#withDoubts(merged, edits);
  }

  /** Without calls that were undone before the version: with them more of its lines are unexplained than without. */
  #replayFitting(edits: readonly FileEdit[]): State {
    let used = edits;
    let best = this.#replayGroup(used);
    for (const edit of edits.length > mostChecked ? [] : edits) {
      const others = used.filter((each) => each !== edit);
      const without = this.#replayGroup(others);
      if (this.#unexplained(without) >= this.#unexplained(best)) continue;
      used = others;
      best = without;
    }
    return best;
  }

  #unexplained({ origins }: State): number {
    return origins.filter(({ kind, version }) => kind === 'outside' && version === this.#index).length;
  }

  #replayGroup(edits: readonly FileEdit[]): State {
    const [parent] = this.#version.parents;
    let state = (parent === undefined ? undefined : this.#states[parent]) ?? emptyState;
    const seen = new Map<string, State>([[state.lines.join('\n'), state]]);
    const loose: FileEdit[] = [];
    const visit = (next: State): void => {
      state = next;
      const text = state.lines.join('\n');
      if (!seen.has(text)) seen.set(text, state);
    };
    /** The file was in this state: known, restored, or changed by anything else. */
    const reach = (lines: readonly string[]): void => {
      const text = lines.join('\n');
      visit(seen.get(text) ?? this.#byText.get(text) ?? takeStep(state, lines, this.#outside()));
    };
    for (const edit of edits) {
      if (edit.before !== undefined) reach(linesOf(edit.before));
      let next = applyEdit(state, edit, this.#byCall(edit));
      if (next === undefined && edit.seen !== undefined && applyAction(edit.action, edit.seen) !== undefined) {
        reach(linesOf(edit.seen));
        next = applyEdit(state, edit, this.#byCall(edit));
      }
      if (next === undefined) loose.push(edit);
      else visit(next);
    }
    const known = seen.get(this.#version.lines.join('\n'));
    const last = known ?? this.#restored(state) ?? takeStep(state, this.#version.lines, this.#outside());
    return loose.reduce((result, edit) => this.#addLoose(result, edit), last);
  }

  #outside(): Step {
    const origin: Origin = { kind: 'outside', version: this.#index, earlier: undefined };
    return { originOf: () => origin, isByAgent: false, others: this.#others };
  }

  #byCall(edit: FileEdit): Step {
    const own: Origin = { kind: 'edit', edit, version: this.#index, how: 'same' };
    const outside: Origin = { kind: 'outside', version: this.#index, earlier: undefined };
    const { ownLines } = edit;
    return { originOf: (line) => (ownLines === undefined || ownLines.has(line) ? own : outside), isByAgent: true };
  }

  /** A version that is equal to an earlier one: by `git revert`, or with more lines back than anyone types again. */
  #restored(state: State): State | undefined {
    const earlier = this.#byText.get(this.#version.lines.join('\n'));
    if (earlier === undefined || this.#isReverting) return earlier;
    const { origins } = takeStep(state, this.#version.lines, this.#outside());
    const back = origins.filter(
      (origin, i) =>
        origin.kind === 'outside' && origin.version === this.#index && isDistinctive(earlier.lines[i] ?? ''),
    );
    return back.length > mostTypedAgain ? earlier : undefined;
  }

  get #isReverting(): boolean {
    return /^This reverts commit [0-9a-f]{7,64}/m.test(this.#version.message);
  }

  /** The states before the commits that this one reverts. */
  #reverted(): readonly State[] {
    const { versions } = this.#options;
    const hashes = [...this.#version.message.matchAll(/^This reverts commit ([0-9a-f]{7,64})/gm)].map(
      (found) => found[1],
    );
    const subject = /^(?:Revert|Reapply) "(.*)"$/m.exec(this.#version.message)?.[1];
    return hashes.flatMap((hash) => {
      const exact = versions.findIndex(({ commit }) => commit?.startsWith(hash as string));
      const byName = versions.findLastIndex(({ message }, i) => i < this.#index && message.split('\n')[0] === subject);
      const reverted = versions[exact >= 0 ? exact : byName];
      const parent = reverted?.parents[0];
      return parent === undefined ? [] : (this.#states[parent] ?? []);
    });
  }

  /** Lines of a call whose place is not known: a run of them that is in the file once, and that nothing else explains. */
  #addLoose(state: State, edit: FileEdit): State {
    const { lines, parts } = introducedBy(edit);
    const wanted = new Set([...lines.keys(), ...parts.map(squeezed)]);
    if (wanted.size === 0) return state;
    const counts = new Map<string, number>();
    for (const line of state.lines) counts.set(squeezed(line), (counts.get(squeezed(line)) ?? 0) + 1);
    const own: Origin = { kind: 'edit', edit, version: this.#index, how: 'same' };
    const origins = state.origins.map((origin, i) => {
      const key = squeezed(state.lines[i] as string);
      const isFree = origin.kind === 'outside' && origin.version === this.#index;
      return isFree && wanted.has(key) && counts.get(key) === 1 ? own : origin;
    });
    return { lines: state.lines, origins };
  }

  get #isMissingSession(): boolean {
    const { commit, message } = this.#version;
    return commit !== undefined && namesAgent(message) && !this.#options.isRecorded(commit);
  }

  /** What is not by a call, although something else than the user may have written it. */
  #withDoubts(state: State, edits: readonly FileEdit[]): State {
    const command = this.#options.commands.get(this.#index);
    const doubt = this.#version.isCut
      ? 'history'
      : command !== undefined
        ? 'command'
        : edits.length === 0 && this.#isMissingSession
          ? 'missing-session'
          : undefined;
    if (doubt === undefined) return state;
    const origins = state.origins.map(
      (origin): Origin =>
        origin.kind === 'outside' && origin.version === this.#index
          ? { kind: 'unclear', version: this.#index, doubt, edit: doubt === 'command' ? command : undefined }
          : origin,
    );
    return { lines: state.lines, origins };
  }
}

/** The trailers that agents leave in commit messages. */
function namesAgent(message: string): boolean {
  return /^Co-Authored-By: Claude\b|Generated with \[?Claude Code/im.test(message);
}

/** Two checkouts that led to one version: a call of either explains a line that is new in it. */
function mergeStates(a: State, b: State, version: number): State {
  const merge = (first: Origin, second: Origin): Origin => {
    if (first.version !== version || second.version !== version) {
      const [old, fresh] = first.version === version ? [second, first] : [first, second];
      if (fresh.kind !== 'edit' || old.kind === 'edit') return old;
      return { kind: 'unclear', version, doubt: 'equal-lines', edit: fresh.edit };
    }
    if (first.kind === 'edit') return first;
    return second.kind === 'outside' ? first : second;
  };
  return { lines: a.lines, origins: a.origins.map((origin, i) => merge(origin, b.origins[i] as Origin)) };
}
