// Bundles: what goes in comes out elsewhere and sends the same; paths are neutral on the way; nothing that a stranger
// may have put into one does harm.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { JsonObject } from '../../src/base/json.ts';
import { firstLine } from '../../src/surgery/bundle/format.ts';
import { planImport } from '../../src/surgery/bundle/import.ts';
import { checkBundle, extractBundle } from '../../src/surgery/bundle/read.ts';
import { unpackBundle } from '../../src/surgery/bundle/unpack.ts';
import { writeBundle } from '../../src/surgery/bundle/write.ts';
import { type Outcome, operate } from '../../src/surgery/operate.ts';
import { loadSource } from '../../src/surgery/source.ts';
import { jsonOf, runClew } from '../support/clew.ts';
import { plantedBench } from '../support/planted-session.ts';
import { type Bench, benchWith, contentsOf, entriesOf, undoLast } from '../support/surgery-kit.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { sessionId, toolResult, transcript } from '../support/transcript-builder.ts';
import { fakeSecrets } from './secrets/fake-secrets.ts';

test('a bundle names neither project, home nor the place of outputs, and an import puts its own there', async (context) => {
  const bench = benchWith(context, sessionId, '');
  const saved = `${bench.folder}/${sessionId}/tool-results/b1.txt`;
  const big = `<persisted-output>\nOutput too large (300KB). Full output saved to: ${saved}\n\nPreview: x`;
  writeTree(bench.folder, {
    [`${sessionId}.jsonl`]: transcript({ cwd: '/home/kim/project' })
      .user('one')
      .call('toolu_1')
      .user([toolResult('toolu_1', big)], {
        cwd: '/home/kim/project/src',
        toolUseResult: { persistedOutputPath: saved },
      })
      .assistant('done', { cwd: '/home/kim/other' })
      .text(),
    [`${sessionId}/tool-results/b1.txt`]: 'output',
    [`${sessionId}/subagents/agent-abc.jsonl`]: transcript({
      isSidechain: true,
      agentId: 'abc',
      cwd: '/home/kim/project',
    })
      .user('s')
      .text(),
  });
  writeTree(bench.root, { [`file-history/${sessionId}/0123@v1`]: 'backup' });
  const file = path.join(path.dirname(bench.root), 'one.clew');
  const env = { CLEW_HOME: bench.env.CLEW_HOME, HOME: '/home/eve' };
  const bundled = jsonOf(['bundle', sessionId, '-o', file, '--json', '--root', bench.root], { env });
  assert.deepEqual(
    { ...(bundled as JsonObject), sizeBytes: null },
    {
      operation: 'bundle',
      written: true,
      path: file,
      redacted: true,
      sessions: [{ sessionId, title: 'one', files: 4 }],
      sizeBytes: null,
    },
  );
  const inside = plainOf(file).toString('utf8');
  assert.ok(!inside.includes('"cwd":"/home/kim') && !inside.includes(bench.folder));

  const root = temporaryFolder(context);
  const work = path.join(root, 'work');
  mkdirSync(work);
  const imported = jsonOf(['import', file, '--json', '--root', root], { env, cwd: work }) as JsonObject;
  const folder = path.join(root, 'projects', work.replace(/[^A-Za-z0-9]/g, '-'));
  assert.deepEqual(imported.to, { sessionId, path: path.join(folder, `${sessionId}.jsonl`) });
  const lines = entriesOf(path.join(folder, `${sessionId}.jsonl`));
  assert.deepEqual(
    lines.map(({ cwd }) => cwd),
    [work, work, `${work}/src`, '/home/eve/other'],
  );
  const there = `${folder}/${sessionId}/tool-results/b1.txt`;
  assert.deepEqual(lines[2]?.toolUseResult, { persistedOutputPath: there });
  assert.ok(JSON.stringify(lines[2]?.message).includes(`saved to: ${there}\\n`));
  assert.deepEqual(
    [...contentsOf(root).keys()].sort(),
    [
      `file-history/${sessionId}/0123@v1`,
      ...[`${sessionId}.jsonl`, `${sessionId}/subagents/agent-abc.jsonl`, `${sessionId}/tool-results/b1.txt`].map(
        (name) => path.relative(root, path.join(folder, name)),
      ),
    ].sort(),
  );
  const again = jsonOf(['import', file, '--to', work, '--json', '--root', root], { env }) as JsonObject;
  const { sessionId: newId, path: second } = again.to as { sessionId: string; path: string };
  assert.notEqual(newId, sessionId);
  assert.ok(entriesOf(second).every((entry) => entry.sessionId === newId));
  assert.ok(existsSync(path.join(root, 'file-history', newId, '0123@v1')));
  assert.deepEqual(readdirSync(path.join(bench.env.CLEW_HOME, 'imports')), []);
  await undoLast(bench);
  assert.ok(!existsSync(second) && !existsSync(path.join(root, 'file-history', newId)));
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

test('secrets of every kind are taken out of a bundle unless one says otherwise', async (context) => {
  const fakes = fakeSecrets(11);
  const bench = plantedBench(
    context,
    fakes.map(({ text }) => text),
  );
  const bundle = (name: string, ...flags: string[]): string => {
    const file = path.join(temporaryFolder(context), name);
    assert.equal(
      runClew(['bundle', bench.main, '-o', file, ...flags], { env: { CLEW_HOME: bench.env.CLEW_HOME } }).status,
      0,
    );
    return plainOf(file).toString('utf8');
  };
  const plain = bundle('plain.clew', '--no-redact');
  const redacted = bundle('redacted.clew');
  const isPlain = ({ value }: { value: string }): boolean => !/["\\\n]/.test(value);
  for (const { kind, value } of fakes.filter(isPlain)) {
    assert.ok(plain.includes(value), `${kind} was not planted`);
    assert.ok(!redacted.includes(value), `${kind} is in the bundle`);
  }
});

test('what a bundle must not hold is refused, and nothing is left behind', async (context) => {
  const content = Buffer.from(transcript().user('one').text());
  const good = { name: `${sessionId}.jsonl`, sizeBytes: content.length, sha256: sha256(content) };
  const bundle = (files: readonly JsonObject[], ...contents: Buffer[]): Buffer =>
    packed({ version: 1, sessions: [{ sessionId, files }] }, [content, ...contents]);
  const more = (name: string): Buffer =>
    bundle([good, { name, sizeBytes: 1, sha256: sha256(Buffer.from('x')) }], Buffer.from('x'));
  const cases: readonly [Buffer, RegExp][] = [
    [Buffer.from('PK\x03\x04'), /does not begin like one/],
    [Buffer.from('CLEW-BUNDLE 2 brotli\n'), /version 2 \(brotli\), this Clew reads 1; update Clew/],
    [Buffer.concat([Buffer.from(firstLine), Buffer.from('no brotli at all')]), /damaged|no manifest/],
    [packed({ sessions: [] }, []), /holds no session/],
    [packed({ sessions: [{ sessionId: '../x', files: [good] }] }, [content]), /no proper id/],
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
    ].map((name) => [more(name), /names a file that it must not/] as [Buffer, RegExp]),
    [bundle([good, good], content), /twice/],
    [bundle([{ ...good, sha256: '0'.repeat(64) }]), /not what its hash says/],
    [bundle([{ ...good, sizeBytes: content.length + 1 }]), /ends in the middle/],
    [bundle([good], Buffer.from('more')), /more in it than it says/],
    [bundle([{ ...good, sizeBytes: 1e15 }]), /too much/],
    [bundle([{ ...good, sizeBytes: -1 }]), /no proper size/],
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
  const cli = runClew(['import', path.join(folder, 'x.clew'), '--root', root], { env: { CLEW_HOME: env.CLEW_HOME } });
  assert.deepEqual([cli.status, contentsOf(root).size], [2, 0]);
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
