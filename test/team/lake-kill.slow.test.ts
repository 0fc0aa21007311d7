// `clew export --store --to` as a process that is killed, in a folder and in S3: no half file is ever visible, and the next run
// completes the lake.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { connect, DatabaseTarget } from '../../src/team/database/index.ts';
import { S3Storage } from '../../src/team/lake/storage/s3-storage.ts';
import { cleanEnv } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { noPostgres } from '../support/postgres.ts';
import { noS3Server, startS3 } from '../support/s3-server.ts';
import { startTeamStore } from '../support/team-store.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { filesOf, lakeFolder, planned, readLake, sumsOf, sumsSql } from './lake-kit.ts';

test(
  'an export that is killed at any request to S3 is completed by the next',
  { skip: noPostgres || noS3Server },
  async (context) => {
    const store = await startTeamStore(context, { ada: 'developer', carol: 'auditor' });
    const target = new DatabaseTarget(await connect(store.addressOf('ada')));
    context.after(() => target.close());
    const server = await startS3(context);
    const args = [
      'export',
      '--store',
      store.addressOf('carol'),
      '--format',
      'parquet',
      '--to',
      's3://lake/l',
      '--level',
      'text',
      '--purge',
    ];
    let kill: (() => void) | undefined;
    let requests = 0;
    let last = 0;
    server.meddle = () => {
      if (requests++ >= last) kill?.();
      return undefined;
    };
    const exportOnce = (stop: number): Promise<number | null> =>
      new Promise((resolve, reject) => {
        requests = 0;
        last = stop;
        const child = spawn(process.execPath, [clew, ...args], {
          env: { ...cleanEnv(), ...server.env },
          stdio: 'ignore',
        });
        kill = () => child.kill('SIGKILL');
        child.once('error', reject);
        child.once('exit', (code) => resolve(code));
      });
    const storage = await S3Storage.open('s3://lake/l', server.directEnv);
    for (let revision = 1, stop = 1; revision <= 3; revision++) {
      for (const id of ['a1', 'a2'])
        assert.deepEqual(await target.push(planned('ada', { id, level: 3, revision, rows: 3 })), { state: 'open' });
      // Each run is killed a little later than the one before.
      while ((await exportOnce(stop)) !== 0) {
        stop += 6;
        const copy = lakeFolder(context);
        await download(storage, copy);
        const seen = sumsOf(await readLake(copy));
        assert.ok(seen.startsWith('0|') || seen.startsWith('2|6|6|'), seen);
      }
      stop = Math.max(1, stop - 12);
      const copy = path.join(temporaryFolder(context), `${revision}`);
      await download(storage, copy);
      assert.equal(`${sumsOf(await readLake(copy))}\n`, store.server.run(sumsSql(3)));
      const versions = filesOf(copy).filter((name) => name.startsWith('versions/month=2026'));
      assert.equal(versions.length, 1);
    }
  },
);

test(
  'an export that is killed while it writes a folder is completed by the next',
  { skip: noPostgres },
  async (context) => {
    const store = await startTeamStore(context, { ada: 'developer', carol: 'auditor' });
    const target = new DatabaseTarget(await connect(store.addressOf('ada')));
    context.after(() => target.close());
    for (let i = 0; i < 20; i++)
      await target.push(
        planned('ada', { id: `a${i}`, level: 3, rows: 40, times: [`2026-0${(i % 5) + 1}-03T00:00:00Z`] }),
      );
    const folder = lakeFolder(context);
    const args = [
      'export',
      '--store',
      store.addressOf('carol'),
      '--format',
      'parquet',
      '--to',
      folder,
      '--level',
      'text',
      '--purge',
    ];
    let kills = 0;
    const exportOnce = (files: number): Promise<number | null> =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [clew, ...args], { env: cleanEnv(), stdio: 'ignore' });
        const timer = setInterval(() => {
          if (filesIn(folder) >= files) child.kill('SIGKILL');
        }, 1);
        child.once('error', reject);
        child.once('exit', (code) => {
          clearInterval(timer);
          resolve(code);
        });
      });
    // Each run gets a little further than the one before.
    for (let files = 1; (await exportOnce(files)) !== 0; files = filesIn(folder) + 1 + 4 * kills, kills++)
      await readLake(folder);
    assert.ok(kills >= 5, `${kills} kills`);
    assert.equal(`${sumsOf(await readLake(folder))}\n`, store.server.run(sumsSql(3)));
    assert.deepEqual(
      filesOf(folder).filter((name) => name.endsWith('.partial')),
      [],
    );
  },
);

function filesIn(folder: string): number {
  try {
    return filesOf(folder).length;
  } catch {
    return 0; // not there yet, or changing
  }
}

async function download(storage: S3Storage, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for await (const name of storage.list()) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, (await storage.read(name)) ?? '');
  }
}
