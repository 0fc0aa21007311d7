// A session redacted in place: no byte of the secret stays in the archive, the redacted session is archived instead,
// and copies of other sessions stay as they are.
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { archiveSessions } from '../../../src/library/archive/archive.ts';
import { readContents } from '../../../src/library/archive/pack/contents.ts';
import { restoreSession } from '../../../src/library/archive/restore.ts';
import { verifyArchive } from '../../../src/library/archive/verify.ts';
import { createRedactor } from '../../../src/surgery/redact/redactor.ts';
import { countArchived, redactArchive } from '../../../src/surgery/redact/survey.ts';
import { makeRuleSet } from '../../../src/surgery/secrets/find.ts';
import { type Bench, benchWith } from '../../support/surgery-kit.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';
import { redactBench } from '../redact-kit.ts';

const token = `gh${'p_'}${'a1B2c3D4e5F6'.repeat(3)}`;
const otherId = '22222222-2222-4222-a222-222222222222';

test('every copy with the secret goes, the redacted session is archived, and a fork keeps its copy', async (context) => {
  const { bench, folder, fork } = await archivedBench(context);
  const { redactor } = await redactBench(bench, { isInPlace: true });
  assert.equal(countArchived(bench.main, redactor, folder), 2);
  assert.equal(await redactArchive(bench.main, redactor, { folder }), 2);
  assert.equal(countArchived(bench.main, redactor, folder), 0);
  const forked = readFileSync(fork);
  assert.deepEqual(versionsOf(folder), { [bench.main]: 1, [fork]: 1 });
  const redacted = readFileSync(bench.main);
  assert.ok(!redacted.includes(token));
  for (const file of [bench.main, fork]) rmSync(file);
  await restoreSession(bench.main, { folder });
  await restoreSession(fork, { folder });
  assert.deepEqual([readFileSync(bench.main), readFileSync(fork)], [redacted, forked]);
  // The lines that only this session held are gone from the packs, those of the fork are not.
  const held = unpacked(folder);
  assert.deepEqual(
    ['only of this session', 'grown', 'of both'].map((text) => held.includes(`${text} ${token}`)),
    [false, false, true],
  );
});

test('a copy goes where only the name of a file holds the secret', async (context) => {
  const text = transcript().user('hi').assistant('ok').text();
  const bench = benchWith(context, sessionId, text, { [`${sessionId}/tool-results/${token}.txt`]: 'output' });
  const folder = path.join(bench.env.CLEW_HOME, 'archive');
  await archiveSessions([{ path: bench.main }], { folder });
  assert.ok(unpacked(folder).includes(token));
  const { redactor } = await redactBench(bench, { isInPlace: true });
  assert.equal(await redactArchive(bench.main, redactor, { folder }), 1);
  assert.ok(!unpacked(folder).includes(token));
});

test('an archive without a secret of this session is left alone', async (context) => {
  const { bench, folder } = await archivedBench(context);
  const before = packsOf(folder);
  assert.equal(await redactArchive(path.join(bench.folder, 'other.jsonl'), createRedactor(), { folder }), 0);
  assert.deepEqual(packsOf(folder), before);
});

test('a copy of the session from another folder goes, too, and so does one that cannot be read', async (context) => {
  const { bench, folder } = await archivedBench(context);
  const moved = path.join(path.dirname(bench.folder), '-moved', `${sessionId}.jsonl`);
  const elsewhere = benchWith(context, sessionId, readFileSync(bench.main));
  await archiveSessions([{ path: elsewhere.main }], { folder });
  assert.equal(countArchived(moved, createRedactor(), folder), 3);
  const { blocks } = readContents(folder);
  const block = blocks.at(-1);
  assert.ok(block !== undefined);
  const bytes = readFileSync(block.pack);
  bytes.fill(0, block.bodyOffset + block.header.bodyBytes - 8, block.bodyOffset + block.header.bodyBytes);
  writeFileSync(block.pack, bytes);
  assert.ok((await verifyArchive({ folder })).broken.length > 0);
  // What is damaged counts, although nothing can be found in it.
  const nothing = createRedactor(makeRuleSet([]));
  assert.equal(countArchived(moved, nothing, folder), (await verifyArchive({ folder })).broken.length);
});

/** A session that was archived twice, and a fork of it. */
async function archivedBench(context: TestContext): Promise<{ bench: Bench; folder: string; fork: string }> {
  const shared = transcript().user(`of both ${token}`).assistant('ok').text();
  const bench = benchWith(context, sessionId, `${shared}{"type":"note","text":"only of this session ${token}"}\n`, {
    [`${otherId}.jsonl`]: shared.replaceAll(sessionId, otherId),
  });
  const fork = path.join(bench.folder, `${otherId}.jsonl`);
  const folder = path.join(bench.env.CLEW_HOME, 'archive');
  await archiveSessions([{ path: bench.main }, { path: fork }], { folder });
  appendFileSync(bench.main, `{"type":"note","text":"grown ${token}"}\n`);
  await archiveSessions([{ path: bench.main }], { folder });
  return { bench, folder, fork };
}

function versionsOf(folder: string): Record<string, number> {
  const sessions = [...readContents(folder).sessions.values()];
  return Object.fromEntries(sessions.map(({ key, versions }) => [key, versions.length]));
}

function packsOf(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.pack'))
    .map((name) => readFileSync(path.join(folder, name), 'latin1'));
}

/** The bytes of all blocks, read by the format that docs/archive.md describes. */
function unpacked(folder: string): string {
  const blocks: string[] = [];
  for (const pack of packsOf(folder).map((text) => Buffer.from(text, 'latin1'))) {
    for (let rest = pack; rest.length > 0; ) {
      const end = rest.indexOf('\n') + 1;
      const header = JSON.parse(rest.toString('latin1', rest.indexOf('{'), end)) as Record<string, number | string>;
      const body = rest.subarray(end, end + Number(header.bodyBytes));
      const skipped = header.kind === 'chunks' ? 16 * Number(header.count) : 0;
      blocks.push(brotliDecompressSync(body.subarray(skipped)).toString('latin1'));
      rest = rest.subarray(end + body.length);
    }
  }
  return blocks.join('\n');
}
