// docs/json.md and the real output have the same fields: of every object, all keys, no more and no fewer.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { asObject, isArray, isObject, type JsonObject, type JsonValue, parseJson } from '../../src/base/json/json.ts';
import { SessionScript } from '../authorship/session-script.ts';
import { jsonOf, runClew } from '../support/clew.ts';
import { writeFakeClient } from '../support/fake-client.ts';
import { ask, post } from '../support/messages-client.ts';
import { projectRoot } from '../support/paths.ts';
import { startClew } from '../support/running-clew.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { recordings } from '../support/transcripts.ts';
import { answerLine } from '../support/usage-library.ts';

/** Objects whose keys are data. */
const open: ReadonlySet<string> = new Set([
  'show.entries.byType',
  'show --full.entries.byType',
  'tail[].input',
  'messages --full.thinking',
  'messages --full.output_config',
  'messages --full.context_management',
  'messages --full.system[]',
  'messages --full.tools[]',
  'doctor --all.sessions[].codes',
  'context.turns[].kinds',
]);

test('every object that is printed has exactly the fields that the page lists for it', async (context) => {
  const documented = documentedFields();
  const printed = new Map<string, Set<string>>();
  const folder = temporaryFolder(context);
  writeTree(folder, { 'damaged.jsonl': `${sessionText([user('go')])}not json\n` });
  const sessions = [
    path.join(folder, 'damaged.jsonl'),
    path.join(recordings, 'real/2.1.45/agent/-home-dev-widgets/497273d2-eb43-4a22-a38d-e8481a13dd2e.jsonl'),
    path.join(recordings, 'real/2.1.150/compact/-home-dev-widgets/a07eca6d-a4f7-4a12-9bab-83c2627b91db.jsonl'),
  ];
  collect('ls', jsonOf(['ls', '--json', '--demo']), printed);
  collect('ls', jsonOf(['ls', '--json', '--root', workLibrary(folder)]), printed);
  collect('ls --deleted', jsonOf(['ls', '--deleted', '--json', '--root', deletedLibrary(folder)]), printed);
  const recover = ['recover', 's', '--session', '--dry-run', '--json', '--root', deletedLibrary(folder)];
  collect('fork', jsonOf(recover), printed);
  for (const session of sessions) {
    collect('show', jsonOf(['show', '--json', session]), printed);
    collect('show --full', jsonOf(['show', '--json', '--full', session]), printed);
    collect('context', jsonOf(['context', '--json', session]), printed);
    collect('messages', jsonOf(['messages', session]), printed);
    collect('messages --full', jsonOf(['messages', '--full', session]), printed);
  }
  const env = { CLEW_HOME: path.join(folder, 'state') };
  collect('find', jsonOf(['find', 'slug*', '--json', '--demo'], { env }), printed);
  collect('index', jsonOf(['index', '--json', '--demo'], { env }), printed);
  const root = path.join(folder, 'library');
  writeTree(root, {
    'projects/-w-p/s.jsonl': `${[answerLine({ id: 'a' }), answerLine({ id: 'a' }), answerLine({ model: '<synthetic>' }), answerLine({ model: 'claude-zeta-9' }), answerLine({ id: 'now', time: new Date().toISOString() })].join('\n')}\n`,
  });
  for (const words of ['', ' --breakdown', ' session', ' blocks', ' --receipts']) {
    const args = ['usage', ...words.split(' ').slice(1), '--json', '--root', root];
    collect(`usage${words}`, jsonOf(args, { env }), printed);
  }
  const none = runClew(['redact', '--check', '--all', '--json'], { env: { CLEW_ROOTS: path.join(folder, 'none') } });
  collect('unread', asObject(parseJson(none.stdout))?.unread ?? null, printed);
  const fake = temporaryFolder(context);
  writeFakeClient(fake, { version: '2.1.325' });
  collect('doctor --client', jsonOf(['doctor', '--client', path.join(fake, 'claude'), '--json']), printed);
  collect('prices', jsonOf(['prices', '--json', '--root', root], { env }), printed);
  const table = path.join(projectRoot, 'src/models/models.json');
  collect('prices update', jsonOf(['prices', 'update', table, '--dry-run', '--json'], { env }), printed);
  collect('statusline', jsonOf(['statusline', '--json', '--root', root], { env, isAlone: true }), printed);
  jsonOf(['guard', 'set', '--hard', '5', '--json', '--root', root], { env });
  collect('guard status', jsonOf(['guard', 'status', '--json', '--root', root], { env }), printed);
  collect('statusline', jsonOf(['statusline', '--json', '--root', root], { env, isAlone: true }), printed);
  collect('guard off', jsonOf(['guard', 'off', '--json'], { env }), printed);
  collectAuthorship(folder, printed);
  collectArchive(folder, printed);
  collectDoctor(folder, printed);
  collectSurgery(folder, printed);
  collectTrace(folder, printed);
  await collectLive(context, folder, printed);
  await collectReplay(context, folder, printed);
  await collectOpen(context, printed);
  for (const [place, keys] of printed) {
    // With --full only the messages differ, in other reports only the rows.
    const plain = place
      .replace('show --full', 'show')
      .replace('messages --full.messages', 'messages')
      .replace(/^usage (--breakdown|session|blocks)/, 'usage')
      .replace(/^redact\.(from|to|dropped|proof|thinking|sizeBytes)/, 'fork.$1');
    const known = documented.get(place) ?? documented.get(plain);
    assert.deepEqual([place, [...keys]], [place, known === undefined ? [] : [known]]);
  }
  assert.deepEqual(
    // These need a store: test/team/admin/json.slow.test.ts, test/team/push.slow.test.ts, test/team/lake-command.slow.test.ts.
    [...documented.keys()].filter((place) => !printed.has(place) && !/^(?:team |push|export --store)/.test(place)),
    [],
  );
});

