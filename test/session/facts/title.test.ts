import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { titleOf } from '../../../src/session/facts/titles.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { type TranscriptBuilder, text, transcript } from '../../support/transcript-builder.ts';

function titleFile(context: TestContext, content: string): string {
  const file = path.join(temporaryFolder(context), 'custom-title.json');
  writeFileSync(file, content);
  return file;
}

/** All sources of a title, from the strongest to the weakest. */
const sources: readonly ((builder: TranscriptBuilder) => TranscriptBuilder)[] = [
  (builder) => builder.aside('custom-title', { customTitle: 'custom' }),
  (builder) => builder.aside('ai-title', { aiTitle: 'ai' }),
  (builder) => builder.aside('summary', { summary: 'summary', leafUuid: 'a1' }),
  (builder) => builder.lastPrompt('a1', { lastPrompt: 'last prompt' }),
];

function talk(): TranscriptBuilder {
  return transcript().user('first prompt').assistant('a');
}

test('custom title, then one from a model, then a summary, then the last prompt, then the first', () => {
  const titles = [0, 1, 2, 3, 4].map((strongest) => {
    // The weakest last, so that the order in the file is not what decides.
    const builder = sources.slice(strongest).reduce((each, add) => add(each), talk());
    return titleOf(builder.session());
  });
  assert.deepEqual(titles, ['custom', 'ai', 'summary', 'last prompt', 'first prompt']);
});

test('a title in its own file comes after the line and before the others', (context) => {
  const files = { customTitle: titleFile(context, '{"customTitle":" filed "}') };
  assert.equal(titleOf(talk().aside('ai-title', { aiTitle: 'ai' }).session(files)), 'filed');
  assert.equal(titleOf(talk().aside('custom-title', { customTitle: 'line' }).session(files)), 'line');
});

test('a title file that is empty, no JSON or gone is passed over', (context) => {
  for (const content of ['{"customTitle":"  "}', '{"customTitle":7}', 'torn', '[]'])
    assert.equal(titleOf(talk().session({ customTitle: titleFile(context, content) })), 'first prompt');
  assert.equal(titleOf(talk().session({ customTitle: '/nowhere/custom-title.json' })), 'first prompt');
});

test('bookkeeping lines repeat: the last one that says something wins', () => {
  const title = (customTitle: string) => ({ customTitle });
  const builder = talk()
    .aside('custom-title', title('old'))
    .aside('custom-title', title('new'))
    .aside('custom-title', title(' '));
  assert.equal(titleOf(builder.session()), 'new');
});

test('a summary that names no line of the file belongs to another session', () => {
  const builder = talk()
    .aside('summary', { summary: 'ours', leafUuid: 'u1' })
    .aside('summary', { summary: 'theirs', leafUuid: 'x' });
  assert.equal(titleOf(builder.session()), 'ours');
});

test('the first prompt is the first that is not a command, without what the editor added', () => {
  const builder = transcript()
    .user('side', { isSidechain: true })
    .user('meta', { isMeta: true })
    .user('<command-name>/clear</command-name>')
    .user([text('<ide_opened_file>f</ide_opened_file>'), text(' the question ')])
    .assistant('a');
  assert.equal(titleOf(builder.session()), 'the question');
});

test('a session in which nobody asked anything has no title', () => {
  assert.equal(titleOf(transcript().user('<command-name>/x</command-name>').session()), undefined);
});
