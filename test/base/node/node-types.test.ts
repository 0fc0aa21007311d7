// Public functions that take bytes take any Uint8Array, also one that is a part of a larger buffer.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { asBuffer } from '../../../src/base/node/node-types.ts';
import { parseLine, serialiseLine } from '../../../src/format/line/line.ts';
import { scanRecord } from '../../../src/format/scan/scan.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { redactorFor } from '../../../src/surgery/redact/session-redactor.ts';
import { projectRoot } from '../../support/paths.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

const record = '{"type":"user","uuid":"ü1"}';

/** The text as a plain array of bytes that begins and ends inside another one. */
function plainBytes(text: string): Uint8Array {
  const encoded = new TextEncoder().encode(text);
  const larger = new Uint8Array(encoded.length + 8).fill(0x78);
  larger.set(encoded, 5);
  return larger.subarray(5, 5 + encoded.length);
}

test('a Buffer stays the same object, other bytes are shared without a copy', () => {
  const buffer = Buffer.from('abc');
  assert.equal(asBuffer(buffer), buffer);
  const plain = plainBytes('abc');
  const shared = asBuffer(plain);
  assert.equal(shared.toString('utf8'), 'abc');
  plain[0] = 0x7a;
  assert.equal(shared.toString('utf8'), 'zbc');
});

test('parseLine takes a plain Uint8Array and gives its bytes back', () => {
  const parsed = parseLine(plainBytes(`${record}{"type":"sys`));
  assert.deepEqual(
    parsed.pieces.map(({ entry, bytes }) => [entry?.uuid, bytes.toString('utf8')]),
    [
      ['ü1', record],
      [undefined, '{"type":"sys'],
    ],
  );
  assert.equal(serialiseLine(parsed).toString('utf8'), `${record}{"type":"sys`);
});

test('scanRecord takes a plain Uint8Array', () => {
  const head = scanRecord(plainBytes(record));
  assert.ok(head !== undefined);
  assert.deepEqual([head.type, head.uuid], ['user', 'ü1']);
});

test('a redactor takes a plain Uint8Array', async (t) => {
  const root = temporaryFolder(t);
  cpSync(path.join(projectRoot, 'demo'), root, { recursive: true });
  const id = '8f1e8572-039f-44b0-89fa-1bf77d576419';
  const redactor = redactorFor([await loadSource(path.join(root, 'projects/-home-ada-recipes', `${id}.jsonl`))]);
  const secret = ['ghp', '16C7e42F292c6912E7710c838347Ae178B4a'].join('_');
  const redacted = redactor.redact(plainBytes(`{"type":"user","text":"${secret} ü"}`)).toString('utf8');
  assert.match(redacted, /^\{"type":"user","text":"\S+ ü"\}$/);
  assert.ok(!redacted.includes(secret));
});
