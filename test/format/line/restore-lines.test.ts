// Records that a reader of lines does not find, put together again: every line of the expected text is written by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restoreLines, utf16Of } from '../../../src/format/line/restore-lines.ts';

const a = '{"type":"user","uuid":"u1","message":{"content":"first words and more"}}';
const b = '{"type":"assistant","uuid":"a1","message":{"content":"to it"}}';
const [bytes, quoted] = [(text: string) => Buffer.from(text), (text: string) => JSON.stringify(text)];

/** Name, file, and the restored lines with the code of each and the line that it begins in; `undefined`: all is sound. */
const cases: readonly [string, Buffer, readonly (readonly [string, string | undefined, number])[] | undefined][] = [
  ['plain lines', bytes(`${a}\n${b}\n`), undefined],
  ['noise alone', bytes(`${a}\n<<<<<<< HEAD\n${b}\n`), undefined],
  ['a cut record alone', bytes(`${a}\n${b.slice(0, 30)}`), undefined],
  [
    'a newline inside a string',
    bytes(`${a.replace(' and', '\n and')}\n${b}\n`),
    [
      [a.replace(' and', '\\n and'), 'L-wrapped', 1],
      [b, undefined, 3],
    ],
  ],
  [
    'a newline between a backslash and its letter',
    bytes(`${a.replace('words', 'w\\\ntords')}\n`),
    [[a.replace('words', 'w\\tords'), 'L-wrapped', 1]],
  ],
  ['a newline inside an id', bytes(`${a.replace('u1', 'u\n1')}\n`), [[a, 'L-wrapped', 1]]],
  ['lines of a fixed width', bytes(`${a.match(/.{1,20}/g)?.join('\n')}\n`), [[a, 'L-wrapped', 1]]],
  [
    'a piece that is an object of its own',
    bytes('{"type":"user","uuid":"u1","i":\n{"command":"ls"}\n,"sessionId":"s"}\n'),
    [['{"type":"user","uuid":"u1","i":{"command":"ls"},"sessionId":"s"}', 'L-wrapped', 1]],
  ],
  [
    'lines of a fixed width that end in CR LF',
    bytes(`${a.match(/.{1,20}/g)?.join('\r\n')}\r\n`),
    [[a, 'L-wrapped', 1]],
  ],
  [
    'a record inside another one',
    bytes(`${a.slice(0, 50)}${b}\n${a.slice(50)}\n`),
    [
      [a, 'L-split', 1],
      [b, 'L-split', 1],
    ],
  ],
  [
    'a record on a line between the halves of another one',
    bytes(`${a.slice(0, 50)}\n${b}\n${a.slice(50)}\n`),
    [
      [a, 'L-split', 1],
      [b, undefined, 2],
    ],
  ],
  [
    'a quoted record',
    bytes(`${quoted(a)}\n${b}\n`),
    [
      [a, 'L-quoted', 1],
      [b, undefined, 2],
    ],
  ],
  ['a record quoted twice', bytes(`${quoted(quoted(a))}\n`), [[a, 'L-quoted', 1]]],
  [
    'two quoted records in one string',
    bytes(`${quoted(`${a}\n${b}\n`)}\n`),
    [
      [a, 'L-quoted', 1],
      [b, 'L-quoted', 1],
    ],
  ],
  ['a string that holds no record', bytes(`"just words"\n${b}\n`), undefined],
  ['a quoted object of another program', bytes(`${quoted('{"level":"info"}')}\n${b}\n`), undefined],
  [
    'UTF-16, little end first',
    Buffer.from(`${a}\n${b}\n`, 'utf16le'),
    [
      [a, 'L-utf16', 1],
      [b, 'L-utf16', 2],
    ],
  ],
  [
    'UTF-16 that begins with a comment',
    Buffer.from(`// a comment\n${a}\n`, 'utf16le'),
    [
      ['// a comment', 'L-utf16', 1],
      [a, 'L-utf16', 2],
    ],
  ],
  ['UTF-16 with a mark', Buffer.from(`\ufeff${a}\n`, 'utf16le'), [[a, 'L-utf16', 1]]],
  ['UTF-16, big end first', Buffer.from(`${a}\n`, 'utf16le').swap16(), [[a, 'L-utf16', 1]]],
  ['UTF-16, big end first, with a mark', Buffer.from(`\ufeff${a}\n`, 'utf16le').swap16(), [[a, 'L-utf16', 1]]],
  [
    'UTF-16 with characters beyond ASCII and a quoted record',
    Buffer.from(`${quoted(a.replace('first', 'größte 🧭'))}\n`, 'utf16le'),
    [[a.replace('first', 'größte 🧭'), 'L-quoted', 1]],
  ],
];

for (const [name, file, expected] of cases)
  test(`${name}: ${expected === undefined ? 'nothing is restored' : 'every record is restored'}`, () => {
    const restored = restoreLines(file)?.map((line) => [line.bytes.toString('utf8'), line.code, line.line]);
    assert.deepEqual(restored, expected);
  });

test('NUL bytes before a record are not UTF-16', () => {
  assert.equal(utf16Of(Buffer.concat([Buffer.alloc(16), Buffer.from(a)])), undefined);
});
