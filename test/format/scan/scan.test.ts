import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isObject, type JsonValue, parseJson } from '../../../src/base/json/json.ts';
import { scanRecord } from '../../../src/format/scan/scan.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';
import { jsonValue, printJson, randomFrom } from '../../support/json-text.ts';
import { referenceHead, withWholeTexts } from '../../support/reference-head.ts';
import { corpusFiles, linesOf, recordedFiles } from '../../support/transcripts.ts';

/** Holds the head found in the bytes against the one taken from the parsed line; counts the lines that are records. */
function checkLines(files: readonly string[]): number {
  let records = 0;
  for (const file of files) {
    for (const [index, bytes] of linesOf(file).entries()) {
      const value = parseJson(bytes.toString('utf8'));
      if (!isObject(value)) {
        assert.equal(scanRecord(bytes), undefined, `${file}:${index + 1}`);
        continue;
      }
      const expected = referenceHead(value);
      assert.deepEqual(withWholeTexts(scanRecord(bytes), expected), expected, `${file}:${index + 1}`);
      records++;
    }
  }
  return records;
}

test('the head of every recorded line is what the parsed line says', () => {
  assert.ok(checkLines(recordedFiles()) > 700);
});

test('the head of every line of the corpora is what the parsed line says', () => {
  assert.ok(checkLines(corpusFiles()) > 7_000);
});

/** JSON whose objects may repeat a key: `members` instead of an object. */
type Tree = JsonValue | { readonly members: readonly (readonly [string, Tree])[] } | { readonly list: readonly Tree[] };

function printTree(tree: Tree, random: (limit: number) => number): string {
  const seed = (): number => random(1 << 30);
  if (isObject(tree) && 'members' in tree && isMembers(tree.members)) {
    const members = tree.members.map(([key, value]) => `${printJson(key, seed())}:${printTree(value, random)}`);
    return `${' '.repeat(random(2))}{${members.join(',')}}`;
  }
  if (isObject(tree) && 'list' in tree) {
    return `[${(tree.list as readonly Tree[]).map((item) => printTree(item, random)).join(',')}]`;
  }
  return printJson(tree as JsonValue, seed());
}

function isMembers(value: unknown): value is readonly (readonly [string, Tree])[] {
  return Array.isArray(value);
}

const word = fc.constantFrom('user', 'assistant', 'attachment', 'text', 'tool_use', 'tool_result', 'ü\u{1f600}', '');
const scalar: fc.Arbitrary<JsonValue> = fc.oneof(word, fc.boolean(), fc.constant(null), fc.integer());
const inputText = fc
  .tuple(
    fc.constantFrom('', '<command-name>', '<local-command-caveat>', '[Request interrupted by user', '<bash-stdout>'),
    fc.string({ unit: 'binary', maxLength: 80 }),
  )
  .map((parts) => parts.join(''));
