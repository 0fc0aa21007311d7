// clew show: what a reader sees of a session, which part of it, and what is said where there is none.
import assert from 'node:assert/strict';
import { chmodSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { jsonOf, type RunOptions, runClew } from '../../support/clew.ts';
import { giveToOrdinaryUser, ordinaryUser } from '../../support/ordinary-user.ts';
import { projectRoot } from '../../support/paths.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const recordings = path.join(projectRoot, 'test/interop/recordings/real');
const rewound = path.join(
  recordings,
  '2.1.45/tui-rename-tools-interrupt-rewind-compact-clear/-home-kim-widgets/5a0712ff-1f37-47fa-ae31-0e2d684a69b4.jsonl',
);

/** The lines after the header, or all of them if a turn was asked for. */
function shown(args: readonly string[], options?: RunOptions): string[] {
  const { status, stdout, stderr } = runClew(['show', ...args], options);
  assert.deepEqual([status, stderr], [0, '']);
  return stdout.split('\n');
}

/** The lines of the first turn of a transcript, without its rule. */
function turnOf(lines: readonly (JsonObject | string)[], root: string, ...flags: readonly string[]): string[] {
  writeTree(root, { 'session.jsonl': sessionText(lines) });
  return shown([path.join(root, 'session.jsonl'), '--turn', '1', ...flags]).slice(1, -1);
}

test('a bad SESSION is refused in one line that says what it is and what to do, with exit code 2', (context) => {
  const folder = temporaryFolder(context);
  const file = (name: string) => path.join(folder, name);
  writeTree(folder, {
    'empty.jsonl': '',
    'qwen.jsonl': '{"type":"user","uuid":"a","message":{"role":"user","parts":[{"text":"hi"}]}}\n',
    'binary.jsonl': Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 256)),
    'root/projects/-p/one.jsonl': sessionText([user('hi')]),
  });
  const root = file('root');
  const list = 'run `clew ls` to list the sessions';
  const cases: readonly (readonly [string, string])[] = [
    ['nope', `no session "nope" below ${root}/projects; ${list}`],
    ['./nope.jsonl', `there is no file ./nope.jsonl; ${list}`],
    [folder, `${folder} is a folder; give a transcript (.jsonl) or a session id`],
    [
      file('empty.jsonl'),
      `${file('empty.jsonl')} is empty, as some clients leave it when they resume; run \`clew ls\` for the others`,
    ],
    [
      file('qwen.jsonl'),
      `${file('qwen.jsonl')} was written by Qwen Code, and Clew reads Claude Code only; run \`clew ls\` for the sessions it can read`,
    ],
    [
      file('binary.jsonl'),
      `${file('binary.jsonl')} is not a transcript: no line of it is a JSON record; name a .jsonl file of Claude Code`,
    ],
  ];
  for (const [argument, said] of cases) {
    for (const flags of [[], ['--json']]) {
      assert.deepEqual(runClew(['show', argument, '--root', root, ...flags], { cwd: folder }), {
        status: 2,
        stdout: '',
        stderr: `clew: ${said}\n`,
      });
    }
  }
});

test('a file that may not be read is refused in one line', (context) => {
  const folder = temporaryFolder(context);
  const file = path.join(folder, 'secret.jsonl');
  writeTree(folder, { 'secret.jsonl': sessionText([user('hi')]) });
  chmodSync(file, 0o000);
  giveToOrdinaryUser(folder);
  assert.deepEqual(runClew(['show', file], ordinaryUser), {
    status: 2,
    stdout: '',
    stderr: `clew: ${file} cannot be read (EACCES); check its permissions\n`,
  });
});

