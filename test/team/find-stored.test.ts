// SESSION, as a user types it, names one session of the store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListedSession } from '../../src/library/index/index.ts';
import { findStored } from '../../src/team/source/find-session.ts';
import type { StoredSession } from '../../src/team/source/sessions.ts';
import { listedSession } from '../support/listed-session.ts';

function stored(sessionId: string, more: Partial<ListedSession> = {}, storeId = sessionId): StoredSession {
  const facts = { counts: null, model: null, verdict: null, mtimeMs: null, turnStarts: [], transcripts: [] };
  const session = listedSession({ sessionId, title: undefined, ...more });
  const place = { person: 1, storeId, month: '2026-03-01', level: 4, projectHash: 'h', isListed: true };
  return { ...place, session, facts, named: undefined, countedCwd: undefined };
}

const parser = '3f2b8c1e-0000-4000-a000-000000000001';
const dates = '3f2b9999-0000-4000-a000-000000000002';
const sessions = [
  stored(parser, { title: 'Fix the parser', endedAt: 1 }),
  stored(dates, { title: 'Fix the parser of dates', endedAt: 3 }),
  stored('named by hand', { title: 'Ümlauts', endedAt: 2 }, 'x-0123456789abcdef0123456789abcdef'),
];
const find = (word: string): string => findStored(word, sessions, 'in the store').session.sessionId;

test('an id, the beginning of one, the whole title and words of it name a session', () => {
  assert.equal(find(parser), parser);
  assert.equal(find('3F2B8C'), parser);
  assert.equal(find('fix the  PARSER'), parser);
  assert.equal(find('dates parser'), dates);
  assert.equal(find('u\u0308mlauts'), 'named by hand');
  assert.equal(find('x-0123456789abcdef0123456789abcdef'), 'named by hand');
  assert.equal(find('last'), dates);
});

test('what fits several sessions, or none, is refused with the next step', () => {
  assert.throws(
    () => find('3f2b'),
    /^UserError: "3f2b" fits 2 sessions: 3f2b8c1e-.* \(Fix the parser\), 3f2b9999.*; give more/,
  );
  assert.throws(() => find('fix'), /fits 2 sessions/);
  assert.throws(
    () => find('nothing'),
    /^UserError: there is no session "nothing" in the store; `clew ls --store` shows/,
  );
  assert.throws(() => find(' '), /no session is named/);
  assert.throws(() => findStored('last', [], 'in the store'), /there are no sessions in the store/);
});
