// The programs of examples/ run on the demo sessions and print what is written here by hand.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { dist } from './support/dist.ts';
import { projectRoot } from './support/paths.ts';
import { temporaryFolder } from './support/temp-folder.ts';

const demo = path.join(projectRoot, 'demo');
const soup = 'projects/-home-ada-recipes/8f1e8572-039f-44b0-89fa-1bf77d576419.jsonl';

test('list-sessions lists every session with its cost', () => {
  assert.deepEqual(run('list-sessions', [demo]), {
    status: 0,
    stderr: '',
    lines: [
      '463b11e7  $0.24  2 turns  Find out why the build is slow',
      'b8f420a0  $0.26  2 turns  Draw the lighthouse logo as SVG',
      'b9147db8  $0.18  4 turns  dark mode for harbour',
      'e45ab231  $0.12  2 turns  Keep accented letters in page addresses',
      '8f1e8572  $0.08  2 turns  ありがとう！わかめは先に戻すの？',
    ],
  });
});

test('print-turns prints prompts, calls and tokens', () => {
  assert.deepEqual(run('print-turns', ['e45ab231', demo]), {
    status: 0,
    stderr: '',
    lines: [
      'turn 1: "Über uns.md" ends up at /ber-uns/, but every old link says /uber-uns/. can you fix slugify? its test is next door',
      ...['  Read', '  Read', '  Edit', '  Edit', '  Bash failed', '  Edit', '  Edit', '  Bash'],
      '  730 output tokens',
      'turn 2: lovely. does any page that is already live change its address?',
      '  Bash',
      '  145 output tokens',
    ],
  });
});

test('predict-resume prints the messages that a resume sends', () => {
  assert.deepEqual(run('predict-resume', ['8f1e8572', 'thanks', demo]), {
    status: 0,
    stderr: '',
    lines: [
      ...['user text', 'assistant text tool_use', 'user tool_result', 'assistant tool_use', 'user tool_result'],
      ...['assistant text', 'user text', 'assistant text', 'user text'],
      'claude-sonnet-4-5-20250929: 9 messages, 0 rules of the API broken',
    ],
  });
});

test('check-all finds nothing in the demo sessions and exits with 0', () => {
  assert.deepEqual(run('check-all', [demo]), {
    status: 0,
    stderr: '',
    lines: [
      '463b11e7  a resume loads 15 of 15 entries',
      'b8f420a0  a resume loads 20 of 20 entries',
      'b9147db8  a resume loads 17 of 17 entries',
      'e45ab231  a resume loads 25 of 25 entries',
      '8f1e8572  a resume loads 9 of 9 entries',
      '0 of 5 sessions are damaged',
    ],
  });
});

test('check-all exits with 1 if a session has lost a line in the middle', (t) => {
  const root = copyDemo(t, (text) => text.split('\n').toSpliced(6, 1).join('\n'));
  const { status, stderr, lines } = run('check-all', [root]);
  assert.deepEqual(
    { status, stderr, last: lines.at(-1) },
    { status: 1, stderr: '', last: '1 of 5 sessions are damaged' },
  );
});

test('export-redacted writes Markdown with placeholders for secrets', (t) => {
  const secret = ['ghp', '16C7e42F292c6912E7710c838347Ae178B4a'].join('_');
  const root = copyDemo(t, (text) => text.replaceAll('4人分に直しました。', `4人分に直しました。token: ${secret}`));
  const { status, stderr, lines } = run('export-redacted', ['8f1e8572', root]);
  assert.deepEqual(
    { status, stderr, title: lines[0], isGone: !lines.join('\n').includes(secret) },
    {
      status: 0,
      stderr: 'replaced 1 of kind github-token\n',
      title: '# ありがとう！わかめは先に戻すの？',
      isGone: true,
    },
  );
  assert.match(lines.join('\n'), /^4人分に直しました。token: \S*github/m);
});

test('every example is under 40 lines and has a test here', () => {
  const files = readdirSync(path.join(projectRoot, 'examples')).filter((file) => file.endsWith('.ts'));
  assert.deepEqual(files.sort(), [
    'check-all.ts',
    'export-redacted.ts',
    'list-sessions.ts',
    'predict-resume.ts',
    'print-turns.ts',
  ]);
  for (const file of files) {
    const lines = readFileSync(path.join(projectRoot, 'examples', file), 'utf8').split('\n').length;
    assert.ok(lines < 40, `${file} has ${lines} lines`);
  }
});

/** Runs the compiled example; its `import … from 'clew'` loads dist/. */
function run(name: string, args: readonly string[]): { status: number | null; stderr: string; lines: string[] } {
  const file = path.join(projectRoot, 'build/examples', `${name}.js`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    cwd: path.dirname(dist),
    encoding: 'utf8',
  });
  return { status, stderr, lines: stdout.trimEnd().split('\n') };
}

/** The demo sessions, one of them changed. */
function copyDemo(t: TestContext, change: (text: string) => string): string {
  const root = temporaryFolder(t);
  cpSync(demo, root, { recursive: true });
  const file = path.join(root, soup);
  const text = readFileSync(file, 'utf8');
  const changed = change(text);
  assert.notEqual(changed, text);
  writeFileSync(file, changed);
  return root;
}
