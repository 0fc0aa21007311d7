// Files of a lake in a real S3 server: whole or not there, never replaced, whatever the network does.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { S3Storage } from '../../src/team/lake/storage/s3-storage.ts';
import { startFakeProxy } from '../support/fake-proxy.ts';
import { noS3Server, type S3Server, startS3 } from '../support/s3-server.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const partBytes = 5 * 1024 * 1024;
const large = Buffer.alloc(2 * partBytes + 7, 'part of a large file ');

async function storageOf({ env }: S3Server, prefix = 'a b/c'): Promise<S3Storage> {
  return S3Storage.open(`s3://lake/${prefix}`, env, { partBytes, pageSize: 3 });
}

async function create(storage: S3Storage, name: string, content: Buffer): Promise<boolean> {
  const file = storage.create(name);
  for (let i = 0; i < content.length; i += partBytes) await file.write(content.subarray(i, i + partBytes));
  return file.finish();
}

async function namesIn(storage: S3Storage): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const name of storage.list()) names.push(name);
  return names.sort();
}

for (const isConditional of [true, false]) {
  const server = isConditional ? 'a server with conditions' : 'a server without conditions';
  test(`${server} takes a file once, small or in parts`, { skip: noS3Server }, async (context) => {
    const storage = await storageOf(await startS3(context, { isConditional }));
    const small = Buffer.from('small');
    for (const [name, content] of [
      ['usage/month=2026-03/part-1.parquet', small],
      ['usage/month=2026-03/part-2.parquet', large],
    ] as const) {
      assert.equal(await storage.read(name), undefined);
      assert.equal(await create(storage, name, content), true);
      assert.equal(await create(storage, name, Buffer.concat([content, content])), false);
      assert.ok(content.equals((await storage.read(name)) ?? Buffer.alloc(0)));
    }
  });
}

test('all names of the prefix are listed, page by page, and no others', { skip: noS3Server }, async (context) => {
  const server = await startS3(context);
  const storage = await storageOf(server);
  const names = Array.from({ length: 8 }, (_, i) => `calls/month=2026-0${i + 1}/part-ü&${i}.parquet`);
  for (const name of names) await create(storage, name, Buffer.from(name));
  await create(await storageOf(server, 'a b/cd'), 'other', Buffer.from('x'));
  assert.deepEqual(await namesIn(storage), names);
  await storage.remove(names[0] ?? '');
  await storage.remove(names[0] ?? '');
  assert.deepEqual(await namesIn(storage), names.slice(1));
});

test('an upload that was not finished is invisible, and can be removed', { skip: noS3Server }, async (context) => {
  const server = await startS3(context);
  const storage = await storageOf(server);
  for (let i = 0; i < 3; i++) await storage.create(`left-${i}`).write(large);
  const abandoned = storage.create('abandoned');
  await abandoned.write(large);
  await abandoned.abandon();
  assert.deepEqual(await namesIn(storage), []);
  const uploads = async (): Promise<number> => {
    server.requests.length = 0;
    await storage.removeUnfinished();
    return server.requests.filter((request) => request.startsWith('DELETE')).length;
  };
  assert.equal(await uploads(), 3);
  assert.equal(await uploads(), 0);
});

test('requests are repeated, and a lost answer is not another file', { skip: noS3Server }, async (context) => {
  const server = await startS3(context);
  const storage = await storageOf(server);
  for (const fault of ['fail', 'lose'] as const) {
    for (const [size, content] of [
      ['small', Buffer.from('small')],
      ['large', large],
    ] as const) {
      const seen = new Map<string, number>();
      // The first time of each request.
      server.meddle = (request) => {
        const key = request.replace(/uploadId=[^&]*/, '');
        seen.set(key, (seen.get(key) ?? 0) + 1);
        return seen.get(key) === 1 ? fault : undefined;
      };
      assert.equal(await create(storage, `${fault}-${size}`, content), true, `${fault} ${size}`);
      assert.ok([...seen.values()].some((count) => count > 1));
      assert.equal(await create(storage, `${fault}-${size}`, Buffer.from('other')), false);
      server.meddle = () => undefined;
      assert.ok(content.equals((await storage.read(`${fault}-${size}`)) ?? Buffer.alloc(0)));
    }
  }
});

test('what S3 refuses is reported once, with the next step', { skip: noS3Server }, async (context) => {
  const server = await startS3(context);
  const wrong = await S3Storage.open('s3://lake/x', { ...server.env, AWS_SECRET_ACCESS_KEY: 'wrong' });
  await assert.rejects(
    wrong.read('a'),
    /s3:\/\/lake refused GET x\/a: SignatureDoesNotMatch .*; check the credentials/,
  );
  assert.equal(server.requests.length, 1);
  const missing = await S3Storage.open('s3://no-such-bucket/x', server.env);
  await assert.rejects(namesIn(missing), /refused GET of the bucket: NoSuchBucket/);
  await assert.rejects(missing.read('a'), /there is no bucket for s3:\/\/no-such-bucket\/x/);
  server.meddle = () => 'fail';
  await assert.rejects(wrong.read('a'), /status 503; run it again later/);
  await assert.rejects(S3Storage.open('s3://Bad_Name', server.env), /is not an address of S3/);
});

test('credentials come from a profile, and requests go through the proxy', { skip: noS3Server }, async (context) => {
  const server = await startS3(context);
  const file = path.join(temporaryFolder(context), 'credentials');
  writeFileSync(file, '[lake]\naws_access_key_id = test:clew\naws_secret_access_key = secret\n');
  const proxy = await startFakeProxy(context);
  const { AWS_ENDPOINT_URL_S3: endpoint = '' } = server.env;
  const storage = await S3Storage.open('s3://lake', {
    AWS_ENDPOINT_URL: endpoint,
    AWS_PROFILE: 'lake',
    AWS_SHARED_CREDENTIALS_FILE: file,
    AWS_CONFIG_FILE: `${file}-none`,
    HTTP_PROXY: proxy.url,
  });
  assert.equal(await create(storage, 'a', Buffer.from('a')), true);
  assert.deepEqual(await namesIn(storage), ['a']);
  assert.deepEqual(
    proxy.asked.map((asked) => asked.split('?')[0]),
    [`PUT ${endpoint}/lake/a`, `GET ${endpoint}/lake`],
  );
});
