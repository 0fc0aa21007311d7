// clew log [COMMIT]: which sessions and turns wrote the lines that a commit, or each commit of a range, adds.

import type { FileAnswer } from '../../authorship/answer/index.ts';
import {
  type CommitFacts,
  commitFacts,
  listCommits,
  openRepository,
  type Repository,
} from '../../authorship/history/index.ts';
import { UserError } from '../../base/errors/index.ts';
import { isoDate, jsonText } from '../../base/json/index.ts';
import type { CommandInput } from '../command/index.ts';
import { terminalWidth, writeOut } from '../terminal/index.ts';
import { CallList, lineJson, openAnswers } from '../why/index.ts';
import { commitText } from './render.ts';
import { type CommitShares, sharesOf } from './shares.ts';

const mostCommits = 200;

export async function run(input: CommandInput): Promise<void> {
  const { io, flags } = input;
  const repository = await openRepository(io.cwd, io.env);
  if (repository === undefined)
    throw new UserError(`${io.cwd} is not in a git repository`, 'run it in the folder of one');
  const name = input.argument ?? 'HEAD';
  const hashes = await listCommits(repository, name);
  if (hashes === undefined) throw new UserError(`there is no commit ${name}`, 'give a hash, a branch, a tag or A..B');
  if (hashes.length > mostCommits)
    throw new UserError(`${name} has ${hashes.length} commits`, `give a range of at most ${mostCommits}`);
  const commits: AnsweredCommit[] = [];
  let ids: ReadonlyMap<string, string> = new Map();
  for (const hash of hashes) {
    const commit = await answerCommit(input, repository, hash);
    commits.push(commit);
    ids = commit.ids;
  }
  if (flags.json === true) return writeOut([logJson(commits, input)], io);
  const options = { width: terminalWidth(io.stdout, io.env), style: io.style, ids };
  const texts = commits.map(({ facts, shares }) => commitText(facts, shares, options));
  await writeOut([texts.join('\n')], { ...io, pager: true });
}

interface AnsweredCommit {
  readonly facts: CommitFacts;
  readonly files: readonly FileAnswer[];
  readonly shares: CommitShares;
  readonly ids: ReadonlyMap<string, string>;
}

async function answerCommit(input: CommandInput, repository: Repository, hash: string): Promise<AnsweredCommit> {
  const facts = await commitFacts(repository, hash);
  if (facts === undefined) throw new UserError(`commit ${hash} cannot be read`, 'check the repository with git fsck');
  const targets = facts.files.map((path) => ({ path, commit: hash }));
  const { answer, ids } = await openAnswers(input, targets, repository);
  return { facts, files: answer.files, shares: sharesOf(answer.files), ids };
}

function logJson(commits: readonly AnsweredCommit[], input: CommandInput): string {
  const calls = new CallList();
  const rows = commits.map(({ facts, files, shares }) => ({
    commit: facts.hash,
    subject: facts.subject,
    author: facts.author,
    time: Number.isNaN(facts.time) ? null : isoDate(facts.time),
    addedLines: shares.total,
    byAgents: shares.byAgents,
    notByAgents: shares.notByAgents,
    unknown: shares.unknown,
    files: files.map((file) => ({
      path: file.path,
      isBinary: file.isBinary,
      lines: file.lines.filter((_, i) => file.added.has(i)).map((line) => lineJson(line, calls)),
    })),
  }));
  return `${jsonText({ commits: rows, calls: calls.calls, unread: input.unread.problems }, 2)}\n`;
}
