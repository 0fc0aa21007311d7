// clew tail as a user runs it: prompts, answers, calls with their outcome, agents; one session or several at once.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { runClew } from '../../support/clew.ts';
import { type RunningClew, startClew } from '../../support/running-clew.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const first = '3f2b8c1e-1111-4000-8000-000000000001';
const second = '77aa0000-2222-4000-8000-000000000002';

interface Tail {
  readonly running: RunningClew;
  write(sessionId: string, lines: readonly JsonObject[], agentId?: string): void;
}

async function startTail(context: TestContext, args: readonly string[] = []): Promise<Tail> {
  const root = temporaryFolder(context);
  const before = sessionText([user('said before')]);
  writeTree(root, { [`projects/-a/${first}.jsonl`]: before, [`projects/-a/${second}.jsonl`]: before });
  const running = startClew(context, ['tail', '--root', root, ...args]);
  await running.says(/^clew: following \d transcripts?; press Ctrl-C to stop\n/);
  return {
    running,
    write: (sessionId, lines, agentId) => {
      const place = agentId === undefined ? `${sessionId}.jsonl` : `${sessionId}/subagents/agent-${agentId}.jsonl`;
      const text = sessionText(lines, {
        sessionId,
        cwd: '/home/kim/light',
        ...(agentId === undefined ? {} : { agentId, isSidechain: true }),
      });
      if (agentId === undefined) appendFileSync(path.join(root, 'projects/-a', place), text);
      else writeTree(root, { [`projects/-a/${place}`]: text });
    },
  };
}

test('a session is followed from here on: prompt, answer as Markdown, calls with their outcome', async (context) => {
  const { running, write } = await startTail(context);
  write(first, [
    user('light the *lamp*'),
    assistant('I **will**.'),
    assistant([toolUse('t1', 'Read', { file_path: '/home/kim/light/lamp.ts' })]),
    user([toolResult('t1', 'one\ntwo')]),
    assistant([toolUse('t2', 'Bash', { command: 'npm test' })]),
    user([toolResult('t2', 'Exit code 1', true)]),
  ]);
  await running.prints(/Exit code 1\n/);
  assert.equal(
    running.stdout(),
    `
── 3f2b8c1e ── /home/kim/light ── 2026-03-01 10:00 ─────────────────────────────

❯ light the *lamp*

I will.
✓ Read lamp.ts  2 lines
✗ Bash npm test  Exit code 1
`,
  );
  assert.deepEqual(await running.end('SIGINT'), [0, null]);
});

test('a call that takes its time is shown before its outcome, and again with it', async (context) => {
  const { running, write } = await startTail(context, [first]);
  write(first, [assistant([toolUse('t1', 'Bash', { command: 'sleep 60' })])]);
  await running.prints(/^… Bash sleep 60\n/m);
  write(first, [user([toolResult('t1', 'rested')]), user([toolResult('t0', 'who knows')])]);
  await running.prints(/^✓ Bash sleep 60 {2}rested\n✓ a call made before {2}who knows\n$/m);
});

test('several sessions and an agent are marked', async (context) => {
  const { running, write } = await startTail(context);
  write(first, [user('one')]);
  await running.prints(/❯ one/);
  write(second, [user('two')]);
  await running.prints(/❯ two/);
  write(first, [user('find it'), assistant('Found.')], 'abc');
  await running.prints(/Found/);
  assert.equal(
    running.stdout(),
    `
── 3f2b8c1e ── /home/kim/light ── 2026-03-01 10:00 ─────────────────────────────

❯ one
77aa │
77aa │ ── 77aa0000 ── /home/kim/light ── 2026-03-01 10:00 ──────────────────────
77aa │
77aa │ ❯ two
3f2b │   ↳ abc
3f2b │     ❯ find it
3f2b │
3f2b │     Found.
`,
  );
});

test('one session alone, with its agents', async (context) => {
  const { running, write } = await startTail(context, [first.slice(0, 6)]);
  write(second, [user('not this')]);
  write(first, [user('find it')], 'abc');
  write(first, [user('this')]);
  await running.prints(/❯ this/);
  assert.doesNotMatch(running.stdout(), /not this|│/);
  assert.match(running.stdout(), /↳ abc/);
});

test('--since begins earlier', async (context) => {
  const { running } = await startTail(context, ['--since', '2026-03-01']);
  await running.prints(/❯ said before[\s\S]*❯ said before/);
});

test('--json prints what was said, called and answered', async (context) => {
  const root = temporaryFolder(context);
  const file = path.join(root, `projects/-a/${first}.jsonl`);
  const lines = [
    user('go'),
    assistant([
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'Yes.' },
    ]),
    assistant([toolUse('t1', 'Bash', { command: 'ls' })]),
    user([toolResult('t1', 'a', true)]),
  ];
  writeTree(root, { [`projects/-a/${first}.jsonl`]: sessionText(lines, { sessionId: first }) });
  const running = startClew(context, ['tail', '--json', '--since', '2026-01-01', '--root', root]);
  const text = await running.prints(/(?:.*\n){5}/);
  const objects = text
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each));
  const common = { sessionId: first, agentId: null, path: file };
  const empty = { from: null, text: null, toolUseId: null, tool: null, input: null, isError: null };
  const at = (n: number) => ({
    time: `2026-03-01T10:00:0${n - 1}.000Z`,
    ...common,
    uuid: `00000000-0000-4000-8000-00000000000${n}`,
    ...empty,
  });
  assert.deepEqual(objects, [
    { kind: 'prompt', ...at(1), text: 'go' },
    { kind: 'thinking', ...at(2), text: 'hm' },
    { kind: 'text', ...at(2), text: 'Yes.' },
    { kind: 'call', ...at(3), toolUseId: 't1', tool: 'Bash', input: { command: 'ls' } },
    { kind: 'result', ...at(4), text: 'a', toolUseId: 't1', isError: true },
  ]);
});

test('what cannot be followed is refused in one line', (context) => {
  const root = temporaryFolder(context);
  writeTree(root, { 'projects/-a/s.jsonl': sessionText([user('x')]), 'alone/deep/s.txt': sessionText([user('x')]) });
  const run = (...args: string[]) => runClew(['tail', '--root', root, ...args]);
  const alone = path.join(root, 'alone/deep/s.txt');
  assert.deepEqual(
    [run('nothing'), run('--since', 'noon'), run(alone)].map(({ status, stderr }) => [status, stderr]),
    [
      [2, `clew: no session "nothing" below ${root}/projects; run \`clew ls\` to list the sessions\n`],
      [
        2,
        'clew: --since does not understand "noon"; use a day (2026-03-01), today, yesterday, or an age (10m, 12h, 7d, 2w)\n',
      ],
      [2, `clew: ${alone} is in no folder of projects; name a session below --root, as \`clew ls\` lists them\n`],
    ],
  );
});
