// clew stats: its numbers against a recount from the transcripts themselves, without the index; and how it looks.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { displayWidth } from '../../../src/base/text/terminal-text.ts';
import { jsonOf, runClew } from '../../support/clew.ts';
import { filesBelow, projectRoot } from '../../support/paths.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { answerLine, session1 } from '../../support/usage-library.ts';
import { recount, report } from '../stats-kit.ts';

test('the demo sessions, whole and since a time, are what a recount finds', () => {
  const files = filesBelow(path.join(projectRoot, 'demo'), '.jsonl');
  assert.deepEqual(report(['--demo']), recount(files));
  const since = Date.UTC(2026, 2, 7, 21, 10);
  const part = report(['--demo', '--since', '2026-03-07T21:10:00Z']);
  const wanted = recount(files, since);
  assert.ok(wanted.prompts > 0 && wanted.prompts < report(['--demo']).prompts);
  assert.deepEqual(part, wanted);
});

test('what forks copied is counted once, agents count as such, and a project is a part', (context) => {
  const root = temporaryFolder(context);
  const talk = (id: string) => [
    user('read it'),
    assistant([toolUse(`${id}1`, 'Read', { file_path: '/w/a.ts' })]),
    user([toolResult(`${id}1`, 'text')]),
    assistant([toolUse(`${id}2`, 'Bash', { command: 'false' })]),
    user([toolResult(`${id}2`, 'no', true)]),
    assistant([toolUse(`${id}3`, 'Read', { file_path: '/w/a.ts' })]),
  ];
  const first = sessionText(talk('a'), { cwd: '/w/one' });
  const prompt = sessionText([user('other')], { cwd: '/w/two' }).replace(
    '0000-4000-8000-000000000001',
    '1111-4000-8000-1',
  );
  writeTree(root, {
    'projects/-w-one/s1.jsonl': first,
    'projects/-w-one/fork.jsonl': first,
    'projects/-w-one/s1/subagents/agent-x.jsonl': sessionText(
      [user('task'), assistant([toolUse('b1', 'Grep', { pattern: 'x' })])],
      { cwd: '/w/one', isSidechain: true, agentId: 'x' },
    ),
    'projects/-w-two/s2.jsonl': prompt,
  });
  const stats = jsonOf(['stats', '--json', '--root', root]) as JsonObject;
  const { sessions, turns, prompts, agents, tools, files, hours, weekdays, days } = stats;
  assert.deepEqual(
    { sessions, turns, prompts, agents, tools, files, weekdays, days, at10: (hours as number[])[10] },
    {
      sessions: 3,
      turns: 3,
      prompts: 2,
      agents: 1,
      tools: [
        { name: 'Read', calls: 2, answered: 1, errors: 0 },
        { name: 'Bash', calls: 1, answered: 1, errors: 1 },
        { name: 'Grep', calls: 1, answered: 0, errors: 0 },
      ],
      files: [{ path: '/w/a.ts', calls: 2 }],
      weekdays: [0, 0, 0, 0, 0, 0, 2],
      days: { active: 1, currentStreak: 0, longestStreak: 1, first: '2026-03-01', last: '2026-03-01' },
      at10: 2,
    },
  );
  const part = jsonOf(['stats', '--json', '--root', root, '--project', '/w/two']) as JsonObject;
  assert.deepEqual([part.sessions, part.prompts, part.tools], [1, 1, []]);
});

test('tokens are those of clew usage, sub-agents without their session included', (context) => {
  const root = temporaryFolder(context);
  writeTree(root, {
    'projects/-a/s1.jsonl': sessionText([user('x'), assistant('y')]),
    'projects/-a/gone/subagents/agent-x.jsonl': sessionText([user('x'), assistant('y')], { isSidechain: true }),
  });
  const stats = jsonOf(['stats', '--json', '--root', root]) as JsonObject;
  const usage = jsonOf(['usage', '--json', '--root', root]) as JsonObject;
  assert.deepEqual(stats.usage, usage.totals);
  assert.equal((stats.usage as JsonObject).messages, 2);
});

test('tokens without a price are shown next to the cost', (context) => {
  const root = temporaryFolder(context);
  const lines = [answerLine({ id: 'a', output: 400 }), answerLine({ id: 'z', output: 5, model: 'claude-zeta-9' })];
  writeTree(root, { [`projects/-w-p/${session1}.jsonl`]: `${lines.join('\n')}\n` });
  const { stdout } = runClew(['stats', '--root', root], { env: { CLEW_HOME: path.join(root, 'state') } });
  assert.match(stdout, /20 in · 405 out · ≥ \$0\.0060 · \+ 15 tokens without a price\n/);
});

test('it fits the terminal, in every width', () => {
  for (const columns of [40, 60, 80, 120]) {
    const { status, stdout, stderr } = runClew(['stats', '--demo'], { env: { COLUMNS: String(columns) } });
    assert.deepEqual([status, stderr], [0, '']);
    const wide = stdout.split('\n').filter((line) => displayWidth(line) > columns);
    assert.deepEqual(wide, []);
    for (const word of ['sessions', 'streak', 'PROMPTS BY HOUR', 'MODEL', 'TOOL', 'FILE'])
      assert.match(stdout, new RegExp(word));
  }
});

test('since a time, only the turns, days and streaks of that time count', (context) => {
  const root = temporaryFolder(context);
  const talk = (name: string, ...days: readonly number[]): string =>
    sessionText(
      days.flatMap((day) => {
        const timestamp = `2026-03-0${day}T10:00:00Z`;
        return [user('go on', { uuid: `${name} ${day} a`, timestamp }), assistant('yes', { uuid: `${name} ${day} b` })];
      }),
    );
  writeTree(root, {
    'projects/-w/over.jsonl': talk('over', 1, 2, 3, 5, 6),
    'projects/-w/before.jsonl': talk('before', 1, 2),
    'projects/-w/after.jsonl': talk('after', 6, 8),
  });
  const report = (...args: readonly string[]): object => {
    const { sessions, turns, prompts, days } = jsonOf(['stats', '--json', '--root', root, ...args]) as JsonObject;
    const { active, longestStreak, first } = days as JsonObject;
    return { sessions, turns, prompts, active, longestStreak, first };
  };
  assert.deepEqual(report(), { sessions: 3, turns: 9, prompts: 9, active: 6, longestStreak: 3, first: '2026-03-01' });
  assert.deepEqual(report('--since', '2026-03-03T00:00:00Z'), {
    sessions: 2,
    turns: 5,
    prompts: 5,
    active: 4,
    longestStreak: 2,
    first: '2026-03-03',
  });
});

test('where there is nothing to count, it says so', (context) => {
  const root = temporaryFolder(context);
  assert.deepEqual(runClew(['stats', '--root', root]), {
    status: 0,
    stdout: '',
    stderr: `clew: no sessions to count below ${root}; run \`clew ls\` to list the sessions\n`,
  });
});
