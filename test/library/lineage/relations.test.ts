// Where sessions came from: trees of transcripts written by hand for each relation, the recordings of the real client,
// and any sessions at all, which never form a cycle.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { findRelations } from '../../../src/library/lineage/relations.ts';
import type { MarkedSession } from '../../../src/library/lineage/session-marks.ts';
import { jsonOf } from '../../support/clew.ts';
import { corpusFolder } from '../../support/corpus.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { transcript } from '../../support/transcript-builder.ts';
import { copyOf, id, Root, talk } from './lineage-tree.ts';

interface Listed {
  readonly sessionId: string;
  readonly path: string;
  readonly relations: readonly { kind: string; sessionId: string; at: string | null; evidence: string }[];
}

/** `kind other evidence`, by session; sessions without relations are left out. */
function relationsIn(root: string): Readonly<Record<string, readonly string[]>> {
  const rows = jsonOf(['ls', '--json', '--root', root]) as unknown as readonly Listed[];
  const related = rows.filter(({ relations }) => relations.length > 0);
  return Object.fromEntries(
    related
      .map(({ sessionId, path: file, relations }) => [
        sessionId.slice(0, 1) + sessionId.slice(-1) + (file.includes('worktrees') ? 'w' : ''),
        relations.map(
          (each) => `${each.kind} ${each.sessionId.slice(0, 1)}${each.sessionId.slice(-1)} ${each.evidence}`,
        ),
      ])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)) as [string, string[]][],
  );
}