test('SESSION is an id, the beginning of one, or a path', (context) => {
  const root = temporaryFolder(context);
  const ids = ['aaaaaaaa-1111-4000-8000-000000000001', 'aaaaaaaa-2222-4000-8000-000000000002'];
  writeTree(root, {
    [`projects/-p/${ids[0]}.jsonl`]: sessionText([user('first')]),
    [`projects/-p/${ids[1]}.jsonl`]: sessionText([user('second')]),
  });
  const title = (...args: string[]) => shown(args, { cwd: path.join(root, 'projects/-p') })[0];
  assert.equal(title(String(ids[1]), '--root', root), 'second');
  assert.equal(title('AAAAAAAA-2', '--root', root), 'second');
  assert.equal(title(`${ids[0]}.jsonl`), 'first');
  assert.equal(title(`./${ids[0]}.jsonl`), 'first');
  assert.equal(title(path.join(root, `projects/-p/${ids[0]}.jsonl`)), 'first');
  assert.deepEqual(runClew(['show', 'aaaa', '--root', root]), {
    status: 2,
    stdout: '',
    stderr: `clew: "aaaa" fits 2 sessions: ${ids.join(', ')}; give more of the id\n`,
  });
});

test('a header, then every turn with its prompt, answer and calls', (context) => {
  const root = temporaryFolder(context);
  const file = path.join(root, 'session.jsonl');
  writeTree(root, {
    'session.jsonl': sessionText([
      user('look around'),
      assistant([
        { type: 'thinking', thinking: 'Hm, where?', signature: 's' },
        { type: 'text', text: 'I **will**.' },
      ]),
      assistant([toolUse('t1', 'Read', { file_path: '/home/kim/project/a.md' })]),
      user([toolResult('t1', 'one\ntwo')]),
      assistant([toolUse('t2', 'Bash', { command: 'make' })]),
      user([toolResult('t2', 'Exit code 2\nno rule', true)]),
      assistant([toolUse('t3', 'Write', { file_path: '/home/kim/project/b.md', content: 'x' })]),
      user([toolResult('t3', 'File created at /home/kim/project/b.md')]),
      assistant([toolUse('t4', 'Bash', { command: 'sleep' })]),
      user('thanks'),
      assistant('You are welcome.'),
    ]),
  });
  assert.deepEqual(shown([file]), [
    'look around',
    'session · /home/kim/project',
    // Its size depends on how many messages other tests have made before: their ids are numbered.
    `2026-03-01 10:00 · 10 s · 2 turns · 11 entries · ${(statSync(file).size / 1024).toFixed(1)} KB · 60 in, 120 out`,
    'Claude Code 2.1.150',
    '',
    `── 1 ── 2026-03-01 10:00 ── 50 in, 100 out ${'─'.repeat(37)}`,
    '❯ look around',
    '┊ thought, 10 characters',
    '',
    'I will.',
    '✓ Read a.md  2 lines',
    '✗ Bash make  Exit code 2',
    '✓ Write b.md',
    '? Bash sleep  no result in the file',
    '',
    `── 2 ── 2026-03-01 10:00 ── 10 in, 20 out ${'─'.repeat(38)}`,
    '❯ thanks',
    '',
    'You are welcome.',
    '',
  ]);
});

test('--full adds thinking, input, output and injected text', (context) => {
  const root = temporaryFolder(context);
  const lines = [
    user('go'),
    assistant([{ type: 'thinking', thinking: 'Hm.\nWhere?', signature: 's' }]),
    assistant([toolUse('t1', 'Edit', { file_path: 'a.md', new_string: 'one\ntwo', replace_all: false })]),
    user([toolResult('t1', 'done\n\tall of it\n')]),
    user('a reminder', { isMeta: true }),
    { type: 'system', subtype: 'turn_duration', durationMs: 5 },
    { type: 'attachment', attachment: { type: 'skill_listing' } },
    assistant('Done.'),
  ];
  assert.deepEqual(turnOf(lines, root, '--full'), [
    '❯ go',
    '',
    '┊ Hm.',
    '┊ Where?',
    '✓ Edit a.md  2 lines',
    '  ┊ file_path: a.md',
    '  ┊ new_string:',
    '  ┊   one',
    '  ┊   two',
    '  ┊ replace_all: false',
    '  │ done',
    '  │ \tall of it',
    '+ a reminder',
    '· turn_duration',
    '+ skill_listing',
    '',
    'Done.',
  ]);
  assert.deepEqual(turnOf(lines, root), ['❯ go', '┊ thought, 10 characters', '✓ Edit a.md  2 lines', '', 'Done.']);
});

