import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { type RecoveredLine, recoverRecords } from '../../../src/format/line/recover.ts';
import { corpusFolder } from '../../support/corpus.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';
import { randomFrom } from '../../support/json-text.ts';
import { filesBelow } from '../../support/paths.ts';

const user =
  '{"parentUuid":null,"sessionId":"s1","type":"user","message":{"role":"user","content":"a { b"},"uuid":"u1"}';
const answer =
  '{"type":"assistant","message":{"id":"m1","type":"message","role":"assistant","content":[{"type":"text","text":"say \\"hi\\": {}"}]},"uuid":"u2","sessionId":"s1"}';
const nested =
  '{"type":"progress","data":{"message":{"type":"user","message":{"role":"user","content":"x"},"uuid":"u3","timestamp":"t"},"normalizedMessages":[]},"uuid":"u4","sessionId":"s1"}';
const summary = '{"type":"summary","summary":"Work","leafUuid":"u2"}';

/** The texts of the records, and each damage as code and text. */
function seen(line: string): { records: string[]; damage: string[] } {
  const bytes = Buffer.from(line);
  const { records, damage } = recoverRecords(bytes);
  return {
    records: records.map(({ start, end }) => bytes.toString('utf8', start, end)),
    damage: damage.map(({ code, start, end }) => `${code} ${bytes.toString('utf8', start, end)}`),
  };
}

test('a whole object is one record without damage, whatever its keys', () => {
  for (const line of [user, answer, nested, summary, '{}', ' { "x" : 1 }\r', '{"x":\n1}']) {
    assert.deepEqual(seen(line), { records: [line.trim()], damage: [] });
  }
});

test('joined records are split, however they touch', () => {
  assert.deepEqual(seen(user + answer), { records: [user, answer], damage: ['L-joined '] });
  assert.deepEqual(seen(`${user} , ${answer}`), { records: [user, answer], damage: ['L-joined ,'] });
  assert.deepEqual(seen(`${user} {"x":1}{} `), {
    records: [user, '{"x":1}', '{}'],
    damage: ['L-joined  ', 'L-joined '],
  });
});

test('the record after a cut one is found, wherever the cut is', () => {
  for (const [cut, whole] of [
    [user, answer],
    [answer, user],
    [nested, summary],
    [summary, nested],
  ] as const) {
    for (let at = 1; at < cut.length; at++) {
      const fragment = cut.slice(0, at);
      assert.deepEqual(
        seen(fragment + whole),
        { records: [whole], damage: [`L-spliced ${fragment.trimEnd()}`] },
        fragment,
      );
    }
  }
});

test('records before and after a cut one are found', () => {
  const fragment = answer.slice(0, 120);
  assert.deepEqual(seen(summary + fragment + user + nested + fragment), {
    records: [summary, user, nested],
    damage: [`L-spliced ${fragment}`, 'L-joined ', `L-torn-tail ${fragment}`],
  });
});

test('a cut record alone holds no record, though whole objects are nested in it', () => {
  for (const line of [user, answer, nested, summary]) {
    for (let at = 1; at < line.length; at++) {
      const fragment = line.slice(0, at);
      assert.deepEqual(seen(fragment), { records: [], damage: [`L-torn-tail ${fragment.trimEnd()}`] }, fragment);
    }
  }
});

test('the rest of a line that lost its start holds no record', () => {
  for (const line of [user, answer, nested, summary]) {
    for (let at = 1; at < line.length; at++) assert.deepEqual(seen(line.slice(at)).records, [], line.slice(at));
  }
});

test('NUL runs and a byte-order mark are set aside', () => {
  assert.deepEqual(seen(`\0\0${user}`), { records: [user], damage: ['L-nul \0\0'] });
  assert.deepEqual(seen(`${user}\0 \0`), { records: [user], damage: ['L-nul \0 \0'] });
  assert.deepEqual(seen(`${user}\0${answer}`), { records: [user, answer], damage: ['L-nul \0'] });
  assert.deepEqual(seen(`{"type":"user","mess\0\0${answer}`), {
    records: [answer],
    damage: ['L-spliced {"type":"user","mess', 'L-nul \0\0'],
  });
  assert.deepEqual(seen(`\ufeff{"x":1}`), { records: ['{"x":1}'], damage: ['L-bom \ufeff'] });
  assert.deepEqual(seen('\0\0\0'), { records: [], damage: ['L-nul \0\0\0'] });
});