test('each relation is found by what the files say', (context) => {
  const root = new Root(temporaryFolder(context));
  const add = (session: string, text: Parameters<Root['add']>[1], slug?: string): void => root.add(session, text, slug);

  // a: a fork as the client and Clew write it, and a fork of the fork whose origin is gone.
  const a1 = talk(id('a', 1), ['fork me', 'go on']);
  add(id('a', 1), a1);
  add(id('a', 2), copyOf(a1, id('a', 2), { sessionId: id('a', 2), forkedFrom: { sessionId: id('a', 1) } }, ['other']));
  add(id('a', 3), copyOf(a1, id('a', 3), { sessionId: id('a', 3), forkedFrom: { sessionId: id('a', 9) } }));

  // b: clients up to 2.1.45 leave the id of the origin on the copied lines.
  const b1 = talk(id('b', 1), ['old fork']);
  add(id('b', 1), b1);
  add(id('b', 2), copyOf(b1, id('b', 2), {}, ['more']));
  // The same file under another name.
  add(id('b', 3), copyOf(b1, id('b', 3), {}));

  // c: lines without any mark, with the same uuids.
  const c1 = talk(id('c', 1), ['copied by hand', 'two']);
  add(id('c', 1), c1);
  add(id('c', 2), copyOf(c1, id('c', 2), { sessionId: id('c', 2) }, ['three']));

  // d: a plan is carried out in a new session; a compaction continues in another one, by path and by uuid.
  const d1 = talk(id('d', 1), ['make a plan']);
  add(id('d', 1), d1);
  const named = (session: string): string => `read the full transcript at: /x/${session}.jsonl`;
  add(id('d', 2), talk(id('d', 2), [`Implement the following plan:\n1.\n\nIf you need details, ${named(id('d', 1))}`]));
  add(
    id('d', 3),
    transcript({ sessionId: id('d', 3) })
      .boundary({}, { uuid: 'd3-s', logicalParentUuid: 'nowhere' })
      .summary(`The summary. ${named(id('d', 2))}`, { uuid: 'd3-u' })
      .assistant('ok', { uuid: 'd3-a', message: { id: 'msg_d3' } }),
  );
  const end = d1.entries.at(-1)?.uuid;
  add(
    id('d', 4),
    transcript({ sessionId: id('d', 4) })
      .boundary({}, { uuid: 'd4-s', logicalParentUuid: end ?? '' })
      .summary('The summary.', { uuid: 'd4-u' })
      .assistant('ok', { uuid: 'd4-a', message: { id: 'msg_d4' } }),
  );
  // It names itself, as every compaction does.
  add(id('d', 5), talk(id('d', 5), [`a summary, ${named(id('d', 5))}`]));

  // e: /bg copies a conversation into a background session.
  const e1 = talk(id('e', 1), ['move me']);
  add(id('e', 1), e1);
  const e2 = talk(id('e', 2), ['in the background'], { sessionKind: 'bg' }).text();
  add(id('e', 2), copyOf(e1, id('e', 2), { sessionId: id('e', 2), forkedFrom: { sessionId: id('e', 1) } }) + e2);

  // f: a job that was opened again has a new session with the first prompt only (claude-code#72012).
  add(id('f', 1), talk(id('f', 1), ['count the birds', 'and the fish'], { sessionKind: 'bg' }));
  add(id('f', 2), talk(id('f', 2), ['count the birds'], { sessionKind: 'bg' }));

  // 1: the same, named by the state of the job; the new session is empty. 2: only the name of the job's folder links them.
  add(id('1', 1), talk(id('1', 1), ['sort the mail', 'more']));
  add(
    id('1', 2),
    transcript({ sessionId: id('1', 2) })
      .after(9e8)
      .aside('mode', { mode: 'default' }),
  );
  root.addJob('11111111', { sessionId: id('1', 2), resumeSessionId: id('1', 1), intent: 'sort the mail' });
  add(id('2', 1), talk(id('2', 1), ['sweep the floor', 'more']));
  add(id('3', 2), talk(id('3', 2), ['sweep the floor']));
  root.addJob('20000000', {
    sessionId: id('3', 2),
    resumeSessionId: id('3', 2),
    linkScanPath: `/x/${id('3', 2)}.jsonl`,
  });

  // 4: two sessions may be the one before, so nothing is said; 5: not a background session; 6: another folder.
  for (const n of [1, 2]) add(id('4', n), talk(id('4', n), ['deploy', 'more']));
  add(id('4', 3), talk(id('4', 3), ['deploy'], { sessionKind: 'bg' }));
  add(id('5', 1), talk(id('5', 1), ['clean up', 'more']));
  add(id('5', 2), talk(id('5', 2), ['clean up']));
  add(id('6', 1), talk(id('6', 1), ['paint', 'more'], { cwd: '/elsewhere' }));
  add(id('6', 2), talk(id('6', 2), ['paint'], { sessionKind: 'bg' }));

  // 7: a session that moved into a worktree was opened again as an empty one with the same id (claude-code#75929).
  add(id('7', 1), talk(id('7', 1), ['build it', 'more']), '-home-dev-widgets--claude-worktrees-x');
  add(id('7', 1), talk(id('7', 1), ['build it']));

  // 8: files that name one another. 9: a file whose lines carry an id that is not in the library.
  for (const [n, other] of [
    [1, 2],
    [2, 1],
  ] as const)
    add(id('8', n), talk(id('8', n), [`loop ${n}`], { forkedFrom: { sessionId: id('8', other) } }));
  add(id('9', 1), talk('99999999-0000-4000-8000-000000000009', ['renamed']));
  // Hostile states of jobs.
  mkdirSync(path.join(root.folder, 'jobs', 'abcdef01', 'state.json'), { recursive: true });
  root.addJob('abcdef02', { sessionId: 7, resumeSessionId: null });
  writeFileSync(path.join(root.folder, 'jobs', 'abcdef03'), 'not a folder');

  assert.deepEqual(relationsIn(root.folder), {
    '11': ['reopened-as 12 job'],
    '12': ['reopened-from 11 job'],
    '21': ['reopened-as 32 job'],
    '32': ['reopened-from 21 job'],
    '71': ['reopened-from 71 field'],
    '71w': ['reopened-as 71 field'],
    '81': ['forked-as 82 field'],
    '82': ['fork-of 81 field'],
    a1: ['forked-as a2 field'],
    a2: ['fork-of a1 field'],
    a3: ['fork-of a9 field'],
    b1: ['copied-as b3 field', 'forked-as b2 field'],
    b2: ['fork-of b1 field'],
    b3: ['copy-of b1 field'],
    c1: ['forked-as c2 content'],
    c2: ['fork-of c1 content'],
    d1: ['compacted-into d4 field', 'continued-in d2 field'],
    d2: ['continues d1 field', 'compacted-into d3 field'],
    d3: ['after-compaction d2 field'],
    d4: ['after-compaction d1 field'],
    e1: ['background-as e2 field'],
    e2: ['background-of e1 field'],
    f1: ['reopened-as f2 content'],
    f2: ['reopened-from f1 content'],
  });
});

