import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Ending, joinLine, splitLine } from '../../../../src/library/archive/pack/pieces.ts';
import { fuzzRuns } from '../../../support/fuzz-runs.ts';
import { recordedFiles } from '../../../support/transcripts.ts';

const [a = '', b = '', c = '', d = ''] = ['a', 'b', 'c', 'd'].map(
  (digit) => `${digit.repeat(8)}-1111-4111-8111-${digit.repeat(12)}`,
);

test('any bytes come back as they are', () => {
  const marks = fc.constantFrom('ÿ', 'þ', '}\n', '\n', `"${a}"`, `${a}${b}`, '","messageUuid":"', fork(a, b));
  const texts = fc.array(fc.oneof(marks, fc.string({ unit: 'binary' })), { maxLength: 8 });
  const lines = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    texts.map((parts) => Buffer.from(parts.join(''), 'latin1')),
    texts.map((parts) => Buffer.from(parts.join(''))),
  );
  fc.assert(
    fc.property(lines, (line) => roundTrip(line).equals(line)),
    { numRuns: 300 },
  );
});

test('every line of the recordings comes back as it is', () => {
  for (const file of recordedFiles()) {
    for (const line of readFileSync(file, 'latin1').split(/(?<=\n)/)) {
      assert.equal(roundTrip(Buffer.from(line, 'latin1')).toString('latin1'), line);
    }
  }
});

test('the ids of a line are taken out, wherever they are', () => {
  const line = `{"parentUuid":"${a}","message":"${'x'.repeat(9000)}","uuid":"${b}","toolUseResult":"${'y'.repeat(9000)}"}\n`;
  assert.deepEqual(textOf(splitLine(Buffer.from(line))), {
    body: `{"parentUuid":"ÿ","message":"${'x'.repeat(9000)}","uuid":"ÿ","toolUseResult":"${'y'.repeat(9000)}"`,
    ending: 1,
    ids: [a, b],
  });
});

test('a line and its copies in both kinds of forks have one body', () => {
  const original = splitLine(Buffer.from(`{"parentUuid":"${a}","sessionId":"${b}","uuid":"${c}"}\n`));
  const forked = splitLine(Buffer.from(`{"parentUuid":"${a}","sessionId":"${d}","uuid":"${c}"}\n`));
  const bySdk = splitLine(Buffer.from(`{"parentUuid":"${c}","sessionId":"${d}","uuid":"${a}"${fork(b, c)}`));
  assert.deepEqual(
    [textOf(forked), textOf(bySdk)],
    [
      { ...textOf(original), ids: [a, d, c] },
      { ...textOf(original), ending: 2, ids: [c, d, a, b, c] },
    ],
  );
});

test('a line with the mark itself is kept whole', () => {
  const line = Buffer.concat([Buffer.from(`{"a":"${a}`), Buffer.from([0xff]), Buffer.from('"}\n')]);
  assert.deepEqual(splitLine(line), { body: Buffer.concat([Buffer.from([0xfe]), line]), ending: 0, ids: [] });
});

function roundTrip(line: Buffer): Buffer {
  const { body, ending, ids } = splitLine(line);
  const left = [...ids];
  const joined = joinLine(body, ending, () => left.shift() ?? 'missing');
  assert.deepEqual(left, []);
  return joined;
}

function textOf(parts: { readonly body: Buffer; readonly ending: Ending; readonly ids: readonly string[] }): object {
  return { ...parts, body: parts.body.toString('latin1') };
}

function fork(sessionId: string | undefined, messageUuid: string | undefined): string {
  return `,"forkedFrom":{"sessionId":"${sessionId}","messageUuid":"${messageUuid}"}}\n`;
}

test('ids are found like a regular expression finds them, from left to right', () => {
  const half = a.slice(0, 18);
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    [`${a}${b}`, 'ÿÿ', [a, b]],
    [`-${a}-${b}-`, '-ÿ-ÿ-', [a, b]],
    [`f${a}f`, 'fÿf', [a]],
    [`${half}-${a}`, `${half}-ÿ`, [a]],
    [a.toUpperCase(), a.toUpperCase(), []],
    [a.slice(0, -1), a.slice(0, -1), []],
    [a.slice(1), a.slice(1), []],
    [a.replace('-', '_'), a.replace('-', '_'), []],
    [`${a.slice(0, 35)}g`, `${a.slice(0, 35)}g`, []],
    ['--------------------------------------------', '--------------------------------------------', []],
  ];
  for (const [text, body, ids] of cases)
    assert.deepEqual(textOf(splitLine(Buffer.from(text))), { body, ending: 0, ids });
});

test('ids in any text are those of the regular expression', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 3, maxLength: 13 });
  const anyId = fc.constantFrom(a, b, c);
  const piece = fc.oneof(anyId, digits, fc.constantFrom('-', '-', 'g', '"', 'A'), fc.constant('1234-1234-1234-'));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      const wanted = text.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g) ?? [];
      assert.deepEqual(splitLine(Buffer.from(text)).ids, wanted);
    }),
    { numRuns: fuzzRuns(20_000) },
  );
});
