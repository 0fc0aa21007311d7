// The recordings of the real client and the transcripts that other projects published, from test/corpus/corpus.br
// (scripts/make-corpus.mjs writes it). They are unpacked once, into a cache folder of the checkout.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, constants } from 'node:zlib';
import { projectRoot } from './paths.ts';

/** Holds `corpus/real`, `corpus/public`, `counting` and `interop`. Tests read it and never write there. */
export const corpusFolder: string = unpackOnce();

function unpackOnce(): string {
  const packed = readFileSync(path.join(projectRoot, 'test/corpus/corpus.br'));
  const version = createHash('sha256').update(packed).digest('hex').slice(0, 12);
  const cache = path.join(projectRoot, '.cache');
  const folder = path.join(cache, `corpus-${version}-rw`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const temporary = mkdtempSync(`${folder}-`);
  unpack(packed, temporary);
  try {
    renameSync(temporary, folder);
  } catch (error) {
    // Another test process was faster.
    if (!existsSync(folder)) throw error;
    rmSync(temporary, { recursive: true });
  }
  return folder;
}

function unpack(packed: Buffer, folder: string): void {
  const bytes = brotliDecompressSync(packed, { params: { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 } });
  let start = bytes.indexOf(0x0a) + 1;
  const index = JSON.parse(bytes.toString('utf8', 0, start)) as readonly (readonly [file: string, size: number])[];
  for (const [file, size] of index) {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    // Copies have the same mode, and tests change them.
    writeFileSync(target, bytes.subarray(start, start + size));
    start += size;
  }
}
