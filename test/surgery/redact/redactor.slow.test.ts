// Random bytes and random JSON through the redactor: nothing but secrets changes, and JSON keeps its shape.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createRedactor } from '../../../src/surgery/redact/redactor.ts';
import { decodeLossless, encodeLossless } from '../../../src/surgery/secrets/json-view.ts';
import { fakeSecrets } from '../secrets/fake-secrets.ts';

test('any bytes are the same after decoding and encoding', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.string({ unit: 'binary' }), (bytes, text) => {
      const both = Buffer.concat([Buffer.from(bytes), Buffer.from(text), Buffer.from(bytes).reverse()]);
      assert.deepEqual(encodeLossless(decodeLossless(both)), both);
    }),
    { numRuns: 2000 },
  );
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

/** Names that become the same placeholder cannot: they are different values. */
function countStrings(value: unknown): number {
  let count = 0;
  JSON.stringify(value, (_key, item: unknown) => {
    count++;
    return item;
  });
  return count;
}
