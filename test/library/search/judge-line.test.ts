// What the bytes of a line say of its texts, against the decoded texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { judgeLine } from '../../../src/library/search/judge-line.ts';
import { textsOfLine } from '../../../src/library/text/text-extract.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

function verdictOf(line: string, needle: string): unknown {
  const pattern = new RegExp(needle.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return judgeLine(Buffer.from(line), { pattern, plain: Buffer.from(needle), needed: [] });
}

const text = (said: string): string => `{"type":"user","message":{"role":"user","content":"${said}"}}`;
const result = (said: string, more = ''): string =>
  `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"${said}"}]}${more}}`;
const none = new Set();

test('the only text of a line is judged by its bytes', () => {
  assert.equal(verdictOf(text('a lamp'), 'lamp'), 'only-text');
  assert.equal(verdictOf(result('a lamp'), 'lamp'), 'only-text');
  assert.deepEqual(verdictOf(result('nothing', ',"toolUseResult":{"stdout":"a lamp"}'), 'lamp'), none);
  assert.deepEqual(verdictOf(text('nothing').replace('"role"', '"lamp":1,"role"'), 'lamp'), none);
});

test('escapes are decoded before they are judged', () => {
  assert.deepEqual(verdictOf(text('a \\return new'), 'return new'), none);
  assert.deepEqual(verdictOf(text('a \\\\return new'), 'return new'), new Set(['prompt 0']));
  assert.deepEqual(verdictOf(text('\\uf00d for all'), 'f00d'), none);
  assert.deepEqual(verdictOf(text('\\u006camp'), 'lamp'), new Set(['prompt 0']));
  assert.deepEqual(verdictOf(text('\\nlamp and lamp'), 'lamp'), 'only-text');
});

test('lines of another form are read in full', () => {
  const both =
    '{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"lamp"},{"type":"text","text":"lamp"}]}}';
  assert.deepEqual(verdictOf(both, 'lamp'), new Set(['thinking 0', 'answer 0']));
  assert.deepEqual(verdictOf(`${text('none')}${text('lamp')}`, 'lamp'), new Set(['prompt 1']));
  assert.deepEqual(verdictOf(text('lamp').replace('}}', '},"message":{"content":"x"}}'), 'lamp'), none);
  assert.deepEqual(
    verdictOf(text('none').replace('}}', '},"mess\\u0061ge":{"content":"lamp"}}'), 'lamp'),
    new Set(['prompt 0']),
  );
  assert.deepEqual(verdictOf('{"type":"summary","summary":"lamp","leafUuid":"x"}', 'lamp'), new Set(['title 0']));
});

test('of a repeated key the last value counts', () => {
  assert.equal(verdictOf(text('x').replace('}}', '},"message":{"content":"lamp"}}'), 'lamp'), 'only-text');
  assert.deepEqual(verdictOf(text('lamp').replace('}}', '},"message":{"content":"x"}}'), 'lamp'), none);
});

test('bytes that a line must hold too leave out lines without them', () => {
  const judge = { pattern: /lamp.*fog/, plain: undefined, needed: [Buffer.from('fog')] };
  assert.deepEqual(judgeLine(Buffer.from(text('lamp and fog')), judge), new Set(['prompt 0']));
  assert.deepEqual(judgeLine(Buffer.from(text('lamp')), judge), none);
  assert.deepEqual(judgeLine(Buffer.from(text('lamp and \\u0066og')), judge), new Set(['prompt 0']));
});

test('any line: the same texts match as after decoding', () => {
  const piece = fc.constantFrom(
    'lamp',
    'la',
    'mp',
    '\\n',
    '\\r',
    '\\\\',
    '\\"',
    '\\u006c',
    '\\u00e9',
    '\\/',
    ' ',
    'é',
    '😀',
    '\\ud83d\\ude00',
  );
  const said = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
  const block = fc
    .tuple(fc.constantFrom('text', 'thinking', 'tool_result', 'tool_use', 'image'), said, said)
    .map(
      ([type, one, other]) =>
        `{"type":"${type}","text":"${one}","thinking":"${other}","content":"${one}","input":{"a":"${other}"},"name":"N","id":"i"}`,
    );
  const content = fc.oneof(
    said.map((one) => `"${one}"`),
    fc.array(block, { maxLength: 3 }).map((all) => `[${all.join(',')}]`),
  );
  const line = fc
    .tuple(
      fc.constantFrom('user', 'assistant', 'system', 'u\\u0073er'),
      content,
      said,
      fc.constantFrom('', ' ', '{}', '\r', '{"type":"user","message":{"content":"lamp"}}'),
    )
    .map(
      ([type, inside, other, end]) =>
        `{"x":"${other}","type":"${type}","message":{"content":${inside}},"toolUseResult":"${other}"}${end}`,
    );
  fc.assert(
    fc.property(line, fc.constantFrom('lamp', 'mp', 'é', '😀', 'la'), (bytes, needle) => {
      const expected = textsOfLine(Buffer.from(bytes)).filter((each) => each.text.includes(needle));
      const verdict = verdictOf(bytes, needle);
      if (verdict === 'only-text') {
        // The index may have left it out, but there is no other text.
        assert.ok(textsOfLine(Buffer.from(bytes)).length <= 1);
        if (textsOfLine(Buffer.from(bytes)).length === 1) assert.equal(expected.length, 1);
      } else assert.deepEqual(verdict, new Set(expected.map(({ kind, part }) => `${kind} ${part}`)));
    }),
    { numRuns: fuzzRuns(5000) },
  );
});
