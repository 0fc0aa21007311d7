// clew recover: Markdown of what is left of a deleted session, and a session of its prompts that undo takes back.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { asObject, isArray, isObject, type JsonObject, parseJson } from '../../../src/base/json/json.ts';
import { jsonOf, type Run, runClew } from '../../support/clew.ts';
import { recordedSessions, writeDeletedLibrary } from '../../support/deleted-library.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { changesOf, snapshotTree } from '../../support/tree-snapshot.ts';

const id = '11111111-1111-4111-8111-111111111111';
const noon = Date.parse('2026-03-01T12:00:00Z');
const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');

interface Place {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  run(...args: readonly string[]): Run;
}

function placeOf(context: TestContext, files: Readonly<Record<string, string>>): Place {
  const top = temporaryFolder(context);
  const root = path.join(top, 'config');
  const env = { CLEW_HOME: path.join(top, 'state') };
  mkdirSync(path.join(root, 'projects'), { recursive: true });
  writeTree(root, files);
  return { root, env, run: (...args) => runClew([...args, '--root', root], { env, cwd: top }) };
}

function historyText(...prompts: readonly JsonObject[]): string {
  return prompts
    .map((prompt, i) => ({ timestamp: noon + i * 1000, project: '/w/lamp', sessionId: id, ...prompt }))
    .map((prompt) => `${JSON.stringify(prompt)}\n`)
    .join('');
}

function entriesOf(file: string): readonly JsonObject[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const entry = asObject(parseJson(line));
    assert.ok(entry !== undefined, line);
    return entry;
  });
}

const agentLine = (type: string, text: string, uuid: string, parentUuid: string | null): string =>
  `${JSON.stringify({ type, uuid, parentUuid, isSidechain: true, agentId: 'a1', sessionId: id, cwd: '/w/lamp', timestamp: '2026-03-01T12:00:01.000Z', message: { role: type, content: [{ type: 'text', text }], model: 'm', id: uuid } })}\n`;

test('Markdown has prompts, versions with their changes, sub-agents, tasks and the rest, without secrets', (context) => {
  const hash = createHash('sha256').update('/w/lamp/src/lamp.ts').digest('hex').slice(0, 16);
  const { run, root } = placeOf(context, {
    'history.jsonl': historyText(
      { display: 'fix src/lamp.ts, please' },
      { display: `use ${secret} and \u001b[2J<b>bold</b>` },
      { display: '/clear' },
    ),
    [`file-history/${id}/${hash}@v1`]: 'const lamp = 1;\nconst wick = 1;\n',
    [`file-history/${id}/${hash}@v2`]: 'const lamp = 2;\nconst wick = 1;\n',
    [`file-history/${id}/0123456789abcdef@v1`]: 'a\0b',
    [`projects/-w-lamp/${id}/subagents/agent-a1.jsonl`]:
      agentLine('user', 'look for the wick', 'u1', null) + agentLine('assistant', `found ${secret}`, 'u2', 'u1'),
    [`projects/-w-lamp/${id}/tool-results/b1.txt`]: 'output',
    [`todos/${id}-agent-${id}.json`]: JSON.stringify([{ content: 'trim the wick', status: 'completed' }]),
    [`tasks/${id}/1.json`]: JSON.stringify({ subject: 'light it', description: 'with a match', status: 'pending' }),
    [`shell-snapshots/snapshot-bash-${noon}-abc.sh`]: '',
    [`shell-snapshots/snapshot-bash-${noon + 86_400_000}-abc.sh`]: '',
  });
  const before = snapshotTree(root, []);
  const { stdout, status } = run('recover', id.slice(0, 8));
  assert.equal(status, 0);
  assert.deepEqual(changesOf(before, snapshotTree(root, [])), []);
  for (const wanted of [
    /^# fix src\/lamp\.ts, please$/m,
    /answers, tool calls and results are lost/,
    /\*\*2026-03-01 12:00:00\*\*\n\n> fix src\/lamp\.ts, please/,
    /^## `\/w\/lamp\/src\/lamp\.ts`$/m,
    /^-const lamp = 1;\n\+const lamp = 2;\n const wick = 1;$/m,
    /^## A file whose path is not known \(0123456789abcdef\)$/m,
    /^## Sub-agent `agent-a1`$/m,
    /look for the wick/,
    /^- \[x\] trim the wick \(completed\)$/m,
    /^- \[ \] light it: with a match \(pending\)$/m,
    /tool output: `.*b1\.txt`/,
    new RegExp(`snapshot-bash-${noon}-abc\\.sh`),
  ])
    assert.match(stdout, wanted);
  assert.ok(!stdout.includes(secret) && stdout.includes('[redacted:'), stdout);
  assert.ok(!stdout.includes('\u001b') && !stdout.includes('<b>'));
  assert.ok(!stdout.includes('/clear') && !stdout.includes(String(noon + 86_400_000)));
  assert.ok(run('recover', id, '--no-redact').stdout.includes(secret));
});

