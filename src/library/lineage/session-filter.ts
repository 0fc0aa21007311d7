// Whether a session belongs to a git branch or a pull request: the same rules for `clew ls`, the picker and the page.
import type { PullRequest, Worktree } from '../../session/facts/index.ts';

export interface WorkSource {
  readonly gitBranch: string | null | undefined;
  readonly worktree?: Pick<Worktree, 'branch'> | undefined;
}

/** `wanted` is the name of a branch; `*` in it fits anything. */
export function isOnBranch({ gitBranch, worktree }: WorkSource, wanted: string): boolean {
  const names = [gitBranch, worktree?.branch].flatMap((name) => name ?? []);
  if (!wanted.includes('*')) return names.includes(wanted);
  const parts = wanted.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('.*')}$`, 's');
  return names.some((name) => pattern.test(name));
}

type Link = Pick<PullRequest, 'url'> & { readonly [K in 'number' | 'repository']?: PullRequest[K] | null };

/** `wanted`: a number (`12`, `#12`), a repository with a number (`owner/name#12`), or an address. */
export function isOfPullRequest(pullRequests: readonly Link[], wanted: string): boolean {
  const text = wanted.trim();
  const [, repository, digits] = /^(?:([^\s#]+)?#)?(\d{1,12})$/.exec(text) ?? [];
  if (digits === undefined) return pullRequests.some(({ url }) => plainAddress(url) === plainAddress(text));
  return pullRequests.some((link) => {
    if ((link.number ?? numberIn(link.url)) !== Number(digits)) return false;
    return repository === undefined || repositoryOf(link) === repository.toLowerCase();
  });
}

/** What `--pr` understands. */
export function isPullRequestName(text: string): boolean {
  return /^(?:[^\s#]+#|#)?\d{1,12}$|^https?:\/\/\S+$/i.test(text.trim());
}

function plainAddress(url: string): string {
  return url
    .replace(/[?#].*$/, '')
    .replace(/\/(?:files|commits|checks)?\/*$/, '')
    .toLowerCase();
}

function numberIn(url: string): number | undefined {
  const digits = /\/(?:pull|pulls|merge_requests|pull-requests)\/(\d{1,12})/.exec(url)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function repositoryOf({ url, repository }: Link): string | undefined {
  const named = repository ?? /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\//.exec(url)?.[1];
  return named?.toLowerCase();
}
