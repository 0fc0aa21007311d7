// Every session of the corpora is judged alike through shortened texts, and a long session is handled in little memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRequest } from '../../../src/api/rules/check-request.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { lookAtResume } from '../../../src/surgery/request/resume-look.ts';
import { runClew } from '../../support/clew.ts';
import { benchWith, realSessions } from '../../support/surgery-kit.ts';
import { sessionId, toolResult, toolUse, transcript } from '../../support/transcript-builder.ts';
import { corpusFiles } from '../../support/transcripts.ts';

test('of every session of the corpora the API would reject the same', async () => {
  const others = corpusFiles().filter((_, i) => i % 4 === 0);
  const files = new Set([...realSessions(), ...others]);
  assert.ok(files.size > 150, `${files.size} files`);
  for (const file of files) {
    const { transcript: source } = await loadSession(file);
    const request = requestMessages({ transcript: source }, 'go on');
    const { refused, violations } = lookAtResume({ transcript: source });
    const expected = 'refused' in request ? [request.refused, []] : [undefined, checkRequest(request)];
    assert.deepEqual([refused, violations], expected, file);
  }
});

test('a session is forked and renamed in less memory than what it says takes', (context) => {
  const builder = transcript();
  // A character beyond Latin-1, as every file listing has one, makes a text take two bytes a character.
  const listing = '  12→    const links = pages.filter((page) => page.isVisible);\n'.repeat(2000);
  for (let i = 0; i < 100; i++)
    builder
      .user(`${i}`)
      .assistant([toolUse(`t${i}`)])
      .user([toolResult(`t${i}`, listing)])
      .assistant('read');
  const bench = benchWith(context, sessionId, builder.text());
  const env = { CLEW_HOME: bench.env.CLEW_HOME, NODE_OPTIONS: '--max-old-space-size=28' };
  for (const words of [
    ['fork', sessionId],
    ['rename', sessionId, 'another'],
    ['move', sessionId, '--to', '/w/q'],
  ]) {
    const { status, stderr } = runClew([...words, '--root', bench.root], { env });
    assert.deepEqual([words[0], status, stderr], [words[0], 0, '']);
  }
});
