// Random mixtures of secrets and text: what is redacted once stays as it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findSecrets } from '../../../src/surgery/secrets/find.ts';
import { Placeholders } from '../../../src/surgery/secrets/placeholders.ts';
import { redactText } from '../../../src/surgery/secrets/redact-text.ts';
import { fakeSecrets } from './fake-secrets.ts';

test('redacting twice changes nothing, for any mixture of secrets and text', () => {
  const parts = fakeSecrets(7).map(({ text }) => text);
  const joints = ['\\', '\\n', '%3D', '\x1b[0m', '"', 'password=', ' ', '\n', '@', ':', '[redacted:jwt:7]', 'TOKEN='];
  const bit = fc.oneof(fc.string(), fc.constantFrom(...parts), fc.constantFrom(...joints));
  fc.assert(
    fc.property(fc.array(bit, { maxLength: 14 }), fc.nat(2), (bits, depth) => {
      let text = bits.join('');
      for (let i = 0; i < depth; i++) text = JSON.stringify(text);
      const state = new Placeholders();
      const once = redactText(text, state).text;
      assert.equal(redactText(once, state).text, once);
      assert.equal(redactText(once, new Placeholders()).text, once);
      assert.deepEqual(findSecrets(once), []);
    }),
    { numRuns: 1000 },
  );
});
