// Bytes through the redactor: JSON stays JSON, only secrets change, hostile and damaged input included.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '../../../src/surgery/redact/redactor.ts';
import { decodeLossless, encodeLossless } from '../../../src/surgery/secrets/json-view.ts';

const token = `gh${'p_'}${'a1B2c3D4e5F6'.repeat(3)}`;
const placeholder = '[redacted:github-token:1]';
const password = ['k9', '!Zq', '/r"7', 'Lm2'].join('');

test('invalid UTF-8 bytes survive decoding and encoding', () => {
  const cases = [
    '',
    'plain',
    'caf\xc3\xa9',
    '\xff',
    'a\xffb',
    '\xc3',
    '\xe2\x82',
    '\xf0\x9f\x98\x80\x80',
    '\xed\xb3\xbf',
    '\xc3\xa9\xe9',
  ];
  for (const bytes of cases.map((text) => Buffer.from(text, 'latin1')))
    assert.deepEqual(encodeLossless(decodeLossless(bytes)), bytes);
  assert.equal(decodeLossless(Buffer.from('caf\xc3\xa9', 'latin1')), 'café');
});

test('escapes, keys, nesting and a backslash before a quote: only the inside of the right string changes', () => {
  const lines: readonly (readonly [string, string])[] = [
    [`{"a":"\\\\","b":"${token}"}`, `{"a":"\\\\","b":"${placeholder}"}`],
    [`{"a":"\\"","b":"x\\\\\\"${token}"}`, `{"a":"\\"","b":"x\\\\\\"${placeholder}"}`],
    [`{"${token}":1,"b":[{"${token}":[]}]}`, `{"${placeholder}":1,"b":[{"${placeholder}":[]}]}`],
    [`{"a" : [ "${token}" , 1.0e5 ] }`, `{"a" : [ "${placeholder}" , 1.0e5 ] }`],
    [`{"password":"k7Rq2mZx","n":1}`, '{"password":"[redacted:named-secret:1]","n":1}'],
    [`{"input":"{\\"password\\":\\"k7Rq2mZx\\"}"}`, '{"input":"{\\"password\\":\\"[redacted:named-secret:1]\\"}"}'],
    ['{"password":"two words","token":12345678}', '{"password":"two words","token":12345678}'],
  ];
  for (const [line, expected] of lines)
    assert.equal(createRedactor().redactLine(Buffer.from(line)).toString(), expected);
});

test('ids and signatures of a record are kept where a record has them, and nowhere else', () => {
  const block = (more: object): object => ({
    type: 'assistant',
    message: { id: token, content: [{ type: 'text', ...more }] },
  });
  const kept = [
    { type: 'user', uuid: token, parentUuid: token, sessionId: token, requestId: token },
    block({ id: token }),
    block({ signature: token }),
    {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: token, content: [{ type: 'text', id: token }] }] },
    },
  ];
  for (const entry of kept.map((each) => JSON.stringify(each)))
    assert.equal(createRedactor().redactLine(Buffer.from(entry)).toString(), entry);
  const changed = [
    { type: 'user', note: { uuid: token, signature: token } },
    { type: 'user', toolUseResult: { id: token } },
    { type: 'user', message: { content: [{ type: 'tool_use', input: { id: token } }] } },
  ];
  for (const entry of changed.map((each) => JSON.stringify(each)))
    assert.equal(createRedactor().redactLine(Buffer.from(entry)).toString(), entry.replaceAll(token, placeholder));
  // As other JSON, no field is special.
  const other = JSON.stringify({ uuid: token, data: token });
  assert.equal(
    createRedactor().redact(Buffer.from(other), 'json').bytes.toString(),
    other.replaceAll(token, placeholder),
  );
});

