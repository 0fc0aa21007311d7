// Find in a session: every place of the word, in the order of the file, with where the page draws it.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { findInSession, sliceOfText } from '../../../src/export/page/find.ts';
import type { FindHit } from '../../../src/export/wire/hit.ts';
import { makeMatcher } from '../../../src/export/wire/word-match.ts';
import { loadSession, type Session } from '../../../src/session/load/index.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import {
  sessionId,
  type TranscriptBuilder,
  thinking,
  toolResult,
  toolUse,
  transcript,
} from '../../support/transcript-builder.ts';

/** Lines are read from the file again. */
async function written(context: TestContext, builder: TranscriptBuilder): Promise<Session> {
  const file = path.join(temporaryFolder(context), `${sessionId}.jsonl`);
  builder.write(file);
  return loadSession(file);
}

function opened(session: Session) {
  return { session, openAgent: async () => undefined };
}

function brief({ line, kind, nth, offset, before, match, after }: FindHit): readonly unknown[] {
  return [line, kind, nth, offset, before, match, after];
}

test('find answers some hits at a time, in what was said, called and answered', async (context) => {
  const session = await written(
    context,
    transcript()
      .user('where is the NEEDLE')
      .assistant([thinking('a needle in thought'), toolUse('c1', 'Grep', { pattern: 'needle' })])
      .result('c1', { message: { content: [toolResult('c1', 'one needle\nfound, needle')] } })
      .user('again: nee-dle, needle'),
  );
  const first = await findInSession(opened(session), { text: ' needle ', mode: 'text', limit: 4 });
  assert.deepEqual(first.hits.map(brief), [
    [1, 'prompt', 0, 13, 'where is the ', 'NEEDLE', ''],
    [2, 'thinking', 0, 2, 'a ', 'needle', ' in thought'],
    [2, 'tool-input', 0, 0, '', 'needle', ''],
    [3, 'tool-output', 0, 4, 'one ', 'needle', '\nfound, needle'],
  ]);
  assert.deepEqual(
    first.hits.map(({ shown }) => [shown?.branch, shown?.turn, shown?.part, shown?.line]),
    [
      [1, 1, 0, 1],
      [1, 1, 0, 2],
      [1, 1, 0, 2],
      [1, 1, 0, 3],
    ],
  );
  assert.deepEqual(
    first.hits.map(({ callId }) => callId),
    [null, null, 'c1', 'c1'],
  );
  const rest = await findInSession(opened(session), { text: 'needle', mode: 'text', from: first.next ?? '' });
  assert.deepEqual(rest.hits.map(brief), [
    [3, 'tool-output', 0, 18, 'one needle\nfound, ', 'needle', ''],
    [4, 'prompt', 0, 16, 'again: nee-dle, ', 'needle', ''],
  ]);
  assert.equal(rest.next, null);
});

test('what is not an expression, or nothing, finds nothing', async (context) => {
  const session = await written(context, transcript().user('(.*'));
  const none = { hits: [], next: null };
  assert.deepEqual(await findInSession(opened(session), { text: '(.*', mode: 'regex' }), none);
  assert.deepEqual(await findInSession(opened(session), { text: '  ', mode: 'text' }), none);
  assert.equal((await findInSession(opened(session), { text: '(.*', mode: 'text' })).hits.length, 1);
});

test('a title is found, though the page does not draw its line', async (context) => {
  const session = await written(
    context,
    transcript().user('hello').entry({ type: 'custom-title', customTitle: 'The long needle' }),
  );
  const { hits } = await findInSession(opened(session), { text: 'needle', mode: 'words' });
  assert.deepEqual(
    hits.map(({ line, kind, shown }) => [line, kind, shown]),
    [[2, 'title', null]],
  );
});

test('a slice is the text around an offset, and never half of a character', async (context) => {
  const session = await written(context, transcript().user('abc😀def'));
  const place = { agentId: null, line: 1, kind: 'prompt', nth: 0 };
  assert.deepEqual(sliceOfText(session, place, 1, 6), { text: 'bc😀d', start: 1, total: 8, callId: null });
  assert.deepEqual(sliceOfText(session, place, 4, 99), { text: '😀def', start: 3, total: 8, callId: null });
  assert.equal(sliceOfText(session, { ...place, kind: 'answer' }, 0, 9), undefined);
  assert.equal(sliceOfText(session, { ...place, line: 7 }, 0, 9), undefined);
});

test('each mode matches as the search over all sessions does', () => {
  const marks = (mode: 'text' | 'words' | 'exact' | 'regex', wanted: string, text: string): readonly string[] =>
    (makeMatcher({ text: wanted, mode })?.marksIn(text) ?? []).map(([start, end]) => text.slice(start, end));
  assert.deepEqual(marks('text', 'two  words', 'Two\nwords, two words'), ['Two\nwords', 'two words']);
  assert.deepEqual(marks('words', 'error', 'errors, Error! error_code terror'), ['Error', 'error']);
  assert.deepEqual(marks('words', 'err*', 'errors, terror, Err'), ['errors', 'Err']);
  assert.deepEqual(marks('words', 'cafe', 'Café, cafe\u0301 and CAFÉS'), ['Café', 'cafe\u0301']);
  assert.deepEqual(marks('words', '"light house" keeper', 'the light-house and its keeper'), ['light-house', 'keeper']);
  assert.deepEqual(marks('words', '東京', '東京都, 東 京'), ['東京', '東 京']);
  assert.deepEqual(marks('words', 'plus -minus', 'plus minus'), ['plus']);
  assert.deepEqual(marks('exact', 'A.b', 'a.b acb'), ['a.b']);
  assert.deepEqual(marks('regex', '^b+', 'abb\nbb'), ['bb']);
  assert.deepEqual(marks('regex', 'x*', 'ax'), ['x']);
  assert.equal(makeMatcher({ text: 'plus -minus', mode: 'words' })?.isIn('plus minus'), false);
  assert.equal(makeMatcher({ text: 'plus times', mode: 'words' })?.isIn('plus'), false);
});
