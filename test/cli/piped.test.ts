// In a pipe or a file, where nothing says how wide the reader's screen is, no line is cut: `clew ls | grep` finds what a
// session is called.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { runClew } from '../support/clew.ts';
import { assistant, sessionText, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

const title = `${'A long title that says what was done in this session, '.repeat(3)}to the last word`;
const folder = `/home/kim/${'a-folder-with-a-long-name/'.repeat(5)}end`;
const model = `claude-${'with-a-long-name-'.repeat(6)}1`;
const id = '11111111-1111-4111-8111-111111111111';

/** The others also print prose, which wraps, and names that stay whole. */
const tables: ReadonlySet<string> = new Set(['ls', 'stats', 'doctor --all', 'archive --list']);

test('without a terminal and COLUMNS nothing is cut; with COLUMNS lines keep to it', (context) => {
  const temp = temporaryFolder(context);
  const root = path.join(temp, 'claude');
  const slug = folder.replaceAll('/', '-');
  const lines = [
    user('go'),
    assistant('done', { message: { model, usage: { input_tokens: 1234567, output_tokens: 2 } } }),
    { type: 'custom-title', customTitle: title },
  ];
  writeTree(root, {
    [`projects/${slug}/${id}.jsonl`]: `${sessionText(lines, { sessionId: id, cwd: folder })}{"type":`,
  });
  const run = (args: readonly string[], columns: string): string =>
    runClew(args, { env: { CLEW_HOME: path.join(temp, 'state'), CLEW_ROOTS: root, COLUMNS: columns } }).stdout;
  run(['archive'], '');
  const wanted: readonly (readonly [string, readonly string[]])[] = [
    ['ls', [title, folder]],
    ['usage model', [model]],
    ['usage project', [folder]],
    ['stats', [model]],
    ['doctor --all', [slug]],
    ['archive --list', [slug]],
    [`show ${id}`, [title, folder]],
    [`doctor ${id}`, [title]],
    ['find done', [title, folder]],
  ];
  for (const [words, texts] of wanted) {
    const whole = run(words.split(' '), '');
    for (const text of texts) assert.ok(whole.includes(text), `${words} cuts ${text}:\n${whole}`);
    if (!tables.has(words)) continue;
    const narrow = run(words.split(' '), '60');
    assert.ok(Math.max(...narrow.split('\n').map((line) => line.length)) <= 60, `${words}:\n${narrow}`);
  }
});

test('a number keeps its unit at every width, or is left out', (context) => {
  const temp = temporaryFolder(context);
  const lines = sessionText([user('x'.repeat(560_000)), assistant('done')], { sessionId: id });
  writeTree(temp, { [`projects/-p/${id}.jsonl`]: lines });
  const env = { CLEW_HOME: path.join(temp, 'state'), CLEW_ROOTS: temp };
  for (let columns = 20; columns <= 90; columns++) {
    const { stdout } = runClew(['ls'], { env: { ...env, COLUMNS: String(columns) } });
    const size = /5\d\d\S*.{0,3}/.exec(stdout.split('\n')[1]?.replace(/\S{8}$/, '') ?? '')?.[0] ?? '';
    assert.match(size, /^$|^5\d\d KB/, `${columns}: ${stdout}`);
  }
});