test('signed thinking with a secret is named and left alone; without a signature it is a text like any other', () => {
  const thinking = (signature: string): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: 'assistant',
        message: {
          content: [
            { type: 'text', text: 'x' },
            { type: 'thinking', thinking: `use ${token}`, signature },
          ],
        },
      }),
    );
  const signed = createRedactor().redact(thinking('sig'));
  assert.deepEqual(
    [signed.bytes.equals(thinking('sig')), signed.signed, signed.signedPlaceholders, [...signed.found]],
    [true, [1], [placeholder], []],
  );
  const unsigned = createRedactor().redact(thinking(''));
  assert.deepEqual(
    [unsigned.bytes.toString(), unsigned.signed, [...unsigned.found]],
    [thinking('').toString().replace(token, placeholder), [], [[placeholder, 1]]],
  );
});

test('the secrets of a text are listed with their line, and with how to rotate them', () => {
  const redactor = createRedactor();
  redactor.learn(Buffer.from("DB_PASSWORD='k7Rq2mZx!'"), 'text');
  const text = Buffer.from(`one\n${token}\n\nfour k7Rq2mZx! ${token}\n`);
  assert.deepEqual(redactor.locate(text), [
    { placeholder, line: 2, count: 1 },
    { placeholder: '[redacted:env-secret:1]', line: 4, count: 1 },
    { placeholder, line: 4, count: 1 },
  ]);
  assert.deepEqual(redactor.inspect(text, 'text').sort(), ['[redacted:env-secret:1]', placeholder]);
  redactor.redact(text, 'text');
  assert.deepEqual(redactor.list(), [
    { kind: 'env-secret', placeholder: '[redacted:env-secret:1]', count: 1, rotate: 'revoke it where it was issued' },
    { kind: 'github-token', placeholder, count: 2, rotate: 'https://github.com/settings/tokens' },
  ]);
});

test('a value that is recognised by the name of its member is replaced everywhere, also without the name', () => {
  const redactor = createRedactor();
  const lines = [
    { type: 'user', toolUseResult: { config: { password } } },
    { type: 'user', message: { content: `it was ${password}` } },
    { type: 'user', message: { content: JSON.stringify({ nested: password }) } },
    { type: 'user', toolUseResult: { [`Bearer ${token}`]: [token] } },
  ].map((entry) => Buffer.from(JSON.stringify(entry)));
  for (const line of lines) redactor.learn(line);
  const redacted = lines.map((line) => redactor.redactLine(line).toString());
  const name = redactor.list()[0]?.placeholder ?? '';
  const other = placeholder;
  assert.match(name, /^\[redacted:[a-z-]+:1\]$/);
  assert.deepEqual(redacted, [
    `{"type":"user","toolUseResult":{"config":{"password":"${name}"}}}`,
    `{"type":"user","message":{"content":"it was ${name}"}}`,
    `{"type":"user","message":{"content":"{\\"nested\\":\\"${name}\\"}"}}`,
    `{"type":"user","toolUseResult":{"Bearer ${other}":["${other}"]}}`,
  ]);
  assert.ok(!JSON.stringify(redactor.list()).includes(token));
});

test('the pair of a Basic header and the password in it are both replaced', () => {
  const redactor = createRedactor();
  const pair = Buffer.from(`deploy:${password}`).toString('base64');
  const text = `curl -H "Authorization: Basic ${pair}"; echo ${password}`;
  redactor.learn(Buffer.from(text), 'text');
  const redacted = redactor.redactText(text);
  for (const left of [pair, password]) assert.ok(!redacted.includes(left));
});

test('a line that is nested a hundred thousand deep is redacted like any other', () => {
  const depth = 100_000;
  const line = Buffer.from(`{"a":${'['.repeat(depth)}"${token}"${']'.repeat(depth)}}`);
  const redacted = createRedactor().redactLine(line).toString();
  assert.equal(redacted, line.toString().replace(token, '[redacted:github-token:1]'));
});

test('torn, joined and padded lines lose their secrets and nothing else', () => {
  const lines = [
    `{"type":"user","message":{"content":"is ${token}`,
    `{"a":1}{"b":"${token}"}`,
    `\0\0\0{"b":"${token}"}`,
    `\xff\xfe ${token} \xc3`,
  ];
  for (const line of lines) {
    const redacted = createRedactor().redactLine(Buffer.from(line, 'latin1')).toString('latin1');
    assert.equal(redacted, line.replace(token, '[redacted:github-token:1]'));
  }
});
