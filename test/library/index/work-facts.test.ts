// Branch, model, tag, origin, worktree and pull requests of every session of the corpora, from the index, compared with
// what its lines say when they are parsed one after the other.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { ListedSession } from '../../../src/library/index/session-list.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { corpusFiles, recordedFiles } from '../../support/transcripts.ts';
import { list, listInOnePass, openEmpty } from '../session-list-kit.ts';

type Raw = Readonly<Record<string, unknown>>;
type Facts = Readonly<Record<'branch' | 'model' | 'tag' | 'origin' | 'worktree' | 'pull', string | undefined>>;

/** `undefined` if a line is not one JSON object. */
function rawLines(file: string): readonly Raw[] | undefined {
  try {
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as unknown);
    return lines.every((line) => typeof line === 'object' && line !== null && !Array.isArray(line))
      ? (lines as readonly Raw[])
      : undefined;
  } catch {
    return undefined;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function inside(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Raw)[key] : undefined;
}

function expectedFacts(lines: readonly Raw[]): Facts {
  // Some transcripts have no `type`, only a role.
  const roleOf = ({ type, role, message }: Raw): unknown => type ?? inside(message, 'role') ?? role;
  const main = lines.filter(
    (line) => line.isSidechain !== true && ['user', 'assistant'].includes(String(roleOf(line))),
  );
  const models = main
    .filter((line) => roleOf(line) === 'assistant' && line.isApiErrorMessage !== true)
    .map(({ message, model }) => text(inside(message, 'model') ?? model))
    .filter((model) => model !== undefined && model !== '<synthetic>');
  const ofType = (wanted: string): readonly Raw[] => lines.filter(({ type }) => type === wanted);
  // One line has "[trimmed for fixture]" as both folders.
  const entered = ofType('worktree-state')
    .map(({ worktreeSession: state }) => [text(inside(state, 'worktreePath')), inside(state, 'originalCwd')] as const)
    .flatMap(([folder, before]) => (folder === undefined || folder === before ? [] : folder));
  return {
    branch: text(main.at(-1)?.gitBranch),
    model: models.at(-1),
    tag: text(ofType('tag').at(-1)?.tag),
    origin: text(inside(main[0]?.forkedFrom, 'sessionId')),
    worktree: entered.at(-1),
    pull: text(ofType('pr-link').at(-1)?.prUrl),
  };
}

function listedFacts({ gitBranch, model, tag, forkedFrom, worktree, pullRequests }: ListedSession): Facts {
  const pull = pullRequests.at(-1)?.url;
  return { branch: gitBranch, model, tag, origin: forkedFrom, worktree: worktree?.path, pull };
}

test('the list shows what the lines of each session say', async (context) => {
  const root = temporaryFolder(context);
  const folder = path.join(root, 'projects/-all');
  mkdirSync(folder, { recursive: true });
  const expected = new Map<string, Facts>();
  for (const [i, file] of [...corpusFiles(), ...recordedFiles()].entries()) {
    const lines = rawLines(file);
    if (lines === undefined) continue;
    copyFileSync(file, path.join(folder, `session-${i}.jsonl`));
    expected.set(`session-${i}`, expectedFacts(lines));
  }
  const counts: Record<string, number> = {};
  for (const listAll of [listInOnePass, list]) {
    const { sessions } = await listAll(openEmpty(context), root);
    for (const session of sessions) {
      const facts = listedFacts(session);
      assert.deepEqual(facts, expected.get(session.sessionId));
      for (const [name, value] of Object.entries(facts))
        if (value !== undefined) counts[name] = (counts[name] ?? 0) + 1;
    }
  }
  context.diagnostic(JSON.stringify(counts));
  assert.ok((counts.branch ?? 0) > 200 && (counts.model ?? 0) > 200, JSON.stringify(counts));
  assert.deepEqual([counts.pull, counts.worktree], [2, 2], 'one transcript of the corpora has each');
});

/** Recorded with 2.0.50 to 2.1.45, which write no `forkedFrom`. */
const recordedForks: Readonly<Record<string, string>> = {
  '0b09e7d2-5dad-4ae5-93ca-d35f72ab209b': '19bf9035-0597-49d4-a682-bdcf1acb09d3',
  '7517f26b-db0b-450b-89b4-b0a5b16286f3': '48f8ad3a-97b7-4e73-accf-9ddc1a1cce5d',
  '8995a333-4453-4d6b-ae57-4b140f1f67fe': '9c7bd09d-9c89-4381-a724-c1b67a96ba63',
};

test('a fork by the client begins with the same message as its origin, and later than it', async (context) => {
  const root = temporaryFolder(context);
  const folder = path.join(root, 'projects/-forks');
  mkdirSync(folder, { recursive: true });
  const ids = Object.entries(recordedForks).flat();
  for (const file of corpusFiles())
    if (ids.includes(path.basename(file, '.jsonl'))) copyFileSync(file, path.join(folder, path.basename(file)));
  const { sessions } = await list(openEmpty(context), root);
  const byId = new Map(sessions.map((session) => [session.sessionId, session]));
  assert.equal(byId.size, 6);
  for (const [fork, origin] of Object.entries(recordedForks)) {
    assert.ok(byId.get(origin)?.firstUuid !== undefined);
    assert.equal(byId.get(fork)?.firstUuid, byId.get(origin)?.firstUuid);
    assert.ok(Number(byId.get(fork)?.startedAt) > Number(byId.get(origin)?.startedAt));
  }
});
