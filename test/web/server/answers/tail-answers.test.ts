// What is new in a session that a page shows: an append, or a file that another program wrote again.
import assert from 'node:assert/strict';
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { SessionCache } from '../../../../src/web/server/answers/session-cache.ts';
import { TailAnswers } from '../../../../src/web/server/answers/tail-answers.ts';
import { temporaryFolder } from '../../../support/temp-folder.ts';
import { sessionId, transcript } from '../../../support/transcript-builder.ts';

const begun = (): string => transcript().user('one').assistant('the first answer').text();
const more = (): string => transcript().user('one').assistant('the first answer').user('two').assistant('2').text();

async function know(context: TestContext) {
  const file = path.join(temporaryFolder(context), `${sessionId}.jsonl`);
  writeFileSync(file, begun());
  const tail = new TailAnswers(new SessionCache());
  const query = { key: sessionId, path: file, agentId: null };
  await tail.know(query);
  const grown = async (): Promise<unknown> => {
    const { append } = await tail.grown(query);
    return append === null ? null : [append.fromPart, append.parts, append.isReplaced];
  };
  return { file, grown };
}

test('new lines are an append, also if the line came in two writes or the file in another inode', async (context) => {
  const { file, grown } = await know(context);
  const added = more().slice(begun().length);
  appendFileSync(file, added.slice(0, 30));
  assert.deepEqual(await grown(), [0, 1, false]);
  appendFileSync(file, added.slice(30));
  assert.deepEqual(await grown(), [0, 2, false]);
  writeFileSync(`${file}.new`, more());
  renameSync(`${file}.new`, file);
  assert.deepEqual(await grown(), [1, 2, false]);
});

test('a file with other earlier lines is replaced, whether it is longer, shorter or as long', async (context) => {
  const { file, grown } = await know(context);
  writeFileSync(file, more().replace('the first answer', 'another answer, longer than the first'));
  assert.deepEqual(await grown(), [0, 2, true]);
  writeFileSync(file, begun());
  assert.deepEqual(await grown(), [0, 1, true]);
  writeFileSync(file, begun().replace('the first answer', 'the other answer'));
  assert.deepEqual(await grown(), [0, 1, true]);
  assert.equal(await grown(), null);
});
