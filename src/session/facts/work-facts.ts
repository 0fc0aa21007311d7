// The lines of a session → where its work was done: the git branch, the model, the worktree and the pull requests that
// its last lines name. Only a few lines are parsed: the last message, and lines of their own types.
import { asObject, asString, type JsonObject } from '../../base/json/index.ts';
import { isMessage, type Node, type Transcript } from '../transcript/index.ts';
import { said } from './titles.ts';

/** A pull request that the client linked to a session. */
export interface PullRequest {
  readonly url: string;
  readonly number: number | undefined;
  /** `owner/name`. */
  readonly repository: string | undefined;
}

/** A git worktree that a session worked in. */
export interface Worktree {
  readonly path: string;
  /** The folder that the session was in before; the repository. */
  readonly repository: string;
  readonly branch: string | undefined;
}

/** What the last lines of a session say about where its work was done. */
export interface WorkFacts {
  /** Of the last message; `undefined` outside of a repository. */
  readonly gitBranch: string | undefined;
  /** Of the last answer that came from a model. */
  readonly model: string | undefined;
  /** The last one that it entered. */
  readonly worktree: Worktree | undefined;
  /** Each once, the last one last. */
  readonly pullRequests: readonly PullRequest[];
}

/** The client writes this model on answers of its own, such as errors. */
const synthetic = '<synthetic>';

export function lastMessageOf(transcript: Transcript): JsonObject | undefined {
  const last = transcript.nodes.findLast((node) => isMessage(node) && !node.isSidechain);
  return last === undefined ? undefined : transcript.read(last, 'sent');
}

/** `last`: of `lastMessageOf`. */
export function workFactsOf(transcript: Transcript, last: JsonObject | undefined): WorkFacts {
  return {
    gitBranch: last === undefined ? undefined : branchOf(last),
    model: lastModel(transcript),
    worktree: lastWorktree(transcript),
    pullRequests: transcript.nodes
      .filter(({ type }) => type === 'pr-link')
      .reduce<readonly PullRequest[]>((known, node) => withPullRequest(known, transcript.read(node)), []),
  };
}

export function branchOf(entry: JsonObject): string | undefined {
  return said(entry.gitBranch);
}

/** The model of an answer; `undefined` for an answer of the client. */
export function modelOfAnswer(node: Node, model: string | undefined): string | undefined {
  if (node.type !== 'assistant' || node.isSidechain || node.isApiError) return undefined;
  const name = said(model);
  return name === synthetic ? undefined : name;
}

function lastModel(transcript: Transcript): string | undefined {
  for (let i = transcript.nodes.length - 1; i >= 0; i--) {
    const node = transcript.nodes[i] as Node; // `i` is in range
    if (node.type !== 'assistant' || node.isSidechain || node.isApiError) continue;
    const model = modelOfAnswer(node, node.message?.model ?? modelIn(transcript.read(node, 'sent')));
    if (model !== undefined) return model;
  }
  return undefined;
}

/** Some programs write the message on the record itself. */
function modelIn(entry: JsonObject): string | undefined {
  return asString((asObject(entry.message) ?? entry).model);
}

function lastWorktree(transcript: Transcript): Worktree | undefined {
  for (let i = transcript.nodes.length - 1; i >= 0; i--) {
    const node = transcript.nodes[i] as Node; // `i` is in range
    if (node.type !== 'worktree-state') continue;
    const worktree = worktreeOf(transcript.read(node));
    if (worktree !== undefined) return worktree;
  }
  return undefined;
}

/** `undefined` for a line that says that the session left its worktree. */
export function worktreeOf(entry: JsonObject): Worktree | undefined {
  const state = asObject(entry.worktreeSession);
  const path = said(state?.worktreePath);
  const repository = said(state?.originalCwd);
  if (path === undefined || repository === undefined || path === repository) return undefined;
  return { path, repository, branch: said(state?.worktreeBranch) };
}

/** A transcript may have any number of lines; a list shows few. */
const mostPullRequests = 10;
const mostUrlChars = 500;

export function withPullRequest(known: readonly PullRequest[], entry: JsonObject): readonly PullRequest[] {
  const url = said(entry.prUrl);
  if (url === undefined || url.length > mostUrlChars) return known;
  const number = typeof entry.prNumber === 'number' ? entry.prNumber : undefined;
  const linked: PullRequest = { url, number, repository: said(entry.prRepository) };
  return [...known.filter((each) => each.url !== url), linked].slice(-mostPullRequests);
}
