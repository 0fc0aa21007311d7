// The commands over real transcripts, those of the repository and, where they are present, a sample of the corpora.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { isObject, type JsonObject, type JsonValue, parseJson } from '../../src/base/json/json.ts';
import { displayWidth } from '../../src/base/text/terminal-text.ts';
import { jsonOf, runClew } from '../support/clew.ts';
import { corpusFiles, recordedFiles } from '../support/transcripts.ts';

/** One in so many of the corpora, because each is four processes. */
const step = process.env.CLEW_LONG === '1' ? 4 : 40;
const files = [
  ...recordedFiles().filter((file, i) => file.includes(`${path.sep}real${path.sep}`) && i % (step / 4) === 0),
  ...corpusFiles().filter((_, i) => i % step === 0),
];

test('show and show --json read every transcript, and agree with ls', () => {
  const rows = rowsByPath();
  for (const file of files) {
    const text = runClew(['show', file]);
    const json = runClew(['show', '--json', file]);
    if (text.status === 2) {
      assert.match(text.stderr, /^clew: \S+ (?:is empty|was written by|is not a transcript)[^\n]*; [^\n]+\n$/);
      assert.deepEqual(json, text);
      continue;
    }
    assert.deepEqual([file, text.status, text.stderr, json.status, json.stderr], [file, 0, '', 0, '']);
    const session = parseJson(json.stdout);
    assert.ok(isObject(session), file);
    const turns = (session.turns as readonly JsonValue[]).length;
    assert.equal((text.stdout.match(/^── \d+ ──/gm) ?? []).length, turns, file);
    const row = rows.get(file);
    if (row !== undefined)
      assert.deepEqual([file, row.turns, row.entries], [file, turns, (session.entries as JsonObject).total]);
  }
});

test('no line of a call, a rule or a header is wider than the terminal', () => {
  for (const file of files) {
    for (const columns of [80, 40]) {
      const { stdout } = runClew(['show', file], { env: { COLUMNS: String(columns) } });
      const ours = stdout.split('\n').filter((line) => /^ *[✓✗?─═↳■◆·⑂] /u.test(line));
      assert.deepEqual(
        ours.filter((line) => displayWidth(line) > columns && !/^ *✗ API/.test(line)),
        [],
        file,
      );
    }
  }
});

/** Every main transcript of these files as `ls` prints it, by asking for the folders above them. */
function rowsByPath(): ReadonlyMap<string, JsonObject> {
  const roots = [...new Set(files.map((file) => path.dirname(path.dirname(file))))];
  const rows = roots.flatMap((root) => jsonOf(['ls', '--json', '--root', root]) as readonly JsonObject[]);
  return new Map(rows.map((row) => [String(row.path), row]));
}
