// The filter lets a line through only if the slow way (parse the line, search every text in JavaScript) finds nothing in
// it. The secrets come from the hand-written table; the texts that the module searches are compared with those of view.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findSecrets, makeRuleSet, type RuleSet } from '../../../src/surgery/secrets/find.ts';
import { decodeString, keptNames, quotedSecrets, textsOf, viewOf } from '../../../src/surgery/secrets/json-view.ts';
import { LineFilter } from '../../../src/surgery/secrets/line-filter.ts';
import { makeKeywordTable } from '../../../src/surgery/secrets/scan/keyword-table.ts';
import { scanRecord } from '../../../src/surgery/secrets/scan/scanner.ts';
import { parseRuleSet } from '../../../src/surgery/secrets/user-rules.ts';
import { KeywordScanner, viewsOf } from '../../../src/surgery/secrets/view.ts';
import { corpusValues } from '../../support/corpus-values.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';
import { secretRows } from './secret-table.ts';

const rules = makeRuleSet();
const filter = new LineFilter(rules);
/** The same rules without the module. */
const slowRules: RuleSet = { ...rules, scanner: new KeywordScanner(rules.scanner.keywords) };

function isLetThrough(line: string): boolean {
  return filter.judge(Buffer.from(line)) !== undefined;
}

/** How many secrets the slow way finds in a line. */
function countSlow(line: string): number {
  const view = viewOf(line, 'record');
  const texts = [...textsOf(view), ...view.signed.map(({ text }) => text)];
  const quoted = (view.strings ?? []).flatMap(({ start, end, name }) =>
    name === undefined ? [] : quotedSecrets(name, line.slice(start, end), slowRules),
  );
  return texts.flatMap((text) => findSecrets(text, slowRules)).length + quoted.length;
}

const inner = (text: string): string => JSON.stringify(text).slice(1, -1);
const user = (text: string): string => `{"type":"user","message":{"role":"user","content":"${text}"}}`;

