import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCutSignature } from '../../../src/api/request/image-size.ts';
import { asObject, asString, isArray } from '../../../src/base/json/json.ts';
import { corpusValues } from '../../support/corpus-values.ts';
import { signature } from '../../support/signature.ts';

test('a whole signature is not truncated, whatever its length', () => {
  for (let length = 100; length < 106; length++) assert.equal(isCutSignature(signature(length)), false);
});

test('a signature without its end is truncated', () => {
  const whole = signature(200);
  for (let kept = 8; kept < whole.length - 8; kept++)
    assert.equal(isCutSignature(whole.slice(0, kept)), true, `${kept}`);
});

test('text of another shape is not checked', () => {
  for (const text of ['', 'sig', 'EgA=', 'E', 'zzzz', '====', 'a signature of another service', '\ud800'])
    assert.equal(isCutSignature(text), false, text);
});

test('no signature of the corpora is truncated, and each real one is when halved', () => {
  const signatures = new Set<string>();
  for (const value of corpusValues('real', 'public')) {
    const content = asObject(asObject(value)?.message)?.content;
    for (const block of isArray(content) ? content : []) {
      const found = asString(asObject(block)?.signature);
      if (found) signatures.add(found);
    }
  }
  assert.ok(signatures.size > 100);
  assert.deepEqual([...signatures].filter(isCutSignature), []);
  const long = [...signatures].filter((each) => each.length >= 200);
  assert.ok(long.length > 100);
  assert.deepEqual(
    long.filter((each) => !isCutSignature(each.slice(0, each.length / 2))),
    [],
  );
});
