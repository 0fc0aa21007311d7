// clew doctor as a user calls it: what it prints, how it ends, and what it refuses.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { isObject } from '../../src/base/json.ts';
import { jsonOf, runClew } from '../support/clew.ts';
import { assistant, sessionText, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { transcript } from '../support/transcript-builder.ts';

const broken = transcript()
  .user('where were we?')
  .assistant('here')
  .after(60_000)
  .user('and now', { parentUuid: 'never-written' })
  .assistant('there');

test('a broken session is explained: how much is loaded, where it breaks, what mends it', (context) => {
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

\`clew archive\` keeps a copy as it is; \`clew show 11111111\` reads all of it
`,
  );
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
  assert.deepEqual(refused(['doctor']), [2, '', 'clew: doctor needs a SESSION, or --all; run `clew doctor --help`\n']);
  assert.deepEqual(refused(['doctor', 'x', '--all']), [
    2,
    '',
    'clew: --all looks at every session; give either a SESSION or --all\n',
  ]);
});