test('--turn shows one turn without the header; one that is not there is refused', () => {
  const [rule, prompt] = shown(['--demo', 'b9147db8', '--turn', '2']);
  assert.match(rule ?? '', /^── 2 ── 2026-03-07 21:05 ── 33\.6k in, 105 out ─+$/);
  assert.equal(prompt, '❯ is the contrast ok?');
  const json = jsonOf(['show', '--demo', 'b9147db8', '--turn', '2', '--json']) as JsonObject;
  assert.deepEqual(
    (json.turns as readonly JsonObject[]).map((turn) => turn.index),
    [2],
  );
  for (const turn of ['0', '5', '-1', '1.5', 'two', '1e0', '']) {
    assert.deepEqual(runClew(['show', '--demo', 'b9147db8', `--turn=${turn}`]), {
      status: 2,
      stdout: '',
      stderr: `clew: there is no turn ${/^\d+$/.test(turn) ? turn : `"${turn}"`}; the session has turns 1 to 4\n`,
    });
  }
});

test('branches are marked where they leave, and --branch shows one', () => {
  const active = shown(['--demo', 'b8f420a0']);
  assert.ok(active.includes('⑂ another branch leaves here, 1 turn: --branch 2'));
  assert.ok(!active.some((line) => line.includes('canvas, I guess')));
  const other = shown(['--demo', 'b8f420a0', '--branch', '2']);
  assert.ok(other.includes('⑂ this is branch 2 of 2, from where it leaves another'));
  assert.ok(other.includes('❯ canvas, I guess?'));
  assert.ok(!other.some((line) => line.includes('less motion')));
  for (const branch of ['0', '3', 'x']) {
    assert.deepEqual(runClew(['show', '--demo', 'b8f420a0', '--branch', branch]), {
      status: 2,
      stdout: '',
      stderr: `clew: there is no branch ${branch === 'x' ? '"x"' : branch}; the session has branches 1 to 2\n`,
    });
  }
});

test('two conversations in one file: the header names the other', (context) => {
  const root = temporaryFolder(context);
  const lines = [user('first'), assistant('One.'), user('second', { parentUuid: null }), assistant('Two.')];
  writeTree(root, { 's.jsonl': sessionText(lines) });
  const text = shown([path.join(root, 's.jsonl')]);
  assert.ok(text.includes('⑂ another conversation in this file, 2 entries: --branch 2'));
  assert.ok(text.includes('❯ second') && !text.includes('❯ first'));
  assert.ok(shown([path.join(root, 's.jsonl'), '--branch', '2']).includes('❯ first'));
});

test('a rewind, an interrupt, a slash command and a compaction are marked in a recording of the real client', () => {
  const text = shown([rewound]);
  for (const line of [
    '❯ /rename widget-work',
    '  Session renamed to: widget-work',
    '■ Request interrupted by user',
    '⑂ another branch leaves here, 2 turns: --branch 2',
    `══ compacted (manual) ══ 7.2k tokens ${'═'.repeat(43)}`,
    '┊ summary, 512 characters',
  ]) {
    assert.ok(text.includes(line), line);
  }
});

test('a compaction shows what started it, the sizes and how much was kept', (context) => {
  const root = temporaryFolder(context);
  const uuid = '00000000-0000-4000-8000-000000000002';
  const compactMetadata = {
    trigger: 'auto',
    preTokens: 157000,
    postTokens: 2945,
    preservedMessages: { uuids: [uuid] },
  };
  const lines = [
    user('go'),
    assistant('Gone.'),
    {
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      parentUuid: null,
      compactMetadata,
    },
    user('This session is being continued.', { isCompactSummary: true }),
  ];
  assert.deepEqual(turnOf(lines, root).slice(-3), [
    '',
    `══ compacted (auto) ══ 157k → 2.9k tokens ══ 1 entry kept ${'═'.repeat(22)}`,
    '┊ summary, 32 characters',
  ]);
});

