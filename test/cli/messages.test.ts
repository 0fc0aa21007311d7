// clew messages: the request as JSON, and exit code 3 where the client would refuse the file. Whether the messages are
// the right ones is tested against recordings of the client in test/interop and beside src/session/resume.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json.ts';
import { jsonOf, runClew } from '../support/clew.ts';
import { assistant, sessionText, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

test('it prints an array of messages, one a line, with the prompt where there is one', (context) => {
  const folder = temporaryFolder(context);
  const file = path.join(folder, 's.jsonl');
  writeTree(folder, { 's.jsonl': sessionText([user('go'), assistant('Gone.')]) });
  const history = [
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Gone.' }] },
  ];
  const blocks = (value: unknown) =>
    (value as readonly JsonObject[]).map(({ role, content }) => ({
      role,
      content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    }));
  assert.deepEqual(blocks(jsonOf(['messages', file])), history);
  assert.deepEqual(blocks(jsonOf(['messages', file, '--prompt', 'and back'])).at(-1)?.role, 'user');
  assert.match(JSON.stringify(jsonOf(['messages', file, '--prompt', 'and back'])), /"and back"/);
  const lines = runClew(['messages', file]).stdout.split('\n');
  assert.deepEqual([lines[0], lines.at(-2), lines.at(-1), lines.length], ['[', ']', '', 5]);
  assert.deepEqual(JSON.parse(String(lines[2])).role, 'assistant');
});

test('a file that the client would refuse is exit code 3, with the reason and nothing on stdout', (context) => {
  const folder = temporaryFolder(context);
  writeTree(folder, {
    'empty.jsonl': '',
    'notes.jsonl': '{"type":"summary","summary":"s","leafUuid":"x"}\n',
  });
  const refused = (name: string, next: string) => ({
    status: 3,
    stdout: '',
    stderr: `clew: Claude Code would refuse ${path.join(folder, name)}: No conversation found: the file holds no message of a main conversation; ${next}\n`,
  });
  assert.deepEqual(
    runClew(['messages', path.join(folder, 'empty.jsonl')]),
    refused('empty.jsonl', 'run `clew ls` for the others'),
  );
  assert.deepEqual(
    runClew(['messages', path.join(folder, 'notes.jsonl')]),
    refused('notes.jsonl', '`clew show` reads what is in it'),
  );
});

test('a bad SESSION and a file of another program are exit code 2', (context) => {
  const folder = temporaryFolder(context);
  writeTree(folder, { 'qwen.jsonl': '{"type":"user","uuid":"a","message":{"role":"user","parts":[{"text":"hi"}]}}\n' });
  for (const argument of ['nope', './nope.jsonl', folder, path.join(folder, 'qwen.jsonl')]) {
    const { status, stdout, stderr } = runClew(['messages', argument], { cwd: folder });
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^clew: [^\n]+; [^\n]+\n$/);
  }
});
