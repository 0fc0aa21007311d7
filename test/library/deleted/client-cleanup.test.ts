// The tree that the real client left after it deleted 20 of 40 sessions: every one of them is listed, and every prompt
// that was typed into them is found. The expected values are what was typed, not what the history says.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isArray, isObject } from '../../../src/base/json/json.ts';
import { listDeleted, searchDeleted } from '../../../src/library/deleted/index.ts';
import { jsonOf } from '../../support/clew.ts';
import { recordedSessions, writeDeletedLibrary } from '../../support/deleted-library.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { changesOf, snapshotTree } from '../../support/tree-snapshot.ts';

const root = temporaryFolder({ after });
writeDeletedLibrary(root);
const gone = recordedSessions.filter(({ isDeleted }) => isDeleted);
const options = { roots: [root], env: { CLEW_HOME: `${root}-none` } };

test('the recording has 40 sessions, of which the client deleted 20', () => {
  assert.deepEqual([recordedSessions.length, gone.length], [40, 20]);
});

test('exactly the deleted sessions are listed, with project, prompts and file versions', () => {
  const { sessions, problems, leftOut } = listDeleted(options);
  assert.deepEqual([problems, leftOut], [[], []]);
  const listed = new Map(sessions.map((session) => [session.id, session]));
  assert.deepEqual([...listed.keys()].sort(), gone.map(({ sessionId }) => sessionId).sort());
  for (const { sessionId, cwd, typed } of gone) {
    const session = listed.get(sessionId);
    assert.ok(session !== undefined);
    const prompts = typed.filter((text) => !text.startsWith('/rename'));
    assert.deepEqual([session.hasId, session.cwd, session.left.prompts], [true, cwd, prompts.length], sessionId);
    assert.equal(session.firstPrompt, typed[0]);
    const name = typed.find((text) => text.startsWith('/rename '))?.slice('/rename '.length);
    assert.equal(session.title, name ?? typed[0]);
    assert.equal(session.project, cwd.replaceAll('/', '-'));
    assert.ok(session.startedAt > Date.parse('2026-11-16') && session.endedAt >= session.startedAt);
  }
  const versions = sessions
    .filter(({ left }) => left.fileVersions > 0)
    .map(({ left }) => [left.fileVersions, left.files]);
  assert.deepEqual(versions, [
    [2, 1],
    [2, 1],
  ]);
});

test('every prompt of a deleted session is found, with its session and what was pasted', () => {
  let found = 0;
  for (const { sessionId, typed, pasted } of gone) {
    for (const text of [...typed, ...pasted]) {
      const { sessions } = searchDeleted(options, { text, mode: 'exact' });
      assert.deepEqual(
        sessions.map(({ session }) => session.id).filter((id) => id === sessionId),
        [sessionId],
        text,
      );
      found++;
    }
  }
  // 63 typed (two of them /rename) and 6 lines of pasted texts
  assert.equal(found, 69);
});

test('prompts of living sessions are not among them', () => {
  for (const { typed } of recordedSessions.filter(({ isDeleted }) => !isDeleted))
    assert.equal(searchDeleted(options, { text: typed[0] ?? '', mode: 'exact' }).total, 0, typed[0]);
});

test('clew ls --deleted prints the same, and reading changes nothing', () => {
  const before = snapshotTree(root, []);
  const rows = jsonOf(['ls', '--deleted', '--json', '--root', root]);
  assert.ok(isArray(rows));
  const ids = rows.map((row) => (isObject(row) ? row.sessionId : undefined));
  assert.deepEqual([...ids].sort(), gone.map(({ sessionId }) => sessionId).sort());
  assert.deepEqual(changesOf(before, snapshotTree(root, [])), []);
});