test('a summary without a boundary, as 1.0 clients wrote it, is marked as a compaction', (context) => {
  const root = temporaryFolder(context);
  const lines = [user('go'), assistant('Gone.'), user('This session is being continued.', { isCompactSummary: true })];
  assert.deepEqual(turnOf(lines, root).slice(-3), ['', `══ compacted ${'═'.repeat(67)}`, '┊ summary, 32 characters']);
});

test('--full shows the output of a failed call without the tags that the client adds for the model', (context) => {
  const lines = [
    user('go'),
    assistant([toolUse('t1', 'Read', { file_path: '/gone' })]),
    user([toolResult('t1', '<tool_use_error>File does not exist.</tool_use_error>', true)]),
  ];
  assert.deepEqual(turnOf(lines, temporaryFolder(context), '--full').slice(-3), [
    '✗ Read /gone',
    '  ┊ file_path: /gone',
    '  │ File does not exist.',
  ]);
});

test('sub-agents are indented below the call that started them, in all three layouts', () => {
  for (const [version, call, agent] of [
    ['1.0.57', '✓ Task Read readme  It is a widgets CLI.', '  ↳ general-purpose 62 out'],
    ['2.0.50', '✓ Task Read readme  It is a widgets CLI.', '  ↳ d55c453d 62 out'],
    ['2.1.150', '✓ Agent Read readme  5 lines', '  ↳ general-purpose 62 out'],
  ] as const) {
    const root = path.join(recordings, version, 'agent');
    const [row] = (jsonOf(['ls', '--json', '--root', root]) as readonly JsonObject[]) ?? [];
    const text = shown([String(row?.path)]);
    const at = text.indexOf(call);
    assert.deepEqual(text.slice(at, at + 5), [
      call,
      agent,
      `    ✓ Read README.md  ${version === '2.1.150' ? 4 : 8} lines`,
      '',
      '    It is a widgets CLI.',
    ]);
  }
});

/** A session whose call `t0` starts agent `a`, whose call `t1` starts agent `b`, whose call `t2` starts `a` again. */
function nested(root: string): string {
  const agent = (agentId: string, next: string) =>
    sessionText([user('inner'), assistant([toolUse(next, 'Agent', { description: `start by ${agentId}` })])], {
      isSidechain: true,
      agentId,
    });
  writeTree(root, {
    's.jsonl': sessionText([user('go'), assistant([toolUse('t0', 'Agent', { description: 'start' })])]),
    's/subagents/agent-a.jsonl': agent('a', 't1'),
    's/subagents/agent-a.meta.json': '{"agentType":"Outer","toolUseId":"t0"}',
    's/subagents/agent-b.jsonl': agent('b', 't0'),
    's/subagents/agent-b.meta.json': '{"agentType":"Inner","toolUseId":"t1"}',
    's/subagents/agent-lost.jsonl': agent('lost', 't9'),
  });
  return path.join(root, 's.jsonl');
}

test('sub-agents of sub-agents are indented further, one that leads to itself is shown once, a lost one is named', (context) => {
  const file = nested(temporaryFolder(context));
  assert.deepEqual(
    shown([file]).slice(-9),
    [
      '❯ go',
      '? Agent start  no result in the file',
      '  ↳ Outer 20 out',
      '    ? Agent start by a  no result in the file',
      '      ↳ Inner 20 out',
      '        ? Agent start by b  no result in the file',
      '          ↳ Outer (shown above)',
      '',
      '↳ 1 sub-agent that no call here started: lost',
      '',
    ].slice(-9),
  );
});

test('a sub-agent that cannot be read does not hide the session', (context) => {
  const root = temporaryFolder(context);
  const file = nested(root);
  chmodSync(path.join(root, 's/subagents/agent-a.jsonl'), 0o000);
  giveToOrdinaryUser(root);
  const { status, stdout, stderr } = runClew(['show', file], ordinaryUser);
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /↳ Outer \(cannot be read: EACCES\)\n/);
});

