// Instructions of a folder are added to the conversation when one of its files is first touched.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAgent } from '../support/agent-kit.ts';
import { assertSame, calls, messagesOf, says, texts } from '../support/agent-talk.ts';

const files = {
  'project/src/CLAUDE.md': 'Speak softly in src.',
  'project/src/a.txt': 'a',
  'project/src/b.txt': 'b',
  'project/c.txt': 'c',
  'project/.claude/rules/text.md': '---\npaths: "**/*.txt"\n---\nNever end a text.',
};
const read = (name: string) => ['Read', { file_path: name }] as const;

test('they follow the results once, also after a resume, and again after a compaction', async (t) => {
  const first = await startAgent(t, [calls(read('src/a.txt'), read('src/b.txt')), calls(read('c.txt')), says('ok')], {
    files,
  });
  await first.agent.prompt('look');
  assert.doesNotMatch(JSON.stringify(first.bodies()[0]), /softly|Never end/);
  assert.deepEqual(count(first.bodies()[1]), [1, 1]);
  assert.deepEqual(count(first.bodies()[2]), [1, 1]);
  await assertSame(first);
  await first.agent.close('exit');
  const second = await startAgent(
    t,
    [calls(read('src/b.txt')), says('ok'), says('SUMMARY'), calls(read('src/b.txt')), says('ok')],
    { folder: first.folder, session: { kind: 'continue' } },
  );
  await second.agent.prompt('again');
  assert.deepEqual(count(second.bodies()[1]), [1, 1]);
  await second.agent.compact();
  await second.agent.prompt('and again');
  assert.deepEqual(count(second.bodies()[3]), [0, 0]);
  assert.deepEqual(count(second.bodies()[4]), [1, 1]);
  await assertSame(second);
});

function count(body: unknown): number[] {
  const said = texts({ messages: messagesOf(body as never) }).join('\n');
  return ['Speak softly in src.', 'Never end a text.'].map((text) => said.split(text).length - 1);
}
