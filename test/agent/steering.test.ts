// Prompts that wait while calls run: in which order the running turn takes them, and what it leaves to the next one.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startAgent } from '../support/agent-kit.ts';
import { assertSame, messagesOf } from '../support/agent-talk.ts';
import { calls, says } from '../support/headless-kit.ts';
import { waitFor } from '../support/wait.ts';

const untilReleased = calls(['Bash', { command: 'while [ ! -e released ]; do sleep 0.05; done' }]);

test('prompts that wait are sent in the order in which they were typed', async (t) => {
  const replies = [untilReleased, says('all')];
  const kit = await startAgent(t, () => replies.shift() ?? says('none'));
  const first = kit.agent.prompt('go');
  await waitFor(() => kit.types().includes('call'));
  const others = ['alpha', 'beta', 'gamma'].map((text) => kit.agent.prompt(text));
  writeFileSync(path.join(kit.cwd, 'released'), '');
  await Promise.all([first, ...others]);
  assert.equal(kit.bodies().length, 2);
  assert.match(JSON.stringify(messagesOf(kit.bodies().at(-1)).at(-1)), /\\nalpha\\n.*\\nbeta\\n.*\\ngamma\\n/);
  await assertSame(kit);
});

test('a prompt that was typed after /compact is sent after the compaction, not to the running turn', async (t) => {
  const replies = [untilReleased, says('first'), says('the summary'), says('second')];
  const kit = await startAgent(t, () => replies.shift() ?? says('none'));
  const first = kit.agent.prompt('go');
  await waitFor(() => kit.types().includes('call'));
  const compacted = kit.agent.compact();
  const second = kit.agent.prompt('use what is left');
  writeFileSync(path.join(kit.cwd, 'released'), '');
  await compacted;
  assert.deepEqual([(await first).text, (await second).text], ['first', 'second']);
  assert.deepEqual(
    kit.bodies().map((body) => JSON.stringify(messagesOf(body)).includes('use what is left')),
    [false, false, false, true],
  );
  await assertSame(kit);
});

test('an interrupt while a hook looks at waiting prompts leaves all of them to the next turn', async (t) => {
  const hook = 'case "$(cat)" in *alpha*) touch asked; while [ ! -e answered ]; do sleep 0.05; done;; esac';
  const settings = { hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: hook }] }] } };
  const replies = [untilReleased, says('both')];
  const kit = await startAgent(t, () => replies.shift() ?? says('none'), {
    files: { 'claude/settings.json': JSON.stringify(settings) },
  });
  const first = kit.agent.prompt('go');
  await waitFor(() => kit.types().includes('call'));
  const others = ['alpha', 'beta'].map((text) => kit.agent.prompt(text));
  writeFileSync(path.join(kit.cwd, 'released'), '');
  await waitFor(() => existsSync(path.join(kit.cwd, 'asked')));
  kit.agent.interrupt();
  writeFileSync(path.join(kit.cwd, 'answered'), '');
  const ends = await Promise.all([first, ...others]);
  assert.deepEqual(
    ends.map(({ outcome, text }) => [outcome, text]),
    [
      ['interrupted', ''],
      ['success', 'both'],
      ['success', 'both'],
    ],
  );
  assert.match(JSON.stringify(messagesOf(kit.bodies().at(-1)).at(-1)), /alpha\\nbeta/);
  await assertSame(kit);
});
