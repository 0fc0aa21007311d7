// The bundle format as a reader must treat it: what it refuses, what a damaged file never becomes, which paths are neutral
// in it, and where an import puts sessions.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { JsonObject } from '../../src/base/json/json.ts';
import { firstLine } from '../../src/surgery/bundle/format.ts';
import { planImport } from '../../src/surgery/bundle/import.ts';
import { checkBundle, extractBundle, unpackBundle } from '../../src/surgery/bundle/read.ts';
import { writeBundle } from '../../src/surgery/bundle/write.ts';
import { type Outcome, operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { type Bench, benchWith, contentsOf, entriesOf } from '../support/surgery-kit.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';

test('an invalid bundle is refused and leaves no files', async (context) => {
  const content = Buffer.from(transcript().user('one').text());
  const good = { name: `${sessionId}.jsonl`, sizeBytes: content.length, sha256: sha256(content) };
  const bundle = (files: readonly JsonObject[], ...contents: Buffer[]): Buffer =>
    packed({ version: 1, sessions: [{ sessionId, files }] }, [content, ...contents]);
  const more = (name: string): Buffer =>
    bundle([good, { name, sizeBytes: 1, sha256: sha256(Buffer.from('x')) }], Buffer.from('x'));
  const cases: readonly [Buffer, RegExp][] = [
    [Buffer.from('PK\x03\x04'), /is not a bundle/],
    [Buffer.from('CLEW-BUNDLE 2 brotli\n'), /version 2 \(brotli\), but this Clew reads version 1; update Clew/],
    [Buffer.concat([Buffer.from(firstLine), Buffer.from('no brotli at all')]), /damaged|no manifest/],
    [packed({ version: 1, sessions: [] }, []), /has no sessions/],
    [packed({ version: 1, sessions: [{ sessionId: '../x', files: [good] }] }, [content]), /invalid id/],
    ...[
      '../up',
      '/etc/x',
      `${sessionId}/../../x`,
      `${sessionId}/a\\..\\b`,
      `${sessionId}/C:x`,
      'C:\\x',
      `${sessionId}/..`,
      `${sessionId}//x`,
      'other.jsonl',
      `${sessionId}/a\u0000b`,
    ].map((name) => [more(name), /names a forbidden file/] as [Buffer, RegExp]),
    [bundle([good, good], content), /twice/],
    [bundle([{ ...good, sha256: '0'.repeat(64) }]), /does not match its hash/],
    [bundle([{ ...good, sizeBytes: content.length + 1 }]), /ends in the middle/],
    [bundle([good], Buffer.from('more')), /more data than its manifest states/],
    [bundle([{ ...good, sizeBytes: 1e15 }]), /too large/],
    [bundle([{ ...good, sizeBytes: -1 }]), /invalid size/],
    [bundle([{ ...good, sizeBytes: 100_000_000 }], Buffer.alloc(40_000_000)), /unpacks to more than/],
  ];
  const folder = temporaryFolder(context);
  const root = path.join(folder, 'root');
  mkdirSync(path.join(root, 'projects'), { recursive: true });
  const env = { ...process.env, CLEW_HOME: path.join(folder, 'state') };
  for (const [bytes, expected] of cases) {
    const file = path.join(folder, 'x.clew');
    writeFileSync(file, bytes);
    await assert.rejects(
      unpackBundle(file, env, () => Promise.resolve()),
      expected,
    );
    assert.deepEqual([...contentsOf(path.join(folder, 'state')).keys()], []);
  }
  writeFileSync(path.join(folder, 'good.clew'), bundle([good]));
  assert.equal((await checkBundle(path.join(folder, 'good.clew'))).sessions.length, 1);
});

test('a bundle that is cut or has one byte flipped never imports anything else', async (context) => {
  const bench = benchWith(context, sessionId, transcript().user('one '.repeat(200)).assistant('two').text());
  const file = path.join(path.dirname(bench.root), 'a.clew');
  await writeBundle(file, [await loadSource(bench.main)]);
  const bytes = readFileSync(file);
  const bad = `${file}.bad`;
  const packed = brotliDecompressSync(bytes.subarray(firstLine.length));
  const content = packed.subarray(packed.indexOf('\n') + 1).toString('latin1');
  let refused = 0;
  let read = 0;
  for (let at = 0; at < bytes.length; at += 3) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ 0x10;
    for (const damagedBytes of [bytes.subarray(0, at), flipped]) {
      writeFileSync(bad, damagedBytes);
      const folder = path.join(temporaryFolder(context), 'unpacked');
      const error = await extractBundle(bad, folder).then(() => undefined, String);
      if (error === undefined) {
        // A flipped bit may be in a title or a time; what is unpacked has the bytes that were packed.
        assert.deepEqual([...contentsOf(folder).values()], [content], String(at));
        read++;
      } else {
        assert.match(error, /^UserError/, `${at}: ${error}`);
        refused++;
      }
    }
  }
  assert.ok(refused > read && refused > 100, `${refused} refused, ${read} read`);
});

