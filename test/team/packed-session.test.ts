// The files of a session in the store: which are taken, what is refused, and when bytes count as those that were pushed.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Sql } from '../../src/team/database/index.ts';
import { readPacked } from '../../src/team/source/packed-session.ts';
import type { StoredSession } from '../../src/team/source/sessions.ts';
import { listedSession } from '../support/listed-session.ts';

const id = '3f2b8c1e-1111-4000-8000-000000000001';

const stored: StoredSession = {
  person: 1,
  storeId: id,
  month: '2026-03-01',
  level: 4,
  projectHash: 'h',
  isListed: true,
  session: listedSession({ sessionId: id }),
  facts: { counts: null, model: null, verdict: null, mtimeMs: null, turnStarts: [], transcripts: [] },
  named: undefined,
  countedCwd: undefined,
};

interface Packed {
  readonly name: string;
  readonly isOriginal?: boolean;
  readonly text?: string;
  /** Of the bytes that were pushed. */
  readonly pushed?: string;
  readonly codec?: string;
}

/** A connection that answers both queries with these files. */
function storeWith(files: readonly Packed[]): Sql {
  const answer = (strings: readonly string[], ...values: readonly unknown[]): unknown => {
    if (!strings.join('').includes('codec')) {
      const rows = files.map(({ name, isOriginal = true, text = '', pushed = text }, nth) => {
        const sha256 = createHash('sha256').update(pushed).digest('hex');
        return { is_original: isOriginal, nth, name, size_bytes: pushed.length, sha256, mode: 0o100640, mtime_ms: 5 };
      });
      return Promise.resolve(rows);
    }
    const { text = '', codec = 'gzip' } = files[Number(values.at(-1))] ?? { name: '' };
    const half = Math.ceil(text.length / 2);
    const pieces = [text.slice(0, half), text.slice(half)].map((part) => ({ codec, data: gzipSync(part) }));
    return { cursor: () => [pieces.slice(0, 1), pieces.slice(1)] };
  };
  return answer as unknown as Sql;
}

async function contentOf(files: readonly Packed[], nth = 0): Promise<string> {
  const packed = await readPacked(storeWith(files), stored);
  const file = packed.files[nth];
  assert.ok(file !== undefined);
  const parts: Buffer[] = [];
  for await (const bytes of packed.content(file)) parts.push(bytes);
  return Buffer.concat(parts).toString();
}

test('the pieces of a file are put together, and it has the mode and time that were pushed', async () => {
  const files = [
    { name: `${id}.jsonl`, text: 'main\n' },
    { name: `${id}/subagents/agent-a.jsonl`, text: 'agent\n' },
  ];
  assert.equal(await contentOf(files), 'main\n');
  assert.equal(await contentOf(files, 1), 'agent\n');
  const { files: found, isOriginal } = await readPacked(storeWith(files), stored);
  assert.equal(isOriginal, true);
  assert.deepEqual(
    found.map(({ path, mode, mtimeMs }) => ({ path, mode, mtimeMs })),
    files.map(({ name: path }) => ({ path, mode: 0o640, mtimeMs: 5 })),
  );
});

test('original files are taken where the store shows them, else those without secrets', async () => {
  const redacted = { name: `${id}.jsonl`, isOriginal: false, text: 'redacted' };
  const both = await readPacked(storeWith([redacted, { name: `${id}.jsonl`, text: 'original' }]), stored);
  assert.deepEqual([both.isOriginal, both.files.map(({ nth }) => nth)], [true, [1]]);
  const one = await readPacked(storeWith([redacted]), stored);
  assert.deepEqual([one.isOriginal, one.files.map(({ nth }) => nth)], [false, [0]]);
  await assert.rejects(readPacked(storeWith([]), stored), /the store has no text of session .*level of text/);
});

test('bytes that are not those that were pushed are an error at the end of the file', async () => {
  const name = `${id}.jsonl`;
  await assert.rejects(contentOf([{ name, text: 'other', pushed: 'bytes' }]), /has other bytes of .* than were pushed/);
  await assert.rejects(contentOf([{ name, text: 'x', codec: 'lzma' }]), /is packed with "lzma".*update Clew/);
});

for (const name of [
  '../escaped.jsonl',
  `${id}/../../escaped`,
  '/etc/escaped',
  'other.jsonl',
  'other/agent-a.jsonl',
  `${id}/a\\b`,
  `${id}/a\0b`,
  `${id}//a`,
  `${id}/.`,
  '',
])
  test(`a file called ${JSON.stringify(name)} is refused`, async () => {
    const files = [{ name: `${id}.jsonl` }, { name }];
    await assert.rejects(readPacked(storeWith(files), stored), /that is not in the folder of session/);
  });
