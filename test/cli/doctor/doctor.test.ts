// clew doctor as a user calls it: what it prints, how it ends, and what it refuses.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { isObject, parseJson } from '../../../src/base/json/json.ts';
import { jsonOf, runClew } from '../../support/clew.ts';
import { assistant, sessionText, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { transcript } from '../../support/transcript-builder.ts';

const broken = transcript()
  .user('where were we?')
  .assistant('here')
  .after(60_000)
  .user('and now', { parentUuid: 'never-written' })
  .assistant('there');

test('a broken session is explained: how much is loaded, where it breaks, what repairs it', (context) => {
  const folder = temporaryFolder(context);
  broken.write(path.join(folder, '11111111-1111-4111-a111-111111111111.jsonl'));
  const { status, stdout, stderr } = runClew([
    'doctor',
    path.join(folder, '11111111-1111-4111-a111-111111111111.jsonl'),
  ]);
  assert.deepEqual([status, stderr], [1, '']);
  assert.equal(
    stdout,
    `where were we?
11111111-1111-4111-a111-111111111111

✗ A resume loses a part of it (1 loss)

A resume loads 2 of its 4 entries; so do clients up to 2.1.45.

  ░░░░░░░░░░░░ 2 entries not loaded, lines 1–2
  ╳            the chain breaks here
  ████████████ 2 entries loaded, lines 3–4

LOSS G-phantom-parent, line 3
  · the parent of a line was never written: its parent never-written is not in
    the file
  → a resume begins here: it loads 2 of 4 entries
  + hang the line on the one before it in the same conversation

\`clew doctor 11111111 --fix\` repairs it; \`clew show 11111111\` shows all of it
`,
  );
});

test('--fix asks first; with --yes it writes a new session, looks again, and undo takes it back', (context) => {
  const root = temporaryFolder(context);
  const file = path.join(root, 'projects/-w-p/11111111-1111-4111-a111-111111111111.jsonl');
  mkdirSync(path.dirname(file), { recursive: true });
  broken.write(file);
  const before = readFileSync(file);
  const env = { CLEW_HOME: path.join(root, 'state') };
  const fix = (...flags: string[]): ReturnType<typeof runClew> =>
    runClew(['doctor', '1111', '--fix', '--root', root, ...flags], { env });
  assert.deepEqual(fix(), {
    status: 3,
    stdout: '',
    stderr: 'clew: confirmation required: add `--yes`; use `--dry-run` to look first\n',
  });
  assert.match(
    fix('--dry-run').stdout,
    /^would fix 11111111 .*\n.*\n {2}resuming restores all 4 messages \(before: 2 of 4\)/,
  );
  assert.deepEqual(readdirSync(path.dirname(file)).length, 1);
  const done = parseJson(fix('--yes', '--json').stdout);
  assert.ok(isObject(done) && isObject(done.written) && isObject(done.after));
  assert.deepEqual(done.after, { reachable: { loaded: 4, of: 4 }, findings: [] });
  assert.deepEqual(readFileSync(file), before);
  assert.equal(runClew(['doctor', String(done.written.path)], { env }).status, 0);
  assert.equal(fix('--yes', '--in-place').status, 0);
  assert.equal(runClew(['doctor', file], { env }).status, 0);
  assert.match(fix('--yes').stdout, /^there is nothing in the file to repair/);
  for (let i = 0; i < 2; i++) assert.equal(runClew(['undo'], { env }).status, 0);
  assert.deepEqual(readFileSync(file), before);
  assert.deepEqual(readdirSync(path.dirname(file)).length, 1);
});

test('--fix names its strategies where there is newer work on another branch', (context) => {
  const root = temporaryFolder(context);
  const file = path.join(root, 'projects/-w-p/11111111-1111-4111-a111-111111111111.jsonl');
  mkdirSync(path.dirname(file), { recursive: true });
  transcript()
    .user('one')
    .assistant('two')
    .user('three')
    .assistant('four')
    .from('a1')
    .user('newer')
    .assistant('work')
    .lastPrompt('a2')
    .write(file);
  const env = { CLEW_HOME: path.join(root, 'state') };
  const { stdout } = runClew(['doctor', file, '--fix', '--dry-run'], { env });
  assert.match(
    stdout,
    /^There is newer work on another branch; --strategy chooses:\n {2}bridge .*\n {2}newest .*\n▸ graft {4}6 of 6 entries/,
  );
  assert.equal(runClew(['doctor', file, '--fix', '--strategy', 'guess'], { env }).status, 2);
});

test('a sound session ends with 0, also where there is something to know', (context) => {
  const folder = temporaryFolder(context);
  writeTree(folder, { 'a.jsonl': `\ufeff${sessionText([user('go'), assistant('gone')], { sessionId: 'a' })}` });
  const { status, stdout } = runClew(['doctor', path.join(folder, 'a.jsonl')]);
  assert.equal(status, 0);
  assert.match(stdout, /✓ Nothing is lost \(1 note\)/);
  assert.match(stdout, /INFO L-bom, line 1/);
});

test('--all lists the sessions with findings, worst first, and counts the classes', (context) => {
  const root = temporaryFolder(context);
  broken.write(path.join(root, 'projects/p/11111111-1111-4111-a111-111111111111.jsonl'));
  writeTree(root, {
    'projects/p/fine.jsonl': sessionText([user('go'), assistant('gone')], { sessionId: 'fine' }),
    'projects/p/open.jsonl': sessionText([user('go'), assistant('gone')], { sessionId: 'open' }).trimEnd(),
    'projects/p/notes.txt': 'no session',
  });
  const { status, stdout, stderr } = runClew(['doctor', '--all', '--root', root]);
  assert.deepEqual([status, stderr], [1, '']);
  assert.equal(
    stdout,
    `WORST  LOADED  SESSION   FINDINGS          PROJECT
loss      2/4  11111111  G-phantom-parent  p
warn      2/2  open      L-no-newline      p

FOUND  SESSIONS  CLASS             WHAT IT IS
    1         1  G-phantom-parent  the parent of a line was never written
    1         1  L-no-newline      the last line has no newline

3 sessions, 1 of them loses something or cannot be continued; \`clew doctor
11111111\` explains the first
`,
  );
});

test('what a transcript says cannot steer the terminal', (context) => {
  const folder = temporaryFolder(context);
  const hostile = transcript()
    .user('a\u001b]0;x\u0007')
    .assistant('b')
    .after(60_000)
    .user('c', { parentUuid: '\u001b[2J' });
  hostile.write(path.join(folder, 's.jsonl'));
  for (const columns of ['20', '80']) {
    const { stdout } = runClew(['doctor', path.join(folder, 's.jsonl')], { env: { COLUMNS: columns } });
    assert.doesNotMatch(stdout, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  }
});

test('an empty file is named for what it is', (context) => {
  const folder = temporaryFolder(context);
  writeTree(folder, { 'zero.jsonl': '' });
  const found = jsonOf(['doctor', path.join(folder, 'zero.jsonl'), '--json']);
  assert.ok(isObject(found));
  assert.deepEqual(found.reachable, { loaded: 0, of: 0 });
  assert.match(runClew(['doctor', path.join(folder, 'zero.jsonl')]).stdout, /There is no conversation in it/);
});

test('a call without a session, and with both, is refused with what to do', () => {
  const refused = (args: readonly string[]): unknown[] => {
    const { status, stdout, stderr } = runClew(args);
    return [status, stdout, stderr];
  };
  assert.deepEqual(refused(['doctor']), [
    2,
    '',
    'clew: doctor needs a SESSION, --all or --client; run `clew doctor --help`\n',
  ]);
  assert.deepEqual(refused(['doctor', 'x', '--all']), [
    2,
    '',
    'clew: --all looks at every session; give either a SESSION or --all\n',
  ]);
});

test('a session that the client compacts first is sound, and the report says what is left of it', (context) => {
  const folder = temporaryFolder(context);
  const file = path.join(folder, '11111111-1111-4111-a111-111111111111.jsonl');
  const usage = { input_tokens: 170_000, output_tokens: 0 };
  transcript()
    .user('go')
    .assistant('gone', { message: { model: 'claude-opus-4-6', usage } })
    .write(file);
  const { status, stdout } = runClew(['doctor', file]);
  assert.equal(status, 0);
  assert.match(
    stdout.replaceAll(/\s+/g, ' '),
    /The client will compact it first \(about 172,400 tokens, over its limit of 167,000\): what is left is a summary in its own words, the last answer and the prompt\./,
  );
});
