// Bytes through the redactor: JSON stays JSON, only secrets change, hostile and damaged input included.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createRedactor } from '../../src/surgery/redactor.ts';
import { decodeLossless, encodeLossless } from '../../src/surgery/secrets/lossless-text.ts';
import { fakeSecrets } from './secrets/fake-secrets.ts';

const token = `gh${'p_'}${'a1B2c3D4e5F6'.repeat(3)}`;
const password = ['k9', '!Zq', '/r"7', 'Lm2'].join('');

test('any bytes are the same after decoding and encoding', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.string({ unit: 'binary' }), (bytes, text) => {
      const both = Buffer.concat([Buffer.from(bytes), Buffer.from(text), Buffer.from(bytes).reverse()]);
      assert.deepEqual(encodeLossless(decodeLossless(both)), both);
    }),
    { numRuns: 2000 },
  );
});

test('what only the name of a member gives away is cut out of its value, wherever it stands, also without the name', () => {
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
  const other = '[redacted:github-token:1]';
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

test('whatever is cut out, JSON stays JSON of the same shape, and a second look finds nothing', () => {
  const texts = fakeSecrets(31).map(({ text }) => text);
  const said = fc.oneof(fc.constantFrom(...texts), fc.string(), fc.constantFrom('password', 'token: ', 'export A='));
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      said,
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(said, tie('node'), { maxKeys: 3 }),
    ),
  })).node;
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value, { minKeys: 1, maxKeys: 3 }), (entry) => {
      const redactor = createRedactor();
      const line = Buffer.from(JSON.stringify(entry));
      redactor.learn(line);
      const redacted = redactor.redactLine(line);
      assert.equal(countStrings(JSON.parse(redacted.toString())), countStrings(entry));
      assert.deepEqual(redactor.inspect(redacted), []);
      assert.deepEqual(redactor.redactLine(redacted), redacted);
    }),
    { numRuns: 300 },
  );
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

/** Names that become the same placeholder cannot: they are different values. */
function countStrings(value: unknown): number {
  let count = 0;
  JSON.stringify(value, (_key, item: unknown) => {
    count++;
    return item;
  });
  return count;
}
