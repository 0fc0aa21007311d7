// Text in base64 and hex digits, as programs print it: which parts of a text say what, and what is only a word.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { encodedParts } from '../../../src/surgery/secrets/encoded-text.ts';
import { Placeholders } from '../../../src/surgery/secrets/placeholders.ts';
import { redactText } from '../../../src/surgery/secrets/redact-text.ts';
import { word } from './secret-table.ts';

const said = 'DB_USER=app\nDB_HOST=db.internal\nDB_NAME=main\nDB_PORT=5432\nDB_SCHEMA=public\n';

test('base64 is decoded in one line, in lines of one length, and where it is UTF-16', () => {
  const plain = Buffer.from(said).toString('base64');
  const lines = plain.replace(/.{64}/g, '$&\n');
  const indented = plain.replace(/.{64}/g, '$&\r\n    ');
  const wide = Buffer.from(said, 'utf16le').toString('base64');
  for (const encoded of [plain, lines, indented, wide]) {
    const text = `see: ${encoded} end`;
    assert.deepEqual(encodedParts(text), [{ start: 5, end: 5 + encoded.length, text: said }]);
  }
});

test('hex digits and hex dumps are decoded', () => {
  const hex = Buffer.from(said).toString('hex');
  assert.deepEqual(encodedParts(`x ${hex} y`), [{ start: 2, end: 2 + hex.length, text: said }]);
  const dump = [
    '00000000: 4442 5f50 4153 5357 4f52 443d 6b37 5271  DB_PASSWORD=k7Rq',
    '00000010: 326d 5a78 0a                             2mZx.',
  ].join('\n');
  const canonical = [
    '00000000  44 42 5f 50 41 53 53 57  4f 52 44 3d 6b 37 52 71  |DB_PASSWORD=k7Rq|',
    '00000010  32 6d 5a 78 0a                                    |2mZx.|',
    '00000015',
  ].join('\n');
  for (const text of [dump, canonical]) {
    const [part] = encodedParts(`$ cat\n${text}\n`);
    assert.equal(part?.text, 'DB_PASSWORD=k7Rq2mZx\n');
    const { text: redacted } = redactText(`$ cat\n${text}\nend`, new Placeholders());
    assert.ok(!redacted.includes('k7Rq') && !redacted.includes('6b37') && !redacted.includes('6b 37'), redacted);
    assert.ok(redacted.startsWith('$ cat\n[redacted:env-secret:1]') && redacted.endsWith('\nend'), redacted);
  }
});

test('words, paths, hashes and ids are not decoded', () => {
  const texts = [
    'src/surgery/secrets/encoded/text/index/reader/of/lines',
    'averyveryverylongwordwithoutanyspacesinitatall',
    '9f3a7c1e5b8d2046a1c3e5f7092b4d6812345678',
    'toolu_01k7Rq2mZx9TbX4vLc8NpW1s',
    '9f3a7c1e-5b8d-4046-a1c3-e5f7092b4d68',
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  ];
  assert.deepEqual(
    texts.flatMap((text) => encodedParts(text)),
    [],
  );
});

test('encoded text without a secret stays, and a known password is found in base64', () => {
  const state = new Placeholders();
  const harmless = Buffer.from(said).toString('base64');
  assert.equal(redactText(harmless, state).text, harmless);
  redactText(`DB_PASSWORD=${word(16)}`, state);
  const holds = Buffer.from(`user app, ${word(16)} and more`).toString('base64');
  assert.equal(redactText(`x: ${holds}`, state).text, 'x: [redacted:env-secret:1]');
  redactText('password: azdScTJtWng5VGJYNHZMYw==', state); // k7Rq2mZx9TbX4vLc
  assert.equal(redactText('it says k7Rq2mZx9TbX4vLc', state).text, 'it says [redacted:env-secret:1]');
});

test('what the programs of this machine print is decoded', (context) => {
  const commands = [['base64'], ['xxd'], ['hexdump', '-C'], ['xxd', '-p']] as const;
  let tried = 0;
  for (const [command, ...flags] of commands) {
    const { stdout, status } = spawnSync(command, flags, { input: said, encoding: 'utf8' });
    if (status !== 0) continue;
    tried++;
    assert.equal(
      encodedParts(stdout)
        .map(({ text }) => text.trimEnd())
        .join(''),
      said.trimEnd(),
      command,
    );
  }
  assert.ok(tried > 0, 'base64 is part of every system');
  context.diagnostic(`${tried} of ${commands.length} programs are installed`);
});
