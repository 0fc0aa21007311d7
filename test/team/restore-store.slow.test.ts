// A session that was pushed from one machine is shown, exported and restored on another one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { asObject, parseJson } from '../../src/base/json/index.ts';
import { cleanEnv, runClew } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { filesBelow, projectRoot } from '../support/paths.ts';
import { noPostgres } from '../support/postgres.ts';
import { pushLibrary } from '../support/pushed-library.ts';
import { startTeamStore, type TeamStore } from '../support/team-store.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const secret = `ghp_${'Q7wErT2yUi'.repeat(4).slice(0, 36)}`;

interface Machines {
  readonly store: TeamStore;
  /** The session with sub-agents. */
  readonly sessionId: string;
  readonly rootA: string;
  readonly rootB: string;
  readonly homeB: string;
  /** Runs clew on machine B, with the store. */
  run(args: readonly string[], more?: { readonly person?: string }): ReturnType<typeof runClew>;
}

/** Machine A has the demo with a secret in one session; machine B has nothing. */
async function machines(context: TestContext, level: 1 | 2 | 3 | 4): Promise<Machines> {
  const folder = temporaryFolder(context);
  const at = (...names: readonly string[]): string => path.join(folder, ...names);
  const [rootA, rootB, homeB] = [at('a/root'), at('b/root'), at('b/home')];
  cpSync(path.join(projectRoot, 'demo/projects'), path.join(rootA, 'projects'), { recursive: true });
  const agent = filesBelow(rootA, '.jsonl').find((file) => file.includes('/subagents/'));
  assert.ok(agent !== undefined, 'the demo has a session with a sub-agent');
  const sessionFolder = path.dirname(path.dirname(agent));
  const main = `${sessionFolder}.jsonl`;
  // The last line is longer than a pipe holds.
  const long = `${JSON.stringify({ type: 'padding', text: 'x'.repeat(400_000) })}\n`;
  writeFileSync(main, readFileSync(main, 'utf8').replace(/"content":"(?=[A-Za-z])/, `"content":"${secret} `) + long);
  assert.ok(readFileSync(main, 'utf8').includes(secret));
  const store = await startTeamStore(context, { ada: 'developer', bob: 'developer', eve: 'auditor' });
  await pushLibrary({ address: store.addressOf('ada'), root: rootA, home: at('a/home'), level });
  const run: Machines['run'] = (args, { person = 'ada' } = {}) =>
    runClew([...args, '--store', store.addressOf(person)], { env: { CLEW_HOME: homeB, TMPDIR: folder } });
  return { store, sessionId: path.basename(sessionFolder), rootA, rootB, homeB, run };
}

/** The files of a session below its project folder: names, bytes, modes and times. */
function filesOf(root: string, sessionId: string): Readonly<Record<string, object>> {
  // The root itself is gone after an undo, if the restore has made it.
  const all = existsSync(root) ? filesBelow(root, '') : [];
  const files = all.filter((file) => file.includes(sessionId) && statSync(file).isFile());
  return Object.fromEntries(
    files.map((file) => {
      const { mode, mtimeMs } = statSync(file);
      const text = readFileSync(file).toString('latin1');
      return [path.relative(root, file), { mode, mtimeMs: Math.round(mtimeMs), text }];
    }),
  );
}

test(
  'a session is restored byte for byte on another machine, again without effect, and undone',
  { skip: noPostgres },
  async (context) => {
    const { run, sessionId, rootA, rootB, homeB } = await machines(context, 4);
    const restore = () => run(['restore', sessionId.slice(0, 8), '--to-root', rootB, '--json']);
    const first = restore();
    assert.equal(first.status, 0, first.stderr);
    const expected = filesOf(rootA, sessionId);
    assert.ok(Object.keys(expected).length > 1);
    assert.deepEqual(filesOf(rootB, sessionId), expected);
    assert.match(first.stderr, /its folder .* is not on this machine; `clew move /);
    const answer = asObject(parseJson(first.stdout));
    assert.equal(answer?.isOriginal, true);
    assert.match(String(answer?.operation), /./);
    const again = run(['restore', sessionId, '--to-root', rootB]);
    assert.match(again.stdout, /is there already, just as it was in the store/);
    const undone = runClew(['undo'], { env: { CLEW_HOME: homeB } });
    assert.equal(undone.status, 0, undone.stderr);
    assert.deepEqual(filesOf(rootB, sessionId), {});
  },
);

test(
  'a restore continues after an interruption, and never replaces a file that differs',
  { skip: noPostgres },
  async (context) => {
    const { run, sessionId, rootA, rootB } = await machines(context, 4);
    const restore = (...more: readonly string[]) => run(['restore', sessionId, '--to-root', rootB, ...more]);
    assert.equal(restore('--dry-run').status, 0);
    assert.equal(existsSync(rootB), false);
    assert.equal(restore().status, 0);
    const main = filesBelow(rootB, `${sessionId}.jsonl`)[0] as string;
    // The main transcript is written last.
    rmSync(main);
    assert.equal(restore().status, 0);
    assert.deepEqual(filesOf(rootB, sessionId), filesOf(rootA, sessionId));
    writeFileSync(main, 'other\n');
    const refused = restore();
    assert.equal(refused.status, 3);
    assert.match(refused.stderr, /differs from the one in the store; nothing was restored/);
    assert.equal(readFileSync(main, 'utf8'), 'other\n');
  },
);