test('sessions from Windows are imported on Unix, and what redacts is asked for every line and file', async (context) => {
  const windows = 'C:\\Users\\kim\\p';
  const bench = benchWith(
    context,
    sessionId,
    transcript({ cwd: windows })
      .user('key-1')
      .assistant('two', { cwd: `${windows}\\src\\x` })
      .text(),
    {
      [`${sessionId}/tool-results/a.txt`]: 'key-1 key-1',
    },
  );
  const file = path.join(path.dirname(bench.root), 'w.clew');
  const redact = (bytes: Buffer): Buffer => Buffer.from(bytes.toString('utf8').replaceAll('key-1', '[redacted]'));
  const manifest = await writeBundle(file, [await loadSource(bench.main)], { redact });
  assert.deepEqual([manifest.isRedacted, plainOf(file).includes('key-1')], [true, false]);
  const { to } = await importInto(bench, file, temporaryFolder(context), '/srv/p');
  assert.deepEqual(
    entriesOf(to.path).map(({ cwd }) => cwd),
    ['/srv/p', '/srv/p/src/x'],
  );
});

test('a bundle names neither the project nor the home nor the side folder', async (context) => {
  const { file } = await bundled(context);
  const inside = plainOf(file).toString('utf8');
  const [manifest = '', ...lines] = inside.split('\n');
  assert.deepEqual(
    lines.slice(0, 3).map((line) => (JSON.parse(line) as JsonObject).cwd),
    ['{{project}}', '{{project}}/src', '{{home}}/other'],
  );
  assert.equal(
    (JSON.parse(lines[1] ?? '') as { toolUseResult: JsonObject }).toolUseResult.persistedOutputPath,
    `{{sessions}}/${sessionId}/tool-results/b1.txt`,
  );
  const { madeAt, sessions, ...rest } = JSON.parse(manifest) as JsonObject;
  assert.deepEqual(rest, { version: 1, redacted: false });
  assert.deepEqual(
    (sessions as readonly { readonly files: readonly { readonly name: string }[] }[]).map(({ files }) =>
      files.map(({ name }) => name),
    ),
    [[`${sessionId}.jsonl`, `${sessionId}/tool-results/b1.txt`, 'file-history/0123@v1']],
  );
  assert.ok(!Number.isNaN(Date.parse(String(madeAt))));
});

test('an import puts the session into the folder, and under a new id where the library has it already', async (context) => {
  const { bench, file } = await bundled(context);
  const root = temporaryFolder(context);
  const first = await importInto(bench, file, root, '/srv/p');
  const folder = path.join(root, 'projects/-srv-p');
  assert.deepEqual(first.to, { sessionId, path: path.join(folder, `${sessionId}.jsonl`) });
  const lines = entriesOf(first.to.path);
  assert.deepEqual(
    lines.flatMap(({ cwd }) => cwd ?? []),
    ['/srv/p', '/srv/p/src', '/home/eve/other'],
  );
  assert.deepEqual(lines[1]?.toolUseResult, { persistedOutputPath: `${folder}/${sessionId}/tool-results/b1.txt` });
  const bytes = readFileSync(first.to.path, 'utf8');
  const again = await importInto(bench, file, root, '/srv/p', new Set([sessionId]));
  const { sessionId: newId } = again.to;
  assert.notEqual(newId, sessionId);
  assert.ok(entriesOf(again.to.path).every(({ sessionId: id = newId }) => id === newId));
  assert.deepEqual(again.notes, [
    'warning: /srv/p does not exist; create it before you resume there',
    `${sessionId} already exists, so it got a new id`,
    'the bundle is not redacted',
  ]);
  assert.equal(readFileSync(first.to.path, 'utf8'), bytes);
  assert.deepEqual(
    [...contentsOf(root).keys()].filter((name) => !name.endsWith('.jsonl')).sort(),
    [sessionId, newId]
      .flatMap((id) => [`file-history/${id}/0123@v1`, `projects/-srv-p/${id}/tool-results/b1.txt`])
      .sort(),
  );
});

async function bundled(context: TestContext): Promise<{ bench: Bench; file: string }> {
  const bench = benchWith(context, sessionId, '');
  const saved = `${bench.folder}/${sessionId}/tool-results/b1.txt`;
  const main = transcript({ cwd: '/home/kim/project' })
    .user('one')
    .user('two', { cwd: '/home/kim/project/src', toolUseResult: { persistedOutputPath: saved } })
    .assistant('done', { cwd: '/home/kim/other' })
    .aside('file-history-snapshot', {
      messageId: 'u1',
      snapshot: { messageId: 'u1', trackedFileBackups: { 'src/a.ts': { backupFileName: '0123@v1' } } },
    });
  writeTree(bench.folder, { [`${sessionId}.jsonl`]: main.text(), [`${sessionId}/tool-results/b1.txt`]: 'output' });
  writeTree(bench.root, { [`file-history/${sessionId}/0123@v1`]: 'backup' });
  const file = path.join(path.dirname(bench.root), 'one.clew');
  await writeBundle(file, [await loadSource(bench.main)]);
  return { bench, file };
}

async function importInto(
  bench: Bench,
  file: string,
  root: string,
  to: string,
  taken: ReadonlySet<string> = new Set(),
): Promise<Outcome> {
  return unpackBundle(file, bench.env, async (manifest, unpacked) => {
    const options = {
      file,
      unpacked,
      projects: path.join(root, 'projects'),
      to,
      home: '/home/eve',
      taken,
    };
    const { plan, sources } = await planImport(manifest, options);
    return operate(plan, sources, { env: bench.env });
  });
}

function plainOf(file: string): Buffer {
  return brotliDecompressSync(readFileSync(file).subarray(firstLine.length));
}

function packed(manifest: JsonObject, contents: readonly Buffer[]): Buffer {
  const plain = Buffer.concat([Buffer.from(`${JSON.stringify(manifest)}\n`), ...contents]);
  return Buffer.concat([
    Buffer.from(firstLine),
    brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  ]);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
