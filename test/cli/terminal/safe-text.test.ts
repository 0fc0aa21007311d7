import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { safeText, writeOut, writeText } from '../../../src/cli/terminal/output.ts';
import { createMarkedStyle, createStyle } from '../../../src/cli/terminal/style.ts';

const clipboard = '\x1b]52;c;ZXZpbA==\x07';

test('the colours of a marked style get through, the same colours in a file name do not', () => {
  const style = createMarkedStyle(true);
  assert.equal(safeText(`${style.red(`a${clipboard}b\x1b[31mc`)} \x1b[1;31md`, style), '\x1b[31mabc\x1b[39m d');
});

test('without a style nothing that steers a terminal gets through', () => {
  const text = `${createStyle(true).red('x')}\x1b[2J${clipboard}\x9b31m\u202e\r\x07`;
  assert.equal(safeText(text), 'x‹U+202E›\n␇');
  assert.equal(safeText(text, createMarkedStyle(false)), 'x‹U+202E›\n␇');
});

test('two styles have different marks', () => {
  const [one, other] = [createMarkedStyle(true), createMarkedStyle(true)];
  assert.equal(safeText(one.red('x'), other), 'x');
});

test('writeOut and writeText make text safe, and leave bytes as they are in a pipe', async () => {
  const style = createMarkedStyle(true);
  assert.equal(await written(false, style.bold('a') + clipboard), '\x1b[1ma\x1b[22m');
  assert.equal(await written(false, Buffer.from(`a${clipboard}`)), `a${clipboard}`);
  assert.equal(await written(true, Buffer.from(`a${clipboard}`)), 'a');
  const parts: string[] = [];
  writeText(collector(parts), `question ${clipboard}`);
  assert.deepEqual(parts, ['question ']);

  async function written(isTTY: boolean, chunk: string | Buffer): Promise<string> {
    const pieces: string[] = [];
    await writeOut([chunk], { env: {}, stdout: Object.assign(collector(pieces), { isTTY }), style });
    return pieces.join('');
  }
});

test('a character that two chunks of bytes share reaches a terminal whole', async () => {
  const pieces: string[] = [];
  const bytes = Buffer.from('é');
  const stdout = Object.assign(collector(pieces), { isTTY: true });
  await writeOut([bytes.subarray(0, 1), bytes.subarray(1)], { env: {}, stdout });
  assert.equal(pieces.join(''), 'é');
});

function collector(pieces: string[]): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      if (chunk.length > 0) pieces.push(chunk.toString());
      done();
    },
  });
}