test('damaged bytes of the store never become a file', { skip: noPostgres }, async (context) => {
  const { run, sessionId, rootB, store } = await machines(context, 4);
  store.server.run(`UPDATE clew.packs p SET data = o.data FROM clew.packs o
    WHERE p.session_id = '${sessionId}' AND o.session_id = p.session_id AND p.is_original AND o.is_original
      AND p.nth = 0 AND o.nth = 1`);
  const { status, stderr } = run(['restore', sessionId, '--to-root', rootB]);
  assert.equal(status, 1);
  assert.match(stderr, /the store has other bytes of .*\.jsonl than were pushed/);
  assert.ok(!existsSync(rootB));
});

test('a file of the store that leads out of the session is refused', { skip: noPostgres }, async (context) => {
  const { run, sessionId, rootB, store } = await machines(context, 4);
  for (const name of [`${sessionId}/../../../escaped`, '/etc/escaped', 'other.jsonl', `${sessionId}/a\\b`]) {
    store.server.run(
      `UPDATE clew.packs SET name = '${name}' WHERE session_id = '${sessionId}' AND nth = 1 AND is_original`,
    );
    const { status, stderr } = run(['restore', sessionId, '--to-root', rootB]);
    assert.equal(status, 3, name);
    assert.match(stderr, /that is not in the folder of session/);
    assert.equal(existsSync(rootB), false);
  }
});

test(
  'at the level of text the restored transcript has placeholders instead of secrets, and says so',
  { skip: noPostgres },
  async (context) => {
    const { run, sessionId, rootB } = await machines(context, 3);
    const { status, stderr } = run(['restore', sessionId, '--to-root', rootB]);
    assert.equal(status, 0);
    assert.match(stderr, /without its secrets: placeholders are in their place/);
    const text = readFileSync(filesBelow(rootB, `${sessionId}.jsonl`)[0] as string, 'utf8');
    assert.equal(text.includes(secret), false);
    assert.match(text, /REDACTED|redacted/);
  },
);

test(
  'show, cat, messages and export print the session of the store, and leave nothing behind',
  { skip: noPostgres },
  async (context) => {
    const { run, sessionId, rootA, homeB } = await machines(context, 4);
    const folder = path.dirname(path.dirname(homeB));
    for (const args of [['show'], ['cat'], ['messages'], ['export', '--format', 'json']]) {
      const [command = '', ...more] = args;
      const local = runClew([command, sessionId, ...more, '--root', rootA], { env: { CLEW_HOME: homeB } });
      const stored = run([command, sessionId, ...more]);
      assert.equal(stored.status, 0, stored.stderr);
      const place = /\/[^"\s]*\/projects\//g;
      assert.equal(stored.stdout.replace(place, '/'), local.stdout.replace(place, '/'), command);
      assert.ok(local.stdout.length > 100);
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('clew-store-')),
      [],
    );
  },
);

test('the copy of a session is removed if the command is ended by a signal', { skip: noPostgres }, async (context) => {
  const { sessionId, homeB, store } = await machines(context, 4);
  const folder = path.dirname(path.dirname(homeB));
  const args = [clew, 'cat', '--store', store.addressOf('ada'), sessionId];
  const child = spawn(process.execPath, args, {
    env: { ...cleanEnv(), CLEW_HOME: homeB, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const copies = (): readonly string[] => readdirSync(folder).filter((name) => name.startsWith('clew-store-'));
  // Nobody reads its output: the command waits with the copy on the disk.
  await new Promise((resolve) => child.stdout.once('readable', resolve));
  const [copy = ''] = copies();
  assert.equal(statSync(path.join(folder, copy)).mode & 0o777, 0o700);
  const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
  child.kill('SIGTERM');
  assert.equal(await ended, 'SIGTERM');
  assert.deepEqual(copies(), []);
});

test(
  "another person's text is shown after the reading was announced, without its secrets",
  { skip: noPostgres },
  async (context) => {
    const { run, sessionId, store } = await machines(context, 4);
    const readings = (): string => store.server.run('SELECT reader, action, session_id FROM clew.readings ORDER BY id');
    assert.equal(run(['cat', sessionId], { person: 'bob' }).status, 2);
    assert.equal(readings(), '');
    const { status, stdout, stderr } = run(['cat', sessionId, '--person', 'ada'], { person: 'bob' });
    assert.equal(status, 0, stderr);
    assert.ok(stdout.includes('sessionId'));
    assert.equal(stdout.includes(secret), false);
    assert.match(readings(), new RegExp(`^\\S+\\|cat\\|${sessionId}\\n$`));
    assert.equal(run(['cat', sessionId]).status, 0);
    assert.equal(readings().split('\n').length, 2, 'readings of own text are not announced');
  },
);

test('below the level of text there is nothing to show', { skip: noPostgres }, async (context) => {
  const { run, sessionId, rootB } = await machines(context, 2);
  for (const args of [
    ['show', sessionId],
    ['restore', sessionId, '--to-root', rootB],
  ]) {
    const { status, stderr } = run(args);
    assert.equal(status, 3);
    assert.match(stderr, /the store has no text of session .*level of text/);
  }
});
