import assert from 'node:assert/strict';
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { type LineOptions, readLineBatches } from '../../src/store/lines.ts';
import { fuzzRuns } from '../support/fuzz-runs.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

/** A line with its bytes as Latin-1 text, one character a byte. */
interface Seen {
  readonly number: number;
  readonly offset: number;
  readonly length: number;
  readonly text: string;
  readonly terminated: boolean;
}

function seen(file: string, options?: LineOptions): Seen[] {
  return [...seenLazily(file, options)];
}

/** Copies while the batch is good. */
function* seenLazily(file: string, options?: LineOptions): Generator<Seen> {
  for (const batch of readLineBatches(file, options)) {
    for (const { number, offset, length, bytes, terminated } of batch) {
      yield { number, offset, length, text: bytes.toString('latin1'), terminated };
    }
  }
}

/** What a reader without chunks would say. */
function expected(content: string, { chunkBytes = 1 << 20, maxLineBytes = 1 << 28 }: LineOptions = {}): Seen[] {
  const pieces = content.split('\n');
  let offset = 0;
  const lines = pieces.map((piece, index) => {
    const isHeadOnly = piece.length > maxLineBytes && piece.length >= chunkBytes;
    const line = {
      number: index + 1,
      offset,
      length: piece.length,
      text: isHeadOnly ? piece.slice(0, chunkBytes) : piece,
      terminated: index < pieces.length - 1,
    };
    offset += piece.length + 1;
    return line;
  });
  return lines.at(-1)?.length === 0 ? lines.slice(0, -1) : lines;
}

function temporaryFile(context: Parameters<typeof temporaryFolder>[0], content = ''): string {
  const file = path.join(temporaryFolder(context), 'f.jsonl');
  writeFileSync(file, content, 'latin1');
  return file;
}

const bytes = fc.string({ unit: fc.constantFrom('\n', '\n', 'a', 'b', '\r', '\0', '\xff', '{', '"'), maxLength: 120 });

test('a line has its number, offset, length and bytes, blank ones and carriage returns included', (context) => {
  const file = temporaryFile(context, '{"a":1}\r\n\n \nlast');
  assert.deepEqual(seen(file), [
    { number: 1, offset: 0, length: 8, text: '{"a":1}\r', terminated: true },
    { number: 2, offset: 9, length: 0, text: '', terminated: true },
    { number: 3, offset: 10, length: 1, text: ' ', terminated: true },
    { number: 4, offset: 12, length: 4, text: 'last', terminated: false },
  ]);
});

test('an empty file has no line, a lone newline is one blank line', (context) => {
  assert.deepEqual(seen(temporaryFile(context)), []);
  assert.deepEqual(seen(temporaryFile(context, '\n')), [
    { number: 1, offset: 0, length: 0, text: '', terminated: true },
  ]);
});

test('a line longer than the chunk is whole, wherever it is in the file', (context) => {
  const long = 'x'.repeat(50);
  for (const content of [`${long}\nb\n`, `a\n${long}\nb`, `a\n${long}`, `${long}\n${long}\n`, `a\n${long}\n`, long]) {
    const file = temporaryFile(context, content);
    for (let chunkBytes = 1; chunkBytes <= 60; chunkBytes++) {
      assert.deepEqual(seen(file, { chunkBytes }), expected(content), `${content} in chunks of ${chunkBytes}`);
    }
  }
});

test('only the head of a line that is too long to hold is returned, and reading continues after the line', (context) => {
  const options = { chunkBytes: 4, maxLineBytes: 10 };
  const long = '0123456789x';
  assert.deepEqual(seen(temporaryFile(context, `a\n${long}\nb\n`), options), [
    { number: 1, offset: 0, length: 1, text: 'a', terminated: true },
    { number: 2, offset: 2, length: 11, text: '0123', terminated: true },
    { number: 3, offset: 14, length: 1, text: 'b', terminated: true },
  ]);
  const last = { number: 1, offset: 0, length: 11, text: '0123', terminated: false };
  assert.deepEqual(seen(temporaryFile(context, long), options), [last]);
  assert.deepEqual(seen(temporaryFile(context, `${long}\n`), options), [{ ...last, terminated: true }]);
  assert.deepEqual(seen(temporaryFile(context, '0123456789'), options), [
    { number: 1, offset: 0, length: 10, text: '0123456789', terminated: false },
  ]);
});

