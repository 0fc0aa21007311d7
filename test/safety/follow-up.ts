// What a user does after a call that was stopped, in one process: the next ordinary command, a look at the history and the
// list, and the undo. The only argument is a `FollowUp`; it prints a `FollowedUp`.
import { readFileSync } from 'node:fs';
import type { Run } from '../support/clew.ts';
import { runInThread } from '../support/clew-thread.ts';
import { type ExploredPlace, explored, findLeftovers, readPlace } from './explored-place.ts';

export interface FollowUp {
  readonly place: Pick<ExploredPlace, 'top' | 'state' | 'work' | 'env'>;
  /** The ordinary command. */
  readonly next: readonly string[];
  /** Operations that are not looked at: they were done before. */
  readonly known: readonly string[];
  /** Whether the newest of the others is undone then. */
  readonly undoes: boolean;
}

export interface SeenOperation {
  readonly id: string;
  readonly operation: string;
  readonly state: string;
}

export interface FollowedUp {
  readonly next: Run;
  readonly history: readonly SeenOperation[];
  /** The ids of the listed sessions, sorted. */
  readonly listed: readonly string[];
  readonly archived: string;
  readonly tree: readonly (readonly [string, string])[];
  readonly leftovers: readonly string[];
  readonly undo?: Run & {
    readonly tree: readonly (readonly [string, string])[];
    readonly history: readonly SeenOperation[];
  };
}

if (process.argv[2] === 'follow-up') {
  const { place, next, known, undoes } = JSON.parse(readFileSync(0, 'utf8')) as FollowUp;
  const run = (...args: readonly string[]): Run => runInThread({ args, env: place.env }, place.work);
  const readHistory = (): readonly SeenOperation[] => {
    const { stdout } = run('history', '--json');
    return readOperations(stdout).filter(({ id }) => !known.includes(id));
  };
  const ordinary = run(...next);
  const history = readHistory();
  const { stdout } = run('ls', '--json');
  const listed =
    stdout === ''
      ? []
      : (JSON.parse(stdout) as readonly { readonly sessionId: string }[]).map((each) => each.sessionId);
  const archived = run('archive', '--list', '--json').stdout;
  const [tree, leftovers] = [readTree(place), findLeftovers(place)];
  const id = undoes ? history[0]?.id : undefined;
  const undone = id === undefined ? undefined : run('undo', id);
  const undo = undone === undefined ? {} : { undo: { ...undone, tree: readTree(place), history: readHistory() } };
  const result: FollowedUp = { next: ordinary, history, listed: listed.sort(), archived, tree, leftovers, ...undo };
  process.stdout.write(JSON.stringify(result));
}

/** Of the JSON of `clew history`, without those that only change other sessions. */
export function readOperations(json: string): readonly SeenOperation[] {
  const all = json === '' ? [] : (JSON.parse(json) as readonly HistoryRow[]);
  const aside: readonly string[] = [explored.other, explored.spare];
  return all
    .filter(({ from, to }) => ![...from, ...to].some(({ sessionId }) => aside.includes(sessionId)))
    .map(({ id, operation, state }) => ({ id, operation, state }));
}

interface HistoryRow extends SeenOperation {
  readonly from: readonly { readonly sessionId: string }[];
  readonly to: readonly { readonly sessionId: string }[];
}

function readTree(place: FollowUp['place']): readonly (readonly [string, string])[] {
  return [...readPlace(place)];
}