test('the recordings of the real client: a fork of each version, and a resume of 1.0', (context) => {
  const root = temporaryFolder(context);
  const expected: Record<string, string> = {};
  for (const [version, scene, from, to, kind, at] of [
    ['2.0.50', 'fork', '19bf9035', '0b09e7d2', 'fork-of', undefined],
    ['2.1.29', 'fork', '48f8ad3a', '7517f26b', 'fork-of', undefined],
    ['2.1.45', 'fork', '9c7bd09d', '8995a333', 'fork-of', 'af86957a'],
    ['1.0.57', 'resume', '496fcc37', '63e3fa80', 'continues', '5b0aa4a6'],
    ['1.0.57', 'continue', '38e9b998', 'd2dee566', 'continues', '690f97e2'],
  ] as const) {
    cpSync(path.join(corpusFolder, 'corpus/real', version, scene), path.join(root, 'projects'), { recursive: true });
    expected[to] = [kind, from, at].join(' ').trim();
  }
  const rows = jsonOf(['ls', '--json', '--root', root]) as unknown as readonly Listed[];
  const found: Record<string, string> = {};
  for (const { sessionId, relations } of rows) {
    const origin = relations.find(({ kind }) => kind === 'fork-of' || kind === 'continues');
    if (origin === undefined) continue;
    const at = expected[sessionId.slice(0, 8)]?.split(' ')[2] === undefined ? undefined : origin.at?.slice(0, 8);
    found[sessionId.slice(0, 8)] = [origin.kind, origin.sessionId.slice(0, 8), at].join(' ').trim();
  }
  assert.deepEqual(found, expected);
});

test('whatever the lines say, no session comes from itself, and both directions agree', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seededRandom(seed);
    const pick = (count: number): number => Math.floor(random() * count);
    const perhaps = <T>(value: T): T | undefined => (pick(2) === 0 ? value : undefined);
    const sessions = Array.from({ length: 2 + pick(12) }, (_, i): MarkedSession => {
      const name = (): string => `s${pick(8)}`;
      return {
        sessionId: pick(6) === 0 ? name() : `s${i}`,
        path: `/p/${i}.jsonl`,
        root: `/r${pick(2)}`,
        cwd: perhaps(`/c${pick(2)}`),
        firstPrompt: perhaps(`p${pick(3)}`),
        forkedFrom: perhaps(name()),
        firstUuid: perhaps(`u${pick(3)}`),
        startedAt: pick(4) === 0 ? Number.NaN : pick(4),
        endedAt: pick(4) === 0 ? Number.NaN : pick(6),
        turns: pick(4) === 0 ? Number.NaN : pick(3),
        origin: {
          firstAnswer: `m${pick(3)}`,
          lastUuid: `e${pick(4)}`,
          ...(pick(3) === 0 && { copied: { sessionId: name(), isWhole: pick(2) === 0 } }),
          ...(pick(3) === 0 && { named: { sessionId: name(), isSummary: pick(2) === 0 } }),
          ...(pick(3) === 0 && { compactedAt: `e${pick(4)}` }),
          ...(pick(2) === 0 && { isBackground: true as const }),
        },
      };
    });
    const jobs = [{ root: '/r0', id: 's1', sessionIds: ['s1', `s${pick(8)}`, `s${pick(8)}`] }];
    const madeBy = (file: string): { operation: string; from: string[] } | undefined =>
      file === '/p/1.jsonl' && pick(2) === 0 ? { operation: 'graft', from: [`s${pick(8)}`, `s${pick(8)}`] } : undefined;
    const relations = findRelations(sessions, { jobs, madeBy });
    const parents = new Map(
      sessions.map(({ path: file }) => [file, relations.originsOf(file).map((each) => each.path)]),
    );
    for (const { path: file, sessionId } of sessions) {
      const seen = new Set<string>();
      const pending = [...(parents.get(file) ?? [])];
      for (let next = pending.pop(); pending.length > 0 || next !== undefined; next = pending.pop()) {
        assert.notEqual(next, file, `seed ${seed}: ${file} comes from itself`);
        if (next === undefined || seen.has(next)) continue;
        seen.add(next);
        pending.push(...(parents.get(next) ?? []));
      }
      for (const origin of relations.originsOf(file)) {
        if (origin.path === undefined) continue;
        const back = relations.of(origin.path).filter((each) => each.path === file && each.sessionId === sessionId);
        assert.ok(back.length > 0, `seed ${seed}: ${origin.path} does not know ${file}`);
      }
    }
  }
});