test('whatever the bytes and the chunks, the lines are those of the file', (context) => {
  const file = temporaryFile(context);
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 60 }), (content, chunk, max) => {
      writeFileSync(file, content, 'latin1');
      const options = { chunkBytes: chunk, maxLineBytes: max };
      assert.deepEqual(seen(file, options), expected(content, options));
      const whole = seen(file, { chunkBytes: chunk });
      assert.equal(whole.map(({ text, terminated }) => (terminated ? `${text}\n` : text)).join(''), content);
    }),
    { numRuns: fuzzRuns(1000) },
  );
});

test('reading from a line on gives the rest of the lines', (context) => {
  const content = 'one\n\nthree is longer\nfour';
  const file = temporaryFile(context, content);
  const all = expected(content);
  for (const { number, offset } of all) {
    assert.deepEqual(seen(file, { from: { number, offset }, chunkBytes: 5 }), all.slice(number - 1));
  }
  assert.deepEqual(seen(file, { from: { number: 9, offset: 900 } }), []);
});

test('reading to an end gives the lines of the file cut there', (context) => {
  const file = temporaryFile(context);
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 40 }), fc.nat(130), fc.nat(60), (content, chunkBytes, end, max) => {
      writeFileSync(file, content, 'latin1');
      const options = { chunkBytes, maxLineBytes: max };
      assert.deepEqual(seen(file, { ...options, endOffset: end }), expected(content.slice(0, end), options));
    }),
    { numRuns: fuzzRuns(1000) },
  );
});

test('readers inside readers, finished or abandoned, do not disturb one another', (context) => {
  const contents = ['a1\na2\na3\na4\na5', 'b1\nb2\nb3\nb4\n', 'c1\nc2\nc3'];
  const [a = '', b = '', c = ''] = contents.map((content) => temporaryFile(context, content));
  const options = { chunkBytes: 6 };
  const outer: Seen[] = [];
  for (const line of seenLazily(a, options)) {
    outer.push(line);
    const inner: Seen[] = [];
    for (const innerLine of seenLazily(b, options)) {
      inner.push(innerLine);
      for (const _abandoned of seenLazily(c, options)) break;
    }
    assert.deepEqual(inner, expected(contents[1] ?? ''));
  }
  assert.deepEqual(outer, expected(contents[0] ?? ''));
});

test('a batch stays good while other readers come and go', (context) => {
  const a = temporaryFile(context, 'aaa\naaa\naaa\n');
  const b = temporaryFile(context, 'bbb\nbbb\nbbb\n');
  seen(b, { chunkBytes: 8 });
  for (const batch of readLineBatches(a, { chunkBytes: 8 })) {
    seen(b, { chunkBytes: 8 });
    assert.deepEqual(new Set(batch.map((line) => line.bytes.toString())), new Set(['aaa']));
  }
});

test('what is appended while a file is read is read too, up to the first line without newline', (context) => {
  const file = temporaryFile(context, 'one\ntwo\n');
  const reader = seenLazily(file, { chunkBytes: 4 });
  const lines = [reader.next().value];
  appendFileSync(file, 'three\nfo');
  lines.push(...reader);
  assert.deepEqual(lines, expected('one\ntwo\nthree\nfo'));
});

test('a line without a newline is the last one, even if the file grows after it', (context) => {
  for (const options of [{ chunkBytes: 64 }, { chunkBytes: 4 }, { chunkBytes: 4, maxLineBytes: 5 }]) {
    const file = temporaryFile(context, 'one\nunfinished');
    const lines: Seen[] = [];
    for (const line of seenLazily(file, options)) {
      lines.push(line);
      if (!line.terminated) appendFileSync(file, ' line\nnext\n');
    }
    assert.deepEqual(lines, expected('one\nunfinished', options));
  }
});

test('a file cut while it is read ends there', (context) => {
  const file = temporaryFile(context, `one\n${'x'.repeat(20)}\nthree\n`);
  const reader = seenLazily(file, { chunkBytes: 4 });
  const first = reader.next().value;
  truncateSync(file, 14);
  assert.deepEqual([first, ...reader], expected(`one\n${'x'.repeat(10)}`));
});

test('a file that is not there is an error of the disk', (context) => {
  const missing = path.join(temporaryFolder(context), 'missing.jsonl');
  assert.throws(() => [...readLineBatches(missing)], { code: 'ENOENT' });
});