test('noise before and after a record is set aside', () => {
  assert.deepEqual(seen(`// header ${summary} // end`), {
    records: [summary],
    damage: ['L-not-json // header', 'L-not-json // end'],
  });
  assert.deepEqual(seen(`[INFO] wrote: ${user},`), {
    records: [user],
    damage: ['L-not-json [INFO] wrote:', 'L-not-json ,'],
  });
  assert.deepEqual(seen(`[${user}, ${answer}]`), {
    records: [user, answer],
    damage: ['L-not-json [', 'L-joined ,', 'L-not-json ]'],
  });
  assert.deepEqual(seen('// {"type":"x"}'), { records: ['{"type":"x"}'], damage: ['L-not-json //'] });
});

test('noise holds no record where nothing looks like one', () => {
  for (const line of [
    '<<<<<<< HEAD',
    '"text"',
    '[1,{"a":1}]',
    '// {"a":1}',
    '{"a":tru}',
    'log: {"type":"text"}',
    'x {} y',
  ]) {
    assert.deepEqual(seen(line), { records: [], damage: [`L-not-json ${line}`] });
  }
  assert.deepEqual(seen(' \r\n'), { records: [], damage: [] });
});

test('every byte is in a record, in a damage span, or white space, in order and without overlap', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      user,
      answer,
      nested,
      summary,
      '{',
      '}',
      '"',
      '{"',
      ',',
      ':',
      '[',
      '\\',
      '\0',
      '\ufeff',
      ' ',
      '\n',
      'x',
      '{}',
    ),
    fc.tuple(fc.constantFrom(user, answer, nested, summary), fc.nat(), fc.nat()).map(([line, from, to]) => {
      return line.slice(from % line.length, (from % line.length) + (to % line.length));
    }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const bytes = Buffer.from(pieces.join(''));
      const line = recoverRecords(bytes);
      assertCovers(bytes, line);
      for (const { start, end } of line.records) JSON.parse(bytes.toString('utf8', start, end));
    }),
    { numRuns: fuzzRuns(3000) },
  );
});

// The time limit is not a measurement: with work that grows with the square of the length these lines take far longer.
test('hostile lines of megabytes are gone through once', { timeout: 120_000 }, () => {
  const size = 1_000_000;
  for (const unit of [
    '{"',
    '{"a":',
    '{"a":[',
    '{"a":{"b":1},"c":',
    '{"a":"',
    '{',
    '{ ',
    '"',
    '\\"',
    '[{"type":"x","uuid":1},',
    'x{"type":1}}',
  ]) {
    const bytes = Buffer.alloc(size, unit);
    assert.deepEqual(recoverRecords(bytes).records, [], unit);
    const after = Buffer.concat([bytes, Buffer.from(`"\0${user}`)]);
    const { records } = recoverRecords(after);
    assert.deepEqual(records, [{ start: after.length - user.length, end: after.length }], unit);
  }
});

test('in real lines every joined and every spliced record is found, and no nested one', () => {
  const lines = realLines();
  const random = randomFrom(20);
  const pick = (): Buffer => lines[random(lines.length)] as Buffer;
  for (let round = 0; round < 5_000; round++) {
    const [first, second] = [pick(), pick()];
    const cut = 1 + random(first.length - 1);
    const joined = recoverRecords(Buffer.concat([first, second])).records;
    const end = first.length + second.length;
    assert.deepEqual(joined, [
      { start: 0, end: first.length },
      { start: first.length, end },
    ]);
    const spliced = Buffer.concat([first.subarray(0, cut), second]);
    const message = (): string => spliced.toString('utf8', 0, cut + 200);
    assert.deepEqual(recoverRecords(spliced).records, [{ start: cut, end: cut + second.length }], message());
    assert.deepEqual(recoverRecords(first.subarray(0, cut)).records, [], message());
    assert.deepEqual(recoverRecords(first.subarray(cut)).records, [], message());
  }
});

function realLines(): Buffer[] {
  const isMain = (file: string): boolean => /\/[0-9a-f-]{36}\.jsonl$/.test(file.replaceAll(path.sep, '/'));
  return filesBelow(path.join(corpusFolder, 'corpus/real'), '.jsonl')
    .filter(isMain)
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .filter((line) => line.startsWith('{') && line.endsWith('}') && line.length <= 20_000)
    .map((line) => Buffer.from(line));
}

function assertCovers(bytes: Buffer, { records, damage }: RecoveredLine): void {
  const spans = [...records, ...damage].sort((a, b) => a.start - b.start || a.end - b.end);
  let position = 0;
  for (const { start, end } of spans) {
    assert.ok(start >= position && end >= start, `overlap at ${start}`);
    assert.equal(bytes.toString('latin1', position, start).trim(), '');
    position = end;
  }
  assert.equal(bytes.toString('latin1', position).trim(), '');
}
