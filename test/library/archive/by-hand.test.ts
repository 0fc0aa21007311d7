// docs/archive.md says how to read an archive without Clew. This does what the page says, and nothing else.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { archiveSessions } from '../../../src/library/archive/archive.ts';
import { forkByClient, forkBySdk, mainTranscripts, randomUuid } from '../../support/archive-kit.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { recordedFiles } from '../../support/transcripts.ts';

test('an archive can be read by what its page says', async (t) => {
  const temp = temporaryFolder(t);
  const [first, second] = recordedFiles().map((file) => readFileSync(file));
  const own = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
  writeTree(temp, {
    [`p/${own[0]}.jsonl`]: first ?? '',
    [`p/${own[1]}.jsonl`]: Buffer.concat([second ?? Buffer.alloc(0), Buffer.from([0xfe, 0xff, 0x0a])]),
  });
  for (const id of own) forkByClient(path.join(temp, 'p', `${id}.jsonl`), randomUuid());
  for (const id of own) forkBySdk(path.join(temp, 'p', `${id}.jsonl`), randomUuid());
  const folder = path.join(temp, 'archive');
  const mains = mainTranscripts(temp);
  await archiveSessions(mains, { folder, blockBytes: 4096, packBytes: 4096 });
  const files = readByHand(folder);
  assert.deepEqual([...files.keys()].sort(), mains.map((main) => main.path).sort());
  for (const { path: main } of mains) assert.ok(files.get(main)?.equals(readFileSync(main)), main);
});

interface ByHand {
  readonly sessionId: string;
  readonly projects: string;
  readonly slug: string;
  readonly files: readonly { readonly path: string; readonly sha256: string; readonly groups: readonly number[] }[];
}

function readByHand(folder: string): Map<string, Buffer> {
  const chunks = new Map<number, Buffer>();
  const sessions: ByHand[] = [];
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.pack'))) {
    let rest = readFileSync(path.join(folder, name));
    while (rest.length > 0) {
      const end = rest.indexOf('\n');
      const header = JSON.parse(rest.toString('latin1', rest.indexOf('{'), end)) as Record<string, number | string>;
      const body = rest.subarray(end + 1, end + 1 + Number(header.bodyBytes));
      rest = rest.subarray(end + 1 + body.length);
      if (header.kind === 'session') sessions.push(JSON.parse(brotliDecompressSync(body).toString()) as ByHand);
      else addChunks(Number(header.first), Number(header.count), body, chunks);
    }
  }
  const files = new Map<string, Buffer>();
  for (const { sessionId, projects, slug, files: listed } of sessions) {
    for (const file of listed) {
      let number = 0;
      const lines: Buffer[] = [];
      for (const step of file.groups) {
        number += step;
        lines.push(...groupLines(chunks.get(number) ?? Buffer.alloc(0), sessionId, chunks));
      }
      const bytes = Buffer.concat(lines);
      assert.equal(createHash('sha256').update(bytes).digest('hex'), file.sha256);
      files.set(path.join(projects, slug, file.path), bytes);
    }
  }
  return files;
}

function addChunks(first: number, count: number, body: Buffer, chunks: Map<number, Buffer>): void {
  const data = brotliDecompressSync(body.subarray(16 * count));
  let at = 0;
  for (let i = 0; i < count; i++) {
    const length = data.readUInt32LE(data.length - 4 * count + 4 * i);
    chunks.set(first + i, data.subarray(at, at + length));
    at += length;
  }
}

function groupLines(group: Buffer, ownId: string, chunks: ReadonlyMap<number, Buffer>): Buffer[] {
  let at = 0;
  const number = (): number => {
    const byte = group[at++] ?? 0;
    return byte < 0x80 ? byte : byte - 0x80 + 0x80 * number();
  };
  const runs: { from: number; lines: number; ending: number }[] = [];
  let from = 0;
  for (let left = number(); left > 0; left--) {
    const step = number();
    from += step % 2 === 0 ? step / 2 : -Math.ceil(step / 2);
    const counted = number();
    runs.push({ from, lines: Math.floor(counted / 3), ending: counted % 3 });
    from += Math.floor(counted / 3);
  }
  const known: string[] = [];
  const id = (): string => {
    const code = number();
    if (code === 1) return ownId;
    if (code > 1) return known[known.length - (code - 1)] ?? '';
    const hex = group.toString('hex', at, at + 16);
    at += 16;
    known.push(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
    return known.at(-1) ?? '';
  };
  const lineOf = (chunk: Buffer, ending: number): Buffer => {
    if (chunk[0] === 0xfe) return chunk.subarray(1);
    let text = chunk.toString('latin1').replace(/\xff/g, id);
    if (ending === 1) text += '}\n';
    if (ending === 2) text += `,"forkedFrom":{"sessionId":"${id()}","messageUuid":"${id()}"}}\n`;
    return Buffer.from(text, 'latin1');
  };
  return runs.flatMap((run) =>
    Array.from({ length: run.lines }, (_, i) => lineOf(chunks.get(run.from + i) ?? Buffer.alloc(0), run.ending)),
  );
}