test('--output writes a file, and overwrites one only with --force', (context) => {
  const { run, root } = placeOf(context, { 'history.jsonl': historyText({ display: 'light the lamp' }) });
  const file = path.join(path.dirname(root), 'lost.md');
  assert.equal(run('recover', id, '-o', 'lost.md').status, 0);
  const text = readFileSync(file, 'utf8');
  assert.match(text, /> light the lamp/);
  const again = run('recover', id, '-o', 'lost.md');
  assert.deepEqual([again.status, readFileSync(file, 'utf8')], [3, text]);
  assert.equal(run('recover', id, '-o', 'lost.md', '--force').status, 0);
});

test('--session writes the prompts as a session that says it is recovered, and undo removes it', (context) => {
  const title = '{"customTitle":"lamp work"}';
  const { run, root, env } = placeOf(context, {
    'history.jsonl': historyText(
      { display: 'first\nprompt' },
      { display: '/model opus' },
      { display: 'no time', timestamp: 'x' },
      { display: 'second prompt', timestamp: noon - 5000 },
    ),
    [`projects/-w-lamp/${id}/custom-title.json`]: title,
    [`projects/-w-lamp/${id}/subagents/agent-a1.jsonl`]: agentLine('user', 'look', 'u1', null),
  });
  const before = snapshotTree(root, []);
  const main = path.join(root, 'projects/-w-lamp', `${id}.jsonl`);
  assert.equal(run('recover', id, '--session', '--dry-run').status, 0);
  assert.deepEqual(changesOf(before, snapshotTree(root, [])), []);
  const { status, stdout } = run('recover', id, '--session');
  assert.equal(status, 0, stdout);
  assert.match(stdout, new RegExp(`cd /w/lamp && claude --resume ${id}`));
  const entries = entriesOf(main);
  const said = entries.flatMap(({ type, message }) => {
    const content = asObject(message)?.content;
    return type === 'user' || type === 'assistant'
      ? [[type, isArray(content) ? asObject(content[0])?.text : content]]
      : [];
  });
  const lost = '[The answer to this prompt is lost: the transcript was deleted, and only prompts were recovered.]';
  assert.deepEqual(
    said.map(([type]) => type),
    ['user', 'user', 'assistant', 'user', 'assistant', 'user', 'assistant'],
  );
  assert.ok(said.every(([type, text]) => type === 'user' || text === lost));
  assert.match(String(said[0]?.[1]), /^\[Recovered session\. .* 3 prompts, the conversations of 1 sub-agent\./);
  assert.deepEqual(
    said
      .filter(([type]) => type === 'user')
      .slice(1)
      .map(([, text]) => text)
      .sort(),
    ['first\nprompt', 'no time', 'second prompt'],
  );
  const times = entries.flatMap(({ timestamp }) => (typeof timestamp === 'string' ? [Date.parse(timestamp)] : []));
  assert.deepEqual(
    times,
    [...times].sort((a, b) => a - b),
  );
  assert.equal(new Set(times).size, times.length);
  const row = (jsonOf(['ls', '--json', '--root', root], { env }) as readonly JsonObject[])[0];
  assert.deepEqual([row?.sessionId, row?.title, row?.agents], [id, 'Recovered: lamp work', 1]);
  assert.deepEqual(jsonOf(['ls', '--deleted', '--json', '--root', root], { env }), []);
  assert.equal(runClew(['undo'], { env }).status, 0);
  assert.deepEqual([...snapshotTree(root, []).keys()].sort(), [...before.keys()].sort());
  assert.equal(readFileSync(path.join(root, 'projects/-w-lamp', id, 'custom-title.json'), 'utf8'), title);
});

test('prompts without a session id get a new one, in the folder that --to names', (context) => {
  const { run, root, env } = placeOf(context, {
    'history.jsonl': historyText({ display: 'light the lamp', sessionId: null, project: null }),
  });
  const [group] = jsonOf(['ls', '--deleted', '--json', '--root', root], { env }) as readonly JsonObject[];
  const name = String(group?.id);
  const refused = run('recover', name, '--session');
  assert.deepEqual([refused.status, /--to DIR/.test(refused.stderr)], [2, true]);
  const result = jsonOf(['recover', name, '--session', '--to', '/w/new', '--json', '--root', root], { env });
  assert.ok(isObject(result) && isObject(result.to));
  const { sessionId, path: file } = result.to;
  assert.match(String(sessionId), /^[0-9a-f]{8}-/);
  assert.equal(file, path.join(root, 'projects/-w-new', `${sessionId}.jsonl`));
  assert.equal(entriesOf(String(file)).find(({ type }) => type === 'user')?.cwd, '/w/new');
});

test('it refuses what it cannot do, in one line that says what to do instead', (context) => {
  const { run, root, env } = placeOf(context, {
    'history.jsonl': historyText({ display: 'a' }, { display: 'b', sessionId: `${id.slice(0, -1)}2` }),
    'file-history/only-files/0123456789abcdef@v1': 'x',
  });
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [['recover', 'nothing'], 2, /no deleted session "nothing"; run `clew ls --deleted`/],
    [['recover', id.slice(0, 8)], 2, /fits 2 deleted sessions/],
    [['recover', 'only-files', '--session'], 3, /no prompt of session only-files is left/],
    [['recover', id, '--to', '/x'], 2, /--to needs --session/],
    [['recover', id, '--session', '--output', 'x.md'], 2, /--output is for Markdown/],
  ];
  for (const [args, status, message] of cases) {
    const done = run(...args);
    assert.equal(done.status, status, args.join(' '));
    assert.match(done.stderr, message);
    assert.equal(done.stderr.trimEnd().split('\n').length, 1);
  }
  writeTree(root, {
    [`projects/-w-lamp/${id}.jsonl`]: `${JSON.stringify({ type: 'user', uuid: 'u', parentUuid: null, sessionId: id, cwd: '/w/lamp', timestamp: '2026-03-01T12:00:00.000Z', message: { role: 'user', content: 'a' } })}\n`,
  });
  assert.equal(run('recover', id).status, 2, 'a living session');
  assert.equal(run('archive').status, 0);
  rmSync(path.join(root, `projects/-w-lamp/${id}.jsonl`));
  const archived = run('recover', id, '--session');
  assert.deepEqual([archived.status, /clew restore/.test(archived.stderr)], [3, true]);
  assert.match(run('recover', id).stderr, /the archive has all of it; `clew restore/);
  assert.equal(runClew(['restore', id], { env }).status, 0);
});

test('every session that the client deleted can be recovered, and is then no longer deleted', (context) => {
  const { run, root, env } = placeOf(context, {});
  writeDeletedLibrary(root);
  const gone = recordedSessions.filter(({ isDeleted }) => isDeleted);
  for (const { sessionId, cwd } of gone.slice(0, 4)) {
    assert.equal(run('recover', sessionId, '--session').status, 0, sessionId);
    assert.ok(existsSync(path.join(root, 'projects', cwd.replaceAll('/', '-'), `${sessionId}.jsonl`)));
  }
  const left = jsonOf(['ls', '--deleted', '--json', '--root', root], { env });
  assert.ok(isArray(left));
  assert.equal(left.length, gone.length - 4);
});
