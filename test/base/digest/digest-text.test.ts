import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestText, measureText, restoreText } from '../../../src/base/digest/digest.ts';

const long = 'The keeper lights the lamp. '.repeat(100);

test('a long text becomes a short one with the same beginning and end', () => {
  const short = digestText(long);
  assert.ok(short.length < 300, `${short.length} characters`);
  assert.ok(short.startsWith(long.slice(0, 64)) && short.endsWith(long.slice(-64)));
});

test('texts that differ anywhere have different digests, equal ones the same', () => {
  assert.equal(digestText(long), digestText(`${long}`));
  const others = Array.from({ length: 40 }, (_, i) => {
    const at = Math.floor((i * long.length) / 40);
    return `${long.slice(0, at)}#${long.slice(at + 1)}`;
  });
  assert.equal(new Set([long, ...others].map((text) => digestText(text))).size, 41);
});

test('what is added after a text is added after its digest', () => {
  for (const added of ['\n', '  ', '\n\n'])
    assert.equal(digestText(long.trimEnd() + added), digestText(long.trimEnd()) + added);
});

test('short, blank and malformed texts are not changed', () => {
  for (const text of ['', 'short', ' '.repeat(5000), `${' '.repeat(5000)}x`, `x${'\n'.repeat(5000)}`, `${long}\ud800`])
    assert.equal(digestText(text), text);
});

test('no text of a transcript looks like a digest', () => {
  const forged = digestText(long).replace(/[0-9a-f]{18}/g, '0'.repeat(18));
  assert.equal(measureText(forged, 'chars'), forged.length);
});

test('a text is measured as JSON prints it, with every character that JSON escapes', () => {
  const ascii = String.fromCharCode(...Array.from({ length: 128 }, (_, i) => i));
  for (const text of [ascii, ascii.repeat(9), `${ascii}é灯😀\u2028`.repeat(9), `${long}\ud800`]) {
    const wanted = Buffer.byteLength(JSON.stringify(text));
    assert.equal(measureText(text, 'json'), wanted);
    assert.equal(measureText(digestText(text), 'json'), wanted);
  }
});

test('a digest becomes its text again, also inside another text', () => {
  const parts = new Map<string, string>();
  const text = `${long}$& $1 é灯😀 ${long}`;
  const short = digestText(text, 64, (digest, part) => parts.set(digest, part));
  assert.equal(parts.size, 1);
  const partOf = (digest: string): string => parts.get(digest) ?? assert.fail(digest);
  assert.equal(restoreText(`before ${short} between ${short}\n`, partOf), `before ${text} between ${text}\n`);
  assert.equal(restoreText(long, partOf), long);
});