test('the page lists the exit codes of the program', () => {
  const codes = [...page().matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  assert.deepEqual(codes, [0, 1, 2, 3, 70]);
});

/** A session that entered a worktree and has a pull request. */
function workLibrary(folder: string): string {
  const root = path.join(folder, 'work');
  const worktree = { originalCwd: '/w/p', worktreePath: '/w/p/.claude/worktrees/a', worktreeBranch: 'worktree-a' };
  const lines = [
    { type: 'worktree-state', worktreeSession: worktree },
    { type: 'pr-link', prNumber: 1, prUrl: 'https://example.invalid/p/pull/1', prRepository: 'ada/p' },
  ];
  const text = sessionText([user('go'), assistant('done')]) + lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeTree(root, { 'projects/-w-p/10000000-0000-4000-a000-000000000001.jsonl': text });
  return root;
}

/** A file that a session and the user wrote, in a repository. */
function collectAuthorship(folder: string, printed: Map<string, Set<string>>): void {
  const [cwd, root] = [path.join(folder, 'written'), path.join(folder, 'writers')];
  writeTree(cwd, { 'a.txt': 'by the user, in the first line\n' });
  const git = (...args: string[]): void => {
    const own = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    execFileSync('git', [...own, ...args], { cwd, stdio: 'ignore' });
  };
  git('init', '-q');
  const session = new SessionScript({ root, cwd, version: '2.1.325', clock: { now: 0 } });
  session.prompt('add a line');
  const [before, after] = ['by the user, in the first line\n', 'by the user, in the first line\nby a session\n'];
  session.edit({ file: path.join(cwd, 'a.txt'), before, after }, before, after);
  session.save();
  writeTree(cwd, { 'a.txt': after });
  git('add', '-A');
  git('commit', '-q', '-m', 'both');
  const env = { CLEW_HOME: path.join(folder, 'written-state') };
  collect('why', jsonOf(['why', 'a.txt', '--json', '--root', root], { env, cwd }), printed);
  const log = asObject(jsonOf(['log', '--json', '--root', root], { env, cwd }));
  const { calls, commits, ...rest } = log ?? {};
  assert.ok(isArray(calls) && isArray(commits));
  const [commit] = commits;
  const files = asObject(commit)?.files;
  assert.ok(isArray(files));
  collect('why.calls', calls, printed);
  collect('why.lines', asObject(files[0])?.lines ?? null, printed);
  const file = { ...asObject(files[0]), lines: [] };
  collect('log', { commits: [{ ...asObject(commit), files: [file] }], calls: [], ...rest }, printed);
}

function collectSurgery(folder: string, printed: Map<string, Set<string>>): void {
  const env = { CLEW_HOME: path.join(folder, 'surgery-state') };
  const root = path.join(folder, 'operated');
  const id = '11111111-1111-4111-a111-111111111111';
  const copies = { 'a.ts': { backupFileName: '0123@v1' }, '.envrc': { backupFileName: '0123@v1' } };
  const asides: readonly JsonObject[] = [
    { type: 'file-history-snapshot', messageId: 'u', snapshot: { messageId: 'u', trackedFileBackups: copies } },
    { type: 'permission-mode', permissionMode: 'plan' },
  ];
  const text = sessionText([user('go'), assistant('done'), user('on')]);
  writeTree(root, {
    [`projects/-w-p/${id}.jsonl`]: text + asides.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
    [`file-history/${id}/0123@v1`]: 'copy',
  });
  const run = (...words: string[]): JsonValue => jsonOf([...words, '--json', '--root', root], { env });
  const fork = run('fork', id, '--at', '1');
  collect('fork', fork, printed);
  collect('ls', run('ls'), printed);
  collect('show', run('show', String(asObject(asObject(fork)?.to)?.sessionId)), printed);
  collect('find', run('find', 'go'), printed);
  collect('fork', run('compress', id, '--keep-turns', '1', '--dry-run'), printed);
  collect('strip', run('strip', id), printed);
  collect('bundle', run('bundle', id, '--output', path.join(folder, 'short.clew')), printed);
  run('bundle', id, '--all-files', '--output', path.join(folder, 'page.clew'));
  for (const words of [
    ['move', id, '--to', '/w/q'],
    ['rewind', id, '--to', '1'],
    ['split', id, '--at', '1'],
    ['rename', id, 'x'],
    ['tag', id, 'x'],
  ])
    collect('fork', run(...words), printed);
  const { reach, ...imported } = asObject(run('import', path.join(folder, 'page.clew'), '--to', '/w/r')) ?? {};
  collect('fork', imported, printed);
  collect('import', { reach: reach ?? null }, printed);
  const secret = `AK${'IA'}Q7ZR3MTW5XK2VB4N`;
  const other = '22222222-2222-4222-a222-222222222222';
  writeTree(root, { [`projects/-w-p/${other}.jsonl`]: sessionText([user(`key ${secret}`), assistant('done')]) });
  collect('export', run('export', other, '--output', path.join(folder, 'page.md')), printed);
  collect(
    'export --format parquet',
    run('export', other, '--format', 'parquet', '-o', path.join(folder, 'tables')),
    printed,
  );
  collect('redact', run('redact', other), printed);
  const { stdout } = runClew(['redact', '--check', other, '--json', '--root', root], { env });
  collect('redact --check', parseJson(stdout) ?? null, printed);
  collect('history', run('history'), printed);
  collect('undo', jsonOf(['undo', '--json'], { env }), printed);
  // As if it had been killed before its record was written.
  writeTree(env.CLEW_HOME, { 'operations/unfinished': '', 'operations/20260101T100000-abcdef/staged/0/x.jsonl': 'x' });
  collect('fsck', parseJson(runClew(['fsck', '--dry-run', '--json'], { env }).stdout) ?? null, printed);
  collect('undo (recovered)', jsonOf(['undo', '--json'], { env }), printed);
  run('redact', other, '--in-place');
  symlinkSync('/nowhere', path.join(root, 'link'));
  writeTree(env.CLEW_HOME, { 'archive/000001.pack': 'clew-archive 1 damaged\n' });
  const proof = runClew(['redact', '--prove', '--json', '--root', root], { env });
  collect('redact --prove', parseJson(proof.stdout) ?? null, printed);
}

function collectTrace(folder: string, printed: Map<string, Set<string>>): void {
  const root = path.join(folder, 'traced');
  writeTree(root, { 'projects/p/one.jsonl': sessionText([user('go'), assistant('done')]) });
  utimesSync(path.join(root, 'projects/p/one.jsonl'), 1_700_000_000, 1_700_000_000);
  const state = path.join(folder, 'trace-state');
  writeTree(state, {
    'trace/dead/default/000000000000001-a.batch': '{"spanIds":["a"]}\n',
    'trace/dead/default/000000000000001-a.reason': '400 malformed',
  });
  const env = { CLEW_HOME: state, CLEW_ROOTS: root, CLEW_TRACE_ENDPOINT: 'http://127.0.0.1:9' };
  const run = (...words: string[]): JsonValue => jsonOf(['trace', ...words, '--json'], { env });
  collect('trace install', run('install', '--dry-run'), printed);
  collect('setup', jsonOf(['setup', '--mcp', '--dry-run', '--json'], { env }), printed);
  collect('setup --status', jsonOf(['setup', '--status', '--json'], { env }), printed);
  collect('trace backfill', run('backfill', '--dry-run'), printed);
  collect('trace explain', run('explain', 'one'), printed);
  collect('trace flush', run('flush'), printed);
  collect('trace mute', run('mute', 'one'), printed);
  collect('trace status', run('status'), printed);
  const { stdout } = runClew(['trace', 'test', '--json'], { env });
  collect('trace test', parseJson(stdout) ?? null, printed);
}

async function collectLive(context: TestContext, folder: string, printed: Map<string, Set<string>>): Promise<void> {
  const root = path.join(folder, 'live');
  const lines = [
    user('go'),
    assistant([toolUse('t1', 'Read', { file_path: '/w/a.ts' })]),
    user([toolResult('t1', 'text')]),
  ];
  writeTree(root, { 'projects/p/one.jsonl': sessionText(lines) });
  utimesSync(path.join(root, 'projects/p/one.jsonl'), 1_700_000_000, 1_700_000_000);
  const env = { CLEW_HOME: path.join(folder, 'live-state'), CLEW_ROOTS: root };
  collect('ls --expiring', jsonOf(['ls', '--expiring', '--json'], { env }), printed);
  collect('stats', jsonOf(['stats', '--json'], { env }), printed);
  for (const [name, args] of [
    ['watch', []],
    ['tail', ['--since', '2020-01-01']],
  ] as const) {
    const state = path.join(folder, `${name}-state`);
    const running = startClew(context, [name, '--json', ...args], { ...env, CLEW_HOME: state });
    const text = await running.prints(name === 'tail' ? /(?:.*\n){3}/ : /\n/);
    collect(
      name,
      text
        .trim()
        .split('\n')
        .map((line) => parseJson(line) ?? null),
      printed,
    );
    await running.end('SIGTERM');
  }
}

async function collectOpen(context: TestContext, printed: Map<string, Set<string>>): Promise<void> {
  const clew = startClew(context, ['open', '--demo', '--no-browser', '--json']);
  collect('open', parseJson(await clew.prints(/\n/)) ?? null, printed);
  await clew.end('SIGTERM');
}

async function collectReplay(context: TestContext, folder: string, printed: Map<string, Set<string>>): Promise<void> {
  writeTree(folder, { 'replayed.jsonl': sessionText([user('go'), assistant('done')]) });
  const running = startClew(context, ['replay', '--json', path.join(folder, 'replayed.jsonl')]);
  const listening = parseJson(await running.prints(/\n/));
  assert.ok(isObject(listening));
  await post(String(listening.url), ask('other'), { 'x-api-key': String(listening.apiKey) });
  await running.end('SIGTERM');
  for (const line of running.stdout().trim().split('\n').map(parseJson)) {
    if (isObject(line)) collect(`replay ${line.event}`, line, printed);
  }
}

function collectDoctor(folder: string, printed: Map<string, Set<string>>): void {
  const root = path.join(folder, 'doctor');
  // An answer first: the one thing that the request breaks a rule with and Anthropic takes none the less.
  const session = sessionText([assistant('I begin'), user('so?'), assistant('so')], { sessionId: 'one' });
  const nested = `projects/p/too/00000000-0000-4000-8000-000000000001.jsonl`;
  writeTree(root, { 'projects/p/one.jsonl': session, [nested]: session });
  const env = { CLEW_ROOTS: root };
  collect('doctor', jsonOf(['doctor', 'one', '--json'], { env }), printed);
  const fixed = parseJson(runClew(['doctor', 'one', '--fix', '--dry-run', '--json'], { env }).stdout);
  printed.set('doctor --fix', new Set([Object.keys(isObject(fixed) ? fixed : {}).join(' ')]));
  const { status, stdout } = runClew(['doctor', '--all', '--json'], { env });
  assert.equal(status, 1); // the session one folder too deep
  collect('doctor --all', parseJson(stdout) ?? null, printed);
}

function collectArchive(folder: string, printed: Map<string, Set<string>>): void {
  const root = path.join(folder, 'claude');
  writeTree(root, { 'projects/p/one.jsonl': sessionText([user('go')]) });
  utimesSync(path.join(root, 'projects/p/one.jsonl'), 1_700_000_000, 1_700_000_000);
  const env = { CLEW_HOME: path.join(folder, 'state'), CLEW_ROOTS: root };
  for (const command of ['archive', 'archive --list', 'archive --verify']) {
    collect(command, jsonOf([...command.split(' '), '--json'], { env }), printed);
  }
  collect('rm', jsonOf(['rm', 'one', '--yes', '--json'], { env }), printed);
  collect('restore', jsonOf(['restore', 'one', '--json'], { env }), printed);
  collect('star', jsonOf(['star', 'one', '--json'], { env }), printed);
}

function page(): string {
  return readFileSync(path.join(projectRoot, 'docs/json.md'), 'utf8');
}

/** From each heading of a shape, ``### `ls[]` ``, its fields in their order. */
/** A prompt of a session whose transcript is gone. */
function deletedLibrary(folder: string): string {
  const root = path.join(folder, 'deleted');
  const line = { display: 'light the lamp', timestamp: 1, project: '/w', sessionId: 's', pastedContents: {} };
  writeTree(root, { 'history.jsonl': `${JSON.stringify(line)}\n`, 'projects/-w/memory/note.md': '' });
  return root;
}

function documentedFields(): Map<string, string> {
  const fields = new Map<string, string>();
  for (const section of page().split(/^### /m).slice(1)) {
    const [heading = ''] = section.split('\n');
    const keys = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key).join(' ');
    for (const [, place = ''] of heading.matchAll(/`([^`]+)`/g)) fields.set(place, keys);
  }
  return fields;
}

/** The different lists of keys that the objects of each place have. */
function collect(place: string, value: JsonValue, into: Map<string, Set<string>>): void {
  if (isArray(value)) for (const item of value) collect(`${place}[]`, item, into);
  else if (isObject(value) && !open.has(place)) {
    into.set(place, (into.get(place) ?? new Set()).add(Object.keys(value).join(' ')));
    // Blocks are the API's.
    for (const [key, inner] of Object.entries(value)) {
      if (key !== 'content' && inner !== undefined) collect(`${place}.${key}`, inner, into);
    }
  }
}
