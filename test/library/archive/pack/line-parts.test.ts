import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Ending, joinLine, splitLine } from '../../../../src/library/archive/pack/pieces.ts';
import { recordedFiles } from '../../../support/transcripts.ts';

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((digit) => `${digit.repeat(8)}-1111-4111-8111-${digit.repeat(12)}`);

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