test('prompts typed while the agent worked are shown where they were given to it; what was never sent comes last', (context) => {
  const root = temporaryFolder(context);
  const queue = (operation: string, content?: string) => ({
    type: 'queue-operation',
    operation,
    ...(content ? { content } : {}),
  });
  const lines = [
    user('go'),
    assistant([toolUse('t1', 'Bash', { command: 'a' })]),
    queue('enqueue', 'also do this'),
    queue('enqueue', '{"task_id":"b1","description":"of the client"}'),
    queue('remove', 'also do this'),
    user([toolResult('t1', 'ok')]),
    assistant('Both done.'),
    queue('enqueue', 'too late'),
    queue('enqueue', 'taken back'),
    queue('popAll', 'taken back'),
  ];
  writeTree(root, { 's.jsonl': sessionText(lines) });
  assert.deepEqual(shown([path.join(root, 's.jsonl')]).slice(6), [
    '❯ go',
    '✓ Bash a  ok',
    '',
    '❯ also do this',
    '  (typed while it worked)',
    '',
    'Both done.',
    '',
    '❯ too late',
    '  (typed, but never sent)',
    '',
  ]);
});

test('a queued prompt that became a turn says so', (context) => {
  const root = temporaryFolder(context);
  const lines = [
    user('go'),
    { type: 'queue-operation', operation: 'enqueue', content: 'then this' },
    assistant('Gone.'),
    { type: 'queue-operation', operation: 'dequeue' },
    user('then this'),
    assistant('Done.'),
  ];
  writeTree(root, { 's.jsonl': sessionText(lines) });
  assert.deepEqual(shown([path.join(root, 's.jsonl'), '--turn', '2']).slice(1, 3), [
    '❯ then this',
    '  (typed while it worked)',
  ]);
});

test('API errors, interrupts, local commands, bash mode and notices are one line each', (context) => {
  const root = temporaryFolder(context);
  const lines = [
    user('go'),
    {
      type: 'system',
      subtype: 'api_error',
      error: { status: 529, message: 'Overloaded' },
      retryAttempt: 2,
      maxRetries: 10,
    },
    { type: 'system', subtype: 'informational', content: 'Carrying on' },
    assistant('API Error: 400 bad request', { isApiErrorMessage: true, message: { model: '<synthetic>' } }),
    user('[Request interrupted by user]'),
    user('<bash-input>ls -l</bash-input>'),
    user('<bash-stdout>total 0</bash-stdout><bash-stderr></bash-stderr>'),
    user('<local-command-stdout>\x1b[1mfine\x1b[22m</local-command-stdout>'),
    user('<task-notification><summary>task done</summary></task-notification>'),
    assistant('No response requested.', { message: { model: '<synthetic>' } }),
  ];
  assert.deepEqual(turnOf(lines, root), [
    '❯ go',
    '✗ API error 529: Overloaded, retry 2 of 10',
    '· Carrying on',
    '',
    '✗ API Error: 400 bad request',
    '■ Request interrupted by user',
    '! ls -l',
    '  total 0',
    '  fine',
    '◆ task done',
    '· No response requested.',
  ]);
});

test('damage is shown above the turns, five lines of it at most', (context) => {
  const root = temporaryFolder(context);
  writeTree(root, { 's.jsonl': `${sessionText([user('go')])}${'not json\n'.repeat(7)}` });
  const text = shown([path.join(root, 's.jsonl')]);
  assert.equal(text.filter((line) => /^! line \d+: .* \(L-[a-z-]+\)$/.test(line)).length, 5);
  assert.ok(text.includes('! and 2 more; --json lists them all'));
  const json = jsonOf(['show', '--json', path.join(root, 's.jsonl')]) as JsonObject;
  assert.equal((json.diagnostics as readonly JsonObject[]).length, 7);
});

test('a file with nothing but bookkeeping is shown as that', (context) => {
  const root = temporaryFolder(context);
  writeTree(root, { 's.jsonl': '{"type":"custom-title","customTitle":"just a name"}\n' });
  assert.deepEqual(shown([path.join(root, 's.jsonl')]), [
    'just a name',
    's · folder unknown',
    '0 turns · 1 entry · 52 B · 0 in, 0 out',
    '',
    'No conversation in this file, only bookkeeping.',
    '',
  ]);
  assert.equal(
    runClew(['show', path.join(root, 's.jsonl'), '--turn', '1']).stderr,
    'clew: there is no turn 1; the session has none\n',
  );
});