const usage: fc.Arbitrary<Tree> = fc.dictionary(
  fc.constantFrom('input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'speed'),
  fc.oneof(fc.nat(), scalar),
);
const timestamp = fc.oneof(
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') }).map((date) => date.toISOString()),
  fc.constantFrom('2026/01/03', 'Jan 3 2026', '2026-13-01T00:00:00.000Z', '2026-01-31T24:00:00.000Z'),
);

/** An object with some of `keys`, any of them twice, each mostly with the kind of value that belongs there. */
function objectOf(keys: Readonly<Record<string, fc.Arbitrary<Tree>>>): fc.Arbitrary<Tree> {
  const noise = fc.constantFrom('a', 'typ', 'tyqe', 'Type', 'types', 'uuid\0', 'mess\\age', '', 'constructor');
  const known = Object.entries(keys).map(([key, value]) =>
    fc.tuple(fc.constant(key), fc.oneof({ weight: 6, arbitrary: value }, jsonValue)),
  );
  const member = fc.oneof({ weight: 8, arbitrary: fc.oneof(...known) }, fc.tuple(noise, jsonValue));
  return fc.array(member, { maxLength: 12 }).map((members) => ({ members }));
}

const block = objectOf({ type: word, id: word, name: word, tool_use_id: word, is_error: scalar, text: inputText });
const content = fc.oneof(
  inputText,
  fc.array(fc.oneof({ weight: 9, arbitrary: block }, scalar), { maxLength: 4 }).map((list) => ({ list })),
);
const message = objectOf({ role: word, id: word, model: word, stop_reason: scalar, usage, content, parts: scalar });
const entry = objectOf({
  type: word,
  subtype: word,
  uuid: word,
  parentUuid: scalar,
  logicalParentUuid: scalar,
  timestamp,
  sessionId: word,
  agentId: word,
  cwd: word,
  version: word,
  requestId: word,
  leafUuid: word,
  explicit: scalar,
  isSidechain: scalar,
  isMeta: scalar,
  isCompactSummary: scalar,
  isApiErrorMessage: scalar,
  permissionMode: scalar,
  message,
  toolUseResult: objectOf({ agentId: word }),
  attachment: objectOf({ type: word }),
});

test('however an object is written, its head is what JSON.parse makes of it', () => {
  fc.assert(
    fc.property(entry, fc.nat(), (tree, seed) => {
      const text = printTree(tree, randomFrom(seed));
      const value = parseJson(text);
      assert.ok(isObject(value), text);
      const expected = referenceHead(value);
      assert.deepEqual(withWholeTexts(scanRecord(Buffer.from(text)), expected), expected, text);
    }),
    { numRuns: fuzzRuns(3000) },
  );
});

test('of a repeated key the last value counts, also where it is of another kind', () => {
  const head = (text: string) => scanRecord(Buffer.from(text));
  const expected = (text: string) => referenceHead(JSON.parse(text));
  for (const text of [
    '{"message":{"id":"a","content":"x","usage":{"input_tokens":1}},"message":{"id":"b"}}',
    '{"message":{"id":"a","content":"x"},"message":1}',
    '{"message":{"content":[{"type":"tool_use","id":"t","name":"n"},{"type":"text","text":"x"}],"content":"y"}}',
    '{"message":{"content":"y","content":null}}',
    '{"message":{"usage":{"input_tokens":1},"usage":null}}',
    '{"toolUseResult":{"agentId":"a"},"toolUseResult":"Error"}',
    '{"toolUseResult":{"agentId":"a"},"toolUseResult":{}}',
    '{"toolUseResult":{"agentId":"a","agentId":1}}',
    '{"type":"attachment","attachment":{"type":"a"},"attachment":null}',
    '{"type":"attachment","attachment":{"type":"a"},"attachment":{}}',
    '{"uuid":"a","uuid":1,"parentUuid":"a","parentUuid":null,"type":"a","\\u0074ype":"b"}',
    '{"isMeta":true,"isMeta":"true","timestamp":"2026-01-01T00:00:00.000Z","timestamp":5}',
  ]) {
    assert.deepEqual(head(text), expected(text), text);
  }
});

test('the subtype is that of the entry; an attachment has the type of what is attached', () => {
  const subtypes = [
    '{"type":"system","subtype":"compact_boundary","attachment":{"type":"file"}}',
    '{"attachment":{"type":"file"},"subtype":"compact_boundary","type":"system"}',
    '{"type":"attachment","attachment":{"type":"file"}}',
    '{"attachment":{"type":"file"},"type":"attachment","subtype":"x"}',
  ].map((text) => scanRecord(Buffer.from(text))?.subtype);
  assert.deepEqual(subtypes, ['compact_boundary', 'compact_boundary', 'file', 'file']);
});

test('a timestamp is read however it is escaped', () => {
  for (const text of [
    '2026-01-31T12:00:00.000\\u005a',
    '2026\\/01\\/31',
    '2026-01-31T12:00:00.000Z',
    'no\\u0020time',
  ]) {
    const line = `{"timestamp":"${text}"}`;
    assert.equal(scanRecord(Buffer.from(line))?.time, Date.parse(JSON.parse(`"${text}"`)), text);
  }
});

test('a long text is cut between two letters, however they are written', () => {
  for (const letter of [
    'a',
    'é',
    '€',
    '\u{1f600}',
    '\\u00e9',
    '\\ud83d\\ude00',
    '\\n',
    '\\"',
    'a\\\\',
    '\\\\n',
    '\\\\\\u0041',
  ]) {
    for (let shift = 0; shift < 14; shift++) {
      const json = `"[Request interrupted by user${'x'.repeat(shift)}${letter.repeat(400)}"`;
      const [prefix = ''] = scanRecord(Buffer.from(`{"message":{"content":${json}}}`))?.textPrefixes ?? [];
      const text = JSON.parse(json);
      assert.ok(text.startsWith(prefix) && prefix.length < text.length, `${letter} after ${shift}`);
      assert.ok(prefix.startsWith('[Request interrupted by user'), `${letter} after ${shift}`);
    }
  }
});

test('a line with a hundred thousand blocks is read in no more than linear work', { timeout: 60_000 }, () => {
  const blocks = Array.from({ length: 100_000 }, (_, index) => [
    { type: 'text', text: 'x' },
    { type: 'tool_use', id: `t${index}`, name: 'Read' },
    { type: 'tool_result', tool_use_id: `t${index}` },
  ]).flat();
  const value = { type: 'user', message: { role: 'user', content: blocks } };
  const head = scanRecord(Buffer.from(JSON.stringify(value)));
  assert.deepEqual(
    [head?.textPrefixes.length, head?.message?.calls.length, head?.message?.results.length],
    [100_000, 100_000, 100_000],
  );
});

const record =
  '{"type":"user","uuid":"u1","message":{"role":"user","content":[{"type":"text","text":"a \\"b\\" {é}"}]},"toolUseResult":{"agentId":"x"},"attachment":{"type":"y"}}';

test('no cut of a record is a record, and neither are two on one line', () => {
  const bytes = Buffer.from(record);
  for (let end = 0; end < bytes.length; end++) assert.equal(scanRecord(bytes.subarray(0, end)), undefined);
  for (let start = 1; start < bytes.length; start++) {
    const rest = bytes.subarray(start);
    if (rest[0] !== 0x7b) assert.equal(scanRecord(rest), undefined);
  }
  for (const text of [
    record + record,
    `${record} ${record}`,
    `${record},`,
    `${record}x`,
    `x${record}`,
    `[${record}]`,
  ]) {
    assert.equal(scanRecord(Buffer.from(text)), undefined, text);
  }
});

test('a value that is not an object has no head', () => {
  const broken = ['', ' ', '\r', '\0', 'null', '1', '"a"', '[]', '[{}]', '//', '{', '}', '{]', '{"a"}', '{"a":}'];
  broken.push('{"a":1,}', '{,"a":1}', '{"a":1 "b":2}', '{"a" 1}', '{"message":{]}', '{"message":{"content":[}}');
  broken.push('{"message":{"content":[{]}}', '{"message":{"content":[1,]}}', '{"message":{"content":[{}{}]}}');
  broken.push('{"message":{"content":[,]}}', '{"toolUseResult":{"a":1', '{"attachment":{"a"}}', '\ufeff{}');
  for (const text of broken) assert.equal(scanRecord(Buffer.from(text)), undefined, text);
});

test('damaged records never throw, and what is still JSON is still read', () => {
  fc.assert(
    fc.property(entry, fc.nat(), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }), (tree, seed, flips) => {
      const bytes = Buffer.from(printTree(tree, randomFrom(seed)));
      for (const [at, byte] of flips) bytes[at % bytes.length] = byte;
      const head = scanRecord(bytes);
      const value = parseJson(bytes.toString('utf8'));
      if (!isObject(value)) return;
      const expected = referenceHead(value);
      assert.deepEqual(withWholeTexts(head, expected), expected);
    }),
    { numRuns: fuzzRuns(2000) },
  );
});

test('random bytes never throw', () => {
  const token = fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', '\0', '"message"', '"content"', '"type"', '1');
  fc.assert(
    fc.property(fc.string({ unit: token, maxLength: 60 }), (text) => {
      const isRecord = scanRecord(Buffer.from(text)) !== undefined;
      if (isObject(parseJson(text))) assert.ok(isRecord, text);
    }),
    { numRuns: fuzzRuns(3000) },
  );
});
