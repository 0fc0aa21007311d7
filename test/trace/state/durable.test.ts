// The order in which tracing writes, syncs and renames files, and the locks it holds meanwhile: what is committed is
// there after a power cut, and no step happens before the one it relies on (docs/tracing.md, "How nothing is lost").
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { sendOutbox } from '../../../src/trace/outbox/send.ts';
import { traceSession } from '../../../src/trace/session/trace-session.ts';
import { sessionText } from '../../support/session-text.ts';
import { writeTree } from '../../support/temp-folder.ts';
import { contextFor, homeFor, runOf, toolTurn, traceEnv } from '../../support/trace-kit.ts';
import { type Mood, startReceiver } from '../../support/trace-receiver.ts';

test('a turn is claimed, spooled, committed, recorded and released, each step on disk before the next', async (context) => {
  const { tracer, file } = written(context, 'http://127.0.0.1:9');
  const calls = record(context, tracer.places.folder);
  await traceSession(runOf(file), tracer);
  assert.deepEqual(calls.done(), [
    ...['write ledger/default.bin', 'sync ledger/default.bin'],
    ...['write outbox/default/TEMP', 'sync outbox/default/TEMP'],
    ...['rename outbox/default/TEMP to outbox/default/BATCH.pending-SESSION', 'sync outbox/default'],
    ...['write sessions/TEMP', 'sync sessions/TEMP', 'rename sessions/TEMP to sessions/SESSION.json', 'sync sessions'],
    ...['write ledger/default.bin', 'sync ledger/default.bin'],
    ...['rename outbox/default/BATCH.pending-SESSION to outbox/default/BATCH.ready', 'sync outbox/default'],
  ]);
  assert.deepEqual(calls.locks(/^sync ledger/), ['ledger/default.bin.lock sessions/SESSION.lock']);
  assert.deepEqual(calls.locks(/outbox|sessions/), ['sessions/SESSION.lock']);
});

test('a batch that was taken is marked, counted and deleted, in this order, by the one sender that holds the lock', async (context) => {
  const { calls } = await sent(context, 'fine');
  assert.deepEqual(calls.done(), [
    ...['rename outbox/default/BATCH.ready to outbox/default/BATCH.sending', 'sync outbox/default'],
    ...['rename outbox/default/BATCH.sending to outbox/default/BATCH.acked', 'sync outbox/default'],
    ...['write status/TEMP', 'sync status/TEMP', 'rename status/TEMP to status/default.json', 'sync status'],
    'remove outbox/default/BATCH.acked',
  ]);
  assert.deepEqual(calls.locks(/./), ['send-default.lock']);
});

test('a batch that was refused is parked only after its reason is on disk', async (context) => {
  const { calls } = await sent(context, '400');
  assert.deepEqual(calls.done(), [
    ...['rename outbox/default/BATCH.ready to outbox/default/BATCH.sending', 'sync outbox/default'],
    ...['write dead/default/TEMP', 'sync dead/default/TEMP', 'rename dead/default/TEMP to dead/default/BATCH.reason'],
    'sync dead/default',
    ...['rename outbox/default/BATCH.sending to dead/default/BATCH.batch', 'sync dead/default', 'sync outbox/default'],
    ...['write status/TEMP', 'sync status/TEMP', 'rename status/TEMP to status/default.json', 'sync status'],
  ]);
});

test('files that hold what was said can be read by their owner only', async (context) => {
  const { tracer, file } = written(context, 'http://127.0.0.1:9');
  await traceSession(runOf(file), tracer);
  const { folder } = tracer.places;
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const modes = names.map((name) => [name, fs.statSync(path.join(folder, name)).mode & 0o077] as const);
  assert.ok(modes.length >= 6);
  assert.deepEqual(
    modes.filter(([, mode]) => mode !== 0),
    [],
  );
});

function written(context: TestContext, url: string) {
  const home = homeFor(context);
  writeTree(home, { 'p/s.jsonl': sessionText(toolTurn('a'), { sessionId: 's' }) });
  return {
    tracer: contextFor(traceEnv(home, url, { CLEW_TRACE_REDACT: 'off' })),
    file: path.join(home, 'p', 's.jsonl'),
  };
}

async function sent(context: TestContext, mood: Mood): Promise<{ readonly calls: Calls }> {
  const receiver = await startReceiver(context, { mood: () => mood });
  const { tracer, file } = written(context, receiver.url);
  await traceSession(runOf(file), tracer);
  const { places, config } = tracer;
  const calls = record(context, places.folder);
  await sendOutbox({ places, destinations: config.destinations });
  return { calls };
}

interface Calls {
  readonly done: () => readonly string[];
  /** The sets of locks that were held at the calls that match. */
  readonly locks: (calls: RegExp) => readonly string[];
}

/** What this process does to files below `folder` from now on. */
function record(context: TestContext, folder: string): Calls {
  const real = { ...fs };
  const opened = new Map<number, string>();
  const calls: { readonly text: string; readonly locks: string }[] = [];
  const note = (text: string): void => {
    const locks = real
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.lock$/.test(name));
    // The files of the locks themselves have their own tests.
    if (/\.lock(?:\.[0-9a-f]+)?$/.test(text)) return;
    calls.push({ text: plain(text), locks: locks.map(plain).sort().join(' ') });
  };
  const below = (file: fs.PathLike): string => path.relative(folder, String(file));
  const isBelow = (file: fs.PathLike): boolean => !below(file).startsWith('..');
  fs.openSync = (file, ...rest) => {
    const handle = real.openSync(file, ...rest);
    opened.set(handle, String(file));
    return handle;
  };
  fs.closeSync = (handle) => {
    opened.delete(handle);
    real.closeSync(handle);
  };
  fs.writeSync = ((handle: number, ...rest: [Buffer]) => {
    const file = opened.get(handle);
    const last = calls.at(-1)?.text;
    // A file is written in pieces.
    if (file !== undefined && isBelow(file) && last !== plain(`write ${below(file)}`)) note(`write ${below(file)}`);
    return real.writeSync(handle, ...rest);
  }) as typeof fs.writeSync;
  fs.fsyncSync = (handle) => {
    const file = opened.get(handle);
    if (file !== undefined && isBelow(file)) note(`sync ${below(file)}`);
    real.fsyncSync(handle);
  };
  fs.renameSync = (from, to) => {
    if (isBelow(to) && real.existsSync(from)) note(`rename ${below(from)} to ${below(to)}`);
    real.renameSync(from, to);
  };
  fs.rmSync = (file, ...rest) => {
    if (isBelow(file) && real.existsSync(file)) note(`remove ${below(file)}`);
    real.rmSync(file, ...rest);
  };
  syncBuiltinESMExports();
  context.after(() => {
    const { openSync, closeSync, writeSync, fsyncSync, renameSync, rmSync } = real;
    Object.assign(fs, { openSync, closeSync, writeSync, fsyncSync, renameSync, rmSync });
    syncBuiltinESMExports();
  });
  return {
    done: () => calls.map(({ text }) => text),
    locks: (wanted) => [...new Set(calls.filter(({ text }) => wanted.test(text)).map(({ locks }) => locks))],
  };
}

/** Names of temporary files, batches and sessions differ in every run. */
function plain(text: string): string {
  return text
    .replaceAll(/\.clew-[0-9a-f]{16}\.tmp/g, 'TEMP')
    .replaceAll(/\b\d{15}-[0-9a-f]{24}\b/g, 'BATCH')
    .replaceAll(/\bs-[0-9a-f]{12}\b/g, 'SESSION');
}
