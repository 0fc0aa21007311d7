// The packs of an archive, read by what docs/archive.md says and without the code under test: which bytes a copy of a
// session needs.
import { brotliDecompressSync } from 'node:zlib';
import { recordsOf } from './damage-kit.ts';

export interface NeededBytes {
  /** The path of the main transcript. */
  readonly session: string;
  /** Its record, and those with its chunks. */
  readonly records: readonly Buffer[];
}

interface Header {
  readonly kind: string;
  readonly first: number;
  readonly count: number;
}

/** Of every copy, in the order of their records. `packs`: the bytes of all packs, in their order. */
export function neededBytes(packs: readonly Buffer[]): readonly NeededBytes[] {
  const records = packs.flatMap((bytes) =>
    recordsOf(bytes).map(({ offset, header, end }) => ({
      header: JSON.parse(bytes.toString('latin1', bytes.indexOf('{', offset), header)) as Header,
      all: bytes.subarray(offset, end),
      body: bytes.subarray(header, end),
    })),
  );
  const blocks = records.filter(({ header }) => header.kind === 'chunks');
  const blockOf = (chunk: number): (typeof blocks)[number] | undefined =>
    blocks.find(({ header }) => header.first <= chunk && chunk < header.first + header.count);
  const readChunk = (chunk: number): Buffer => {
    const { header, body } = blockOf(chunk) ?? { header: { kind: '', first: 0, count: 0 }, body: Buffer.alloc(0) };
    const data = brotliDecompressSync(body.subarray(16 * header.count));
    const length = (i: number): number => data.readUInt32LE(data.length - 4 * header.count + 4 * i);
    const at = Array.from({ length: chunk - header.first }, (_, i) => length(i)).reduce((sum, size) => sum + size, 0);
    return data.subarray(at, at + length(chunk - header.first));
  };
  return records.flatMap(({ header, all, body }) => {
    if (header.kind !== 'session') return [];
    const { projects, slug, sessionId, files } = JSON.parse(brotliDecompressSync(body).toString()) as {
      projects: string;
      slug: string;
      sessionId: string;
      files: { groups: number[] }[];
    };
    const used = new Set<Buffer>([all]);
    for (const { groups } of files) {
      let group = 0;
      for (const step of groups) {
        group += step;
        for (const chunk of [group, ...chunksIn(readChunk(group))]) used.add(blockOf(chunk)?.all ?? all);
      }
    }
    return [{ session: `${projects}/${slug}/${sessionId}.jsonl`, records: [...used] }];
  });
}

function chunksIn(group: Buffer): readonly number[] {
  let at = 0;
  const number = (): number => {
    const byte = group[at++] ?? 0;
    return byte < 0x80 ? byte : byte - 0x80 + 0x80 * number();
  };
  const chunks: number[] = [];
  let from = 0;
  for (let left = number(); left > 0; left--) {
    const step = number();
    from += step % 2 === 0 ? step / 2 : -Math.ceil(step / 2);
    const lines = Math.floor(number() / 3);
    for (let i = 0; i < lines; i++) chunks.push(from + i);
    from += lines;
  }
  return chunks;
}
