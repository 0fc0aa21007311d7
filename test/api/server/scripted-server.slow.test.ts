// // The scripted server and bodies of megabytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { maxBodyBytes } from '../../../src/api/server/judge.ts';
import { asObject } from '../../../src/base/json/json.ts';
import { ask, post } from '../../support/messages-client.ts';
import { pong, start } from './scripted-server-kit.ts';

test('too large a body is 413, compressed or not, and compressed bodies are read', async (t) => {
  const { url } = await start(t, [pong]);
  const large = 'x'.repeat(maxBodyBytes);
  for (const [body, headers] of [
    [JSON.stringify(ask(large)), {}],
    [gzipSync(JSON.stringify(ask(large))), { 'content-encoding': 'gzip' }],
    [JSON.stringify(ask('x'.repeat(32 * 1024 * 1024))), {}],
  ] as const) {
    const answered = await post(url, body, headers);
    assert.deepEqual([answered.status, asObject(answered.body.error)?.type], [413, 'request_too_large']);
  }
  const packed = await post(url, gzipSync(JSON.stringify(ask('hi'))), { 'content-encoding': 'gzip' });
  assert.equal(packed.status, 200);
});
