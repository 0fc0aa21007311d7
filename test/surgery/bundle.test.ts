// Bundles: what goes in comes out elsewhere and sends the same; paths are neutral on the way; nothing that a stranger
// may have put into one does harm.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import type { JsonObject } from '../../src/base/json/json.ts';
import { firstLine } from '../../src/surgery/bundle/format.ts';
import { jsonOf, runClew } from '../support/clew.ts';
import { plantedBench } from '../support/planted-session.ts';
import { benchWith, contentsOf, entriesOf, undoLast } from '../support/surgery-kit.ts';
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
      .aside('file-history-snapshot', {
        messageId: 'u1',
        snapshot: { messageId: 'u1', trackedFileBackups: { 'src/a.ts': { backupFileName: '0123@v1' } } },
      })
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
      notes: [],
      leftOut: [],
      sizeBytes: null,
    },
  );
  const inside = plainOf(file).toString('utf8');
  assert.ok(!inside.includes('"cwd":"/home/kim') && !inside.includes(bench.folder));

  const root = temporaryFolder(context);
  const work = path.join(temporaryFolder(context), 'work');
  mkdirSync(work);
  const imported = jsonOf(['import', file, '--json', '--root', root], { env, cwd: work }) as JsonObject;
  const folder = path.join(root, 'projects', work.replace(/[^A-Za-z0-9]/g, '-'));
  assert.deepEqual(imported.to, { sessionId, path: path.join(folder, `${sessionId}.jsonl`) });
  const lines = entriesOf(path.join(folder, `${sessionId}.jsonl`));
  assert.deepEqual(
    lines.flatMap(({ cwd }) => cwd ?? []),
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
  assert.ok(entriesOf(second).every(({ sessionId: id = newId }) => id === newId));
  assert.ok(existsSync(path.join(root, 'file-history', newId, '0123@v1')));
  assert.deepEqual(readdirSync(path.join(bench.env.CLEW_HOME, 'imports')), []);
  await undoLast(bench);
  assert.ok(!existsSync(second) && !existsSync(path.join(root, 'file-history', newId)));
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

function plainOf(file: string): Buffer {
  return brotliDecompressSync(readFileSync(file).subarray(firstLine.length));
}
