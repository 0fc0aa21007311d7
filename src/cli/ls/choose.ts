// The flags of `clew ls` → which sessions are listed, in which order, and how many.
import { UserError } from '../../base/errors/index.ts';
import { parseTime } from '../../base/time/index.ts';
import type { ListedSession } from '../../library/index/index.ts';
import { isOfPullRequest, isOnBranch, isPullRequestName, type RepositoryOf } from '../../library/lineage/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { projectFilter } from '../input/index.ts';
import { lastUse } from './render.ts';

export const listOrders = ['updated', 'created', 'size', 'turns', 'cost', 'title'] as const;
export type ListOrder = (typeof listOrders)[number];

export interface ListChoice {
  readonly order: ListOrder;
  readonly limit: number;
  /** The flags that leave sessions out, as they were typed. */
  readonly narrowed: readonly string[];
  isListed(session: ListedSession, repositoryOf: RepositoryOf): boolean;
}

const narrowing = ['project', 'tag', 'branch', 'pr', 'since', 'until'] as const;

export function readChoice(input: CommandInput, nowMs: number): ListChoice {
  const { flags } = input;
  const [tag, branch, pr] = ['tag', 'branch', 'pr'].map((name) => wordFlag(input, name));
  if (pr !== undefined && !isPullRequestName(pr))
    throw new UserError(`--pr does not understand "${pr}"`, 'use a number (12), owner/name#12 or the address');
  const { from, to, limit } = readWindow(input, nowMs);
  const isOfProject = projectFilter(input);
  const tests: readonly ListChoice['isListed'][] = [
    (session, repositoryOf) =>
      isOfProject(session) || isOfProject({ ...session, cwd: repositoryOfSession(session, repositoryOf) }),
    (session) => tag === undefined || session.tag === tag,
    (session) => branch === undefined || isOnBranch(session, branch),
    (session) => pr === undefined || isOfPullRequest(session.pullRequests, pr),
    (session) => from === undefined || lastUse(session) >= from,
    (session) => to === undefined || startOf(session) < to,
  ];
  return {
    order: orderFlag(textFlag(flags, 'sort')),
    limit,
    narrowed: narrowing.flatMap((name) => {
      const value = textFlag(flags, name);
      return value === undefined ? [] : [`--${name} ${value}`];
    }),
    isListed: (session, repositoryOf) => tests.every((test) => test(session, repositoryOf)),
  };
}

/** `--since`, `--until` and `--limit`. */
export function readWindow(
  input: CommandInput,
  nowMs: number,
): { readonly from: number | undefined; readonly to: number | undefined; readonly limit: number } {
  const [since, until] = ['since', 'until'].map((name) => wordFlag(input, name));
  return {
    from: since === undefined ? undefined : parseTime(since, '--since', false, nowMs),
    to: until === undefined ? undefined : parseTime(until, '--until', true, nowMs),
    limit: limitFlag(textFlag(input.flags, 'limit')),
  };
}

/** The repository whose worktree it works in; its own folder if it is not in a worktree. */
export function repositoryOfSession({ cwd }: ListedSession, repositoryOf: RepositoryOf): string | undefined {
  return cwd === undefined ? undefined : (repositoryOf(cwd) ?? cwd);
}

function wordFlag({ flags }: CommandInput, name: string): string | undefined {
  const value = textFlag(flags, name)?.trim();
  if (value !== '') return value;
  throw new UserError(`--${name} is empty`, emptyHints[name] ?? `give --${name} a value`);
}

const emptyHints: Readonly<Record<string, string>> = {
  tag: 'name a tag, as `clew tag` gave it',
  branch: 'name a git branch, such as main or "feature/*"',
  pr: 'use a number (12), owner/name#12 or the address',
};

function orderFlag(value: string | undefined): ListOrder {
  if (value === undefined) return 'updated';
  const order = listOrders.find((each) => each === value);
  if (order === undefined) throw new UserError(`--sort does not understand "${value}"`, `use ${listOrders.join(', ')}`);
  return order;
}

function limitFlag(value: string | undefined): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new UserError(`--limit does not understand "${value}"`, 'use a number from 1');
}

/** `costOf`: in millionths of a dollar; `undefined` if unknown. */
export function inListOrder<T extends ListedSession>(
  sessions: readonly T[],
  order: ListOrder,
  costOf: (session: T) => number | undefined,
): T[] {
  const orders: Readonly<Record<ListOrder, (a: T, b: T) => number>> = {
    updated: (a, b) => lastUse(b) - lastUse(a),
    created: (a, b) => startOf(b) - startOf(a),
    size: (a, b) => b.sizeBytes - a.sizeBytes,
    turns: (a, b) => b.turns - a.turns,
    cost: (a, b) => (costOf(b) ?? -1) - (costOf(a) ?? -1),
    title: (a, b) => compareTitles(a.title, b.title),
  };
  return [...sessions].sort((a, b) => orders[order](a, b) || lastUse(b) - lastUse(a));
}

function startOf(session: ListedSession): number {
  return Number.isNaN(session.startedAt) ? lastUse(session) : session.startedAt;
}

/** Sessions without a title come last. */
function compareTitles(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return a.localeCompare(b, 'en', { sensitivity: 'base', numeric: true });
}
