// Invalid ids, versions, file names and paths in a bundle, each refused separately. Random
// combinations are in hostile-import.test.ts.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { JsonObject } from '../../src/base/json/json.ts';
import { firstLine } from '../../src/surgery/bundle/format.ts';
import { planImport } from '../../src/surgery/bundle/import.ts';
import { checkBundle, unpackBundle } from '../../src/surgery/bundle/read.ts';
import { writeBundle } from '../../src/surgery/bundle/write.ts';
import { type Outcome, operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { refusalOf } from '../support/refusal.ts';
import { type Bench, benchWith, contentsOf, entriesOf } from '../support/surgery-kit.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';

const content = Buffer.from(transcript().user('one').text());
const main = { name: `${sessionId}.jsonl`, sizeBytes: content.length, sha256: sha256(content) };

test('only UUIDs are session ids, and only the known version of the manifest is read', async (context) => {
  const folder = temporaryFolder(context);
  for (const id of ['../x', 'memory', 'con', '', `${sessionId}x`, `x${sessionId}`, sessionId.replace('-', '')]) {
    const bundle = packed({ version: 1, sessions: [{ sessionId: id, files: [{ ...main, name: `${id}.jsonl` }] }] }, [
      content,
    ]);
    assert.match(await refused(folder, bundle), /a session has an invalid id/, id);
  }
  for (const version of [2, 0, '1', null, 1.5, undefined]) {
    const bundle = packed({ version, sessions: [{ sessionId, files: [main] }] }, [content]);
    assert.match(
      await refused(folder, bundle),
      /has a manifest of version .*, but this Clew reads version 1; update Clew/,
    );
  }
  assert.equal(await refused(folder, packed({ version: 1, sessions: [{ sessionId, files: [main] }] }, [content])), '');
});

test('devices, sub-agents with an odd id, and names outside of the places of a session are refused', async (context) => {
  const folder = temporaryFolder(context);
  const empty = (name: string): JsonObject => ({ name, sizeBytes: 0, sha256: sha256(Buffer.alloc(0)) });
  const bundle = (...names: readonly string[]): Buffer =>
    packed({ version: 1, sessions: [{ sessionId, files: [main, ...names.map(empty)] }] }, [content]);
  const names = [
    ...['con', 'NUL', 'nul.txt', 'com1', 'LPT9.log', 'aux.a.b', 'prn', 'COM\u00b9', 'conin$'].map(
      (name) => `${sessionId}/${name}`,
    ),
    ...['nul', 'com1.txt'].map((name) => `file-history/${name}`),
    ...['agent-.jsonl', 'agent-a b.jsonl', 'agent-\u00e4.jsonl', 'agent-..jsonl', 'AGENT-a.jsonl', 'agent-a.exe'].map(
      (name) => `${sessionId}/subagents/${name}`,
    ),
    ...['x'.repeat(256), 'ä'.repeat(128), 'a/'.repeat(256)].map((name) => `${sessionId}/${name}`),
    ...['file-history/a/b', 'file-history/..', 'memory/MEMORY.md', 'file-history'],
  ];
  for (const name of names) assert.match(await refused(folder, bundle(name)), /names a forbidden file/, name);
  assert.match(await refused(folder, bundle(`${sessionId}/\u00e9`, `${sessionId}/e\u0301`)), /it has a file twice/);
  assert.match(await refused(folder, bundle(`${sessionId}/a`, `${sessionId}/A/b`)), /a file is also a folder/);
  const allowed = [
    'subagents/agent-a98ee2d.jsonl',
    'subagents/agent-acompact-1f2e3d.meta.json',
    'tool-results/console.txt',
  ];
  const sound = bundle(...allowed.map((name) => `${sessionId}/${name}`), 'file-history/0123456789abcdef@v1');
  assert.equal(await refused(folder, sound), '');
});

test('a session without a valid id is not bundled, because it could not be imported', async (context) => {
  const bench = benchWith(context, 'copy', transcript().user('one').assistant('two').text());
  const file = path.join(bench.root, 'x.clew');
  const refusal = await refusalOf(writeBundle(file, [await loadSource(bench.main)]));
  assert.deepEqual(refusal, {
    message:
      'copy is not a valid session id, so it could not be imported; `clew fork copy` creates a session with a valid id',
    exitCode: 2,
  });
});

test('what lines of a bundle name outside the project is refused, and a bundle does not hold it', async (context) => {
  const tracked = (file: string, backupFileName: string | null): string =>
    transcript({ cwd: '/home/kim/project' })
      .user('one')
      .assistant('two')
      .aside('file-history-snapshot', {
        messageId: 'u1',
        snapshot: {
          messageId: 'u1',
          trackedFileBackups: {
            'src/a.ts': { backupFileName: '0123@v1' },
            [file]: { backupFileName, realParentDir: '/etc' },
          },
        },
      })
      .aside('file-history-delta', { snapshotMessageId: 'u1', trackingPath: file, backup: { backupFileName } })
      .text();
  const bench = benchWith(context, sessionId, tracked('/home/kim/.claude/plans/plan.md', null));
  writeTree(bench.root, { [`file-history/${sessionId}/0123@v1`]: 'copy' });
  const file = path.join(path.dirname(bench.root), 'own.clew');
  const { notes } = await writeBundle(file, [await loadSource(bench.main)]);
  assert.deepEqual(notes, ['left out: 1 file outside the project']);
  assert.equal(plainOf(file).includes('plan.md'), false);
  const { to } = await importInto(bench, file, temporaryFolder(context), '/srv/p');
  const snapshot = entriesOf(to.path).find(({ type }) => type === 'file-history-snapshot')?.snapshot as JsonObject;
  assert.deepEqual(snapshot.trackedFileBackups, { 'src/a.ts': { backupFileName: '0123@v1' } });

  const name = '0123456789abcdef@v1';
  const lines = [
    ...['../.secret', '/etc/passwd', 'a/../../b', '..\\b', 'C:\\b', '~/b'].map((each) => tracked(each, name)),
    ...['../x', 'a/b', '..', 'nul', 'a\\b'].map((each) => tracked('src/b.ts', each)),
    transcript({ cwd: '{{project}}/../../x' }).user('one').text(),
    transcript()
      .user('one', { toolUseResult: { persistedOutputPath: '{{sessions}}/x/tool-results/../../y' } })
      .text(),
  ];
  const bad = path.join(path.dirname(bench.root), 'bad.clew');
  for (const text of lines) {
    const content = Buffer.from(text);
    const files = [{ name: `${sessionId}.jsonl`, sizeBytes: content.length, sha256: sha256(content) }];
    writeFileSync(bad, packed({ version: 1, sessions: [{ sessionId, files }] }, [content]));
    const root = temporaryFolder(context);
    await assert.rejects(
      importInto(bench, bad, root, '/srv/p'),
      /line \d+ of .* names ".*", which is outside its folder; request/,
    );
    assert.deepEqual([...contentsOf(root).keys()], []);
  }
});

/** The message, or nothing where the bundle is read. */
async function refused(folder: string, bytes: Buffer): Promise<string> {
  const file = path.join(folder, 'x.clew');
  writeFileSync(file, bytes);
  return (await refusalOf(checkBundle(file)))?.message ?? '';
}

async function importInto(bench: Bench, file: string, root: string, to: string): Promise<Outcome> {
  return unpackBundle(file, bench.env, async (manifest, unpacked) => {
    const options = {
      file,
      unpacked,
      projects: path.join(root, 'projects'),
      to,
      home: '/home/eve',
      taken: new Set<string>(),
    };
    const { plan, sources } = await planImport(manifest, options);
    return operate(plan, sources, { env: bench.env });
  });
}

function plainOf(file: string): Buffer {
  return brotliDecompressSync(readFileSync(file).subarray(firstLine.length));
}

function packed(manifest: object, contents: readonly Buffer[]): Buffer {
  const plain = Buffer.concat([Buffer.from(`${JSON.stringify(manifest)}\n`), ...contents]);
  return Buffer.concat([Buffer.from(firstLine), brotliCompressSync(plain)]);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