/** Records with a text in it. */
const writings: Readonly<Record<string, (text: string) => string>> = {
  'a prompt': (text) => user(inner(text)),
  'JSON in JSON': (text) => user(inner(inner(text))),
  'JSON three deep': (text) => user(inner(inner(inner(text)))),
  'escaped slashes': (text) => user(inner(text).replaceAll('/', '\\/')),
  '\\u escapes': (text) =>
    user(Array.from(text, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`).join('')),
  'percent signs': (text) => user(encodeURIComponent(text)),
  'HTML entities': (text) =>
    user(inner(text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'))),
  'a terminal color inside': (text) => user(inner(`\x1b[1;32m${text.slice(0, 5)}\x1b[0m${text.slice(5)}`)),
  base64: (text) => user(Buffer.from(`the value is here: ${text}\n`).toString('base64')),
  'hex digits': (text) => user(Buffer.from(`the value is here: ${text}\n`).toString('hex')),
  'after other scripts': (text) => user(inner(`部署记录 ✓ \u{1f511} ${text} — done`)),
  'signed thinking': (text) =>
    JSON.stringify({
      type: 'assistant',
      message: { content: [{ type: 'thinking', thinking: text, signature: 'c2lnbmVk' }] },
    }),
  'a key of an input': (text) =>
    JSON.stringify({
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { [text]: 1 } }] },
    }),
  'spaces between the members': (text) => `{ "type" : "user",\t"toolUseResult" : { "stdout" : "${inner(text)}" } }\r`,
};

for (const [name, write] of Object.entries(writings)) {
  test(`a line with any secret of the table is not let through: ${name}`, () => {
    const texts = secretRows.map(({ before, value, after }) => `use ${before}${value}${after} now`);
    assert.ok(texts.length > 130);
    const lines = texts.map(write).filter((line) => countSlow(line) > 0);
    // Some values are no longer secrets if they are written in this way.
    assert.ok(lines.length > texts.length * 0.85, `${lines.length} of ${texts.length} are found`);
    assert.deepEqual(
      lines.filter((line) => isLetThrough(line)),
      [],
    );
  });
}

const password = 'Kq7vR2mZx9T4bLc8';

/** Hand-written: whether a line is let through. */
const lines: readonly (readonly [isClean: boolean, name: string, line: string])[] = [
  [true, 'a prompt', user('please fix the token counter')],
  [true, 'usage', '{"type":"assistant","message":{"usage":{"input_tokens":3,"cache_read_input_tokens":42766}}}'],
  [true, 'an id like a secret', `{"type":"user","uuid":"token=${password}"}`],
  [true, 'a signature like a secret', blockLine(`"signature":"password=${password}"`)],
  [
    true,
    'a picture',
    `{"a":"iVBORw0KGgo${Buffer.from(`password=${password}\n`.repeat(9)).toString('base64').slice(0, 96)}"}`,
  ],
  [false, 'the same in another place', `{"type":"user","other":{"uuid":"token=${password}"}}`],
  [false, 'a name in a key, its value in a string', `{"input":{"password":"${password}"}}`],
  [false, 'the key in escapes', `{"input":{"pass\\u0077ord":"${password}"}}`],
  [false, 'the value in escapes', `{"input":{"password":"Kq7vR2m\\u005ax9T4bLc8"}}`],
  [false, 'an escaped quote in the value', `{"input":{"password":"Kq7v\\"R2mZx9T4bLc8"}}`],
  [false, 'a name in a text, its value after other members', `{"name":"API_KEY", "value":"${password}Kq7vR2m"}`],
  [false, 'invalid JSON', `{"a":"password=${password}"`],
  [false, 'two keys of one name', `{"a":1,"a":"password=${password}"}`],
  [false, 'a number that is not JSON', '{"a":01}'],
  [false, 'half of a pair', '{"a":"\\ud83d"}'],
  [false, 'nesting', `${'['.repeat(300)}${']'.repeat(300)}`],
  [false, 'a control character in a string', '{"a":"b\tc"}'],
  [true, 'a pair in escapes', '{"a":"\\ud83d\\udd11 key"}'],
  [false, 'a secret after a pair in escapes', `{"a":"\\ud83d\\udd11 password=${password}"}`],
  [true, 'a dump of bytes', '{"a":"00000000: 4865 6c6c 6f20 776f  Hello wo"}'],
  [false, 'a secret in a dump', dumpLine(`password=${password}`)],
  [false, 'a secret in UTF-16 and base64', user(Buffer.from(`password=${password}`, 'utf16le').toString('base64'))],
];

function blockLine(members: string): string {
  return `{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"well",${members}}]}}`;
}

function dumpLine(text: string): string {
  const bytes = Buffer.from(text.padEnd(32));
  const rows = [0, 16].map((at) => {
    const part = bytes.subarray(at, at + 16);
    const pairs = part.toString('hex').replace(/(.{4})/g, '$1 ');
    return `${at.toString(16).padStart(8, '0')}: ${pairs} ${part.toString('latin1')}`;
  });
  return user(inner(rows.join('\n')));
}

test('lines are let through as the table says', () => {
  for (const [isClean, name, line] of lines) assert.equal(isLetThrough(line), isClean, name);
});

test('bytes that are not UTF-8, and lines other than objects and arrays, are not let through', () => {
  assert.equal(filter.judge(Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])), undefined);
  for (const line of ['', ' ', '"a"', '1', 'null', '{', '{}x', '\ufeff{}', '\0'])
    assert.equal(isLetThrough(line), false);
  assert.equal(isLetThrough('{}'), true);
});

test('a known value is found in every layer, in base64 and with any escape', () => {
  const known = new LineFilter(rules, ['schlüssel"wort']);
  const judge = (line: string): boolean => known.judge(Buffer.from(line)) !== undefined;
  assert.equal(judge(user('schlüssel wort')), true);
  assert.equal(judge(user('der schlüssel\\"wort')), false);
  assert.equal(judge(user('der schl\\u00fcssel\\u0022wort')), false);
  assert.equal(judge(user(inner(inner('der schlüssel"wort')))), false);
  assert.equal(judge(user(Buffer.from('it is: schlüssel"wort, now').toString('base64'))), false);
});

test('with a rule without keywords no line is let through, with one that has them only lines without them', () => {
  const withRule = (rule: string): LineFilter => new LineFilter(parseRuleSet(`{"rules":[${rule}]}`, 'rules.json'));
  assert.equal(withRule('{"kind":"own","pattern":"zz+"}').judge(Buffer.from('{}')), undefined);
  const keyed = withRule('{"kind":"own","pattern":"Zürich-\\\\d+","keywords":["zürich-"]}');
  assert.ok(keyed.judge(Buffer.from(user('in zürich'))) !== undefined);
  assert.equal(keyed.judge(Buffer.from(user('in Zürich-123'))), undefined);
});

test('the names of tools are those of the slow way', () => {
  const line = JSON.stringify({
    type: 'assistant',
    toolName: 'mcp__a__b',
    name: 'no-tool',
    addedNames: ['one_tool', 'two_tool'],
    message: {
      content: [{ type: 'tool_use', name: 'Bash', input: { name: 'no-tool' } }, { content: [{ name: 'Read' }] }],
    },
  });
  const expected = ['mcp__a__b', 'one_tool', 'two_tool', 'Bash', 'Read'];
  assert.deepEqual(viewOf(line, 'record').toolNames, expected);
  assert.deepEqual(filter.judge(Buffer.from(line))?.toolNames, expected);
});

test('a line counts as written by JSON.stringify only if it is', () => {
  const isCanonical = (line: string): boolean | undefined => filter.judge(Buffer.from(line))?.isCanonical;
  for (const line of ['{"a":1,"b":[0.5,-3,1.25,true,null]}', '{"a":"\\n\\u001b\\"\\\\/é"}', '{}', '[]']) {
    assert.equal(JSON.stringify(JSON.parse(line)), line);
    assert.equal(isCanonical(line), true, line);
  }
  for (const line of [
    '{"a": 1}',
    '{"a":1} ',
    '{"a":1.0}',
    '{"a":-0}',
    '{"a":1e3}',
    '{"a":0.0000001}',
    '{"a":12345678901234567890}',
    '{"a":"\\/"}',
    '{"a":"\\u0041"}',
    '{"a":"\\u001B"}',
    '{"a":"\\u000a"}',
    '{"b":1,"2":1}',
  ]) {
    assert.notEqual(JSON.stringify(JSON.parse(line)), line);
    assert.equal(isCanonical(line), false, line);
  }
});

const table = makeKeywordTable(rules.scanner.tableKeywords(), keptNames);

/** The texts that the slow way searches, in every layer. */
function slowTexts(line: string): string[] {
  const view = viewOf(line, 'record');
  const strings = (view.strings ?? []).map(({ start, end }) => decodeString(line.slice(start, end)) ?? '');
  const [shown = ''] = textsOf(view);
  const texts = [shown, ...[...strings, ...view.signed.map(({ text }) => text)].filter(isLong)];
  return texts.flatMap((text) => viewsOf(text).map((each) => each.text)).sort();
}

/** No keyword fits into two bytes. */
function isLong(text: string): boolean {
  return Buffer.byteLength(text) >= 3;
}

function fastTexts(line: string): string[] | undefined {
  const scan = scanRecord(table, Buffer.from(line));
  if (scan === undefined) return undefined;
  const { memory, texts } = scan;
  return Array.from({ length: texts.length / 4 }, (_, i) =>
    memory.toString('utf8', texts[4 * i], texts[4 * i + 1]),
  ).sort();
}

test('the module searches exactly the texts of the slow way, and lets no secret of the corpus through', () => {
  let [read, all] = [0, 0];
  for (const corpus of ['public', 'real'] as const) {
    for (const value of corpusValues(corpus)) {
      const line = JSON.stringify(value);
      if (all++ % 7 !== 0) continue;
      const texts = fastTexts(line);
      if (texts === undefined) continue;
      read++;
      assert.deepEqual(texts, slowTexts(line));
      if (isLetThrough(line)) assert.equal(countSlow(line), 0, line.slice(0, 200));
    }
  }
  assert.ok(read > (all / 7) * 0.97, `${read} of ${all / 7} lines are read`);
});

const pieces = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom(
    '\\',
    '\\\\',
    '\\"',
    '\\n',
    '%41',
    '%3d',
    '%',
    '&quot;',
    '&gt;',
    '&#61;',
    '&',
    '\x1b[31m',
    '\x1b[',
    '\n',
    ' ',
  ),
  fc.constantFrom('\\u0041', '\\x41', '\\\n  ', 'token', 'password=', '"', "'", ': ', '='),
  fc.constantFrom(...secretRows.map(({ before, value, after }) => `${before}${value}${after}`)),
  fc.constantFrom(...secretRows.map(({ value }) => value.slice(0, -1))),
);
const texts = fc.array(pieces, { maxLength: 6 }).map((parts) => parts.join(''));
const records = fc.record(
  {
    type: fc.constantFrom('user', 'assistant'),
    uuid: texts,
    message: fc.record(
      {
        role: texts,
        content: fc.oneof(
          texts,
          fc.array(
            fc.record(
              {
                type: fc.constantFrom('thinking', 'text', 'tool_use'),
                thinking: texts,
                signature: texts,
                name: texts,
                source: fc.record({ type: texts, data: texts }),
                content: fc.oneof(texts, fc.array(fc.record({ type: texts, text: texts }), { maxLength: 2 })),
                input: fc.dictionary(texts, texts, { maxKeys: 2 }),
              },
              { requiredKeys: ['type'] },
            ),
            { maxLength: 3 },
          ),
        ),
      },
      { requiredKeys: [] },
    ),
    toolUseResult: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

test('whatever a record has, the texts are those of the slow way, and a line that is let through has no secret', () => {
  let isRead = 0;
  let isClean = 0;
  fc.assert(
    fc.property(records, fc.constantFrom(0, 1, 2), fc.nat(), (record, spaces, seed) => {
      const line = respell(JSON.stringify(record, undefined, spaces), seed);
      const found = fastTexts(line);
      if (found === undefined) return;
      isRead++;
      assert.deepEqual(found, slowTexts(line));
      const verdict = filter.judge(Buffer.from(line));
      if (verdict === undefined) return;
      isClean++;
      assert.equal(countSlow(line), 0);
      assert.deepEqual(verdict.toolNames, viewOf(line, 'record').toolNames);
      if (verdict.isCanonical) assert.equal(JSON.stringify(JSON.parse(line)), line);
    }),
    { numRuns: fuzzRuns(5000) },
  );
  assert.ok(isRead > 300 && isClean > 30, `${isRead} lines are read, ${isClean} let through`);
});

/** The same JSON with some characters of strings written as \u escapes, and some slashes escaped. */
function respell(line: string, seed: number): string {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state >>> 16;
  };
  if (seed % 3 === 0) return line;
  return line.replace(/"(?:[^"\\]|\\.)*"(?!:)/g, (string) =>
    string.replace(/\\.|[a-zA-Z0-9/=:_-]/g, (unit) => {
      if (unit.length > 1 || next() % 9 !== 0) return unit;
      return unit === '/' ? '\\/' : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    }),
  );
}
