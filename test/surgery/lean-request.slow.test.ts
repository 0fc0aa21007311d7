// A long session is forked, renamed and moved in little memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runClew } from '../support/clew.ts';
import { benchWith } from '../support/surgery-kit.ts';
import { sessionId, toolResult, toolUse, transcript } from '../support/transcript-builder.ts';

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
