// The files of the first load of a page: followed from its HTML, without running it.
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export const limitBytes = 180_000;

export type Coding = 'br' | 'gzip';
export const codings: readonly Coding[] = ['br', 'gzip'];

const unpack = { br: brotliDecompressSync, gzip: gunzipSync } as const;

/** Compressed bytes by address; `views` names the chunks that the page at this address loads at once. */
export async function firstFiles(
  base: string,
  page: string,
  views: readonly string[],
  wanted: Coding,
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  const waiting = [page];
  for (const address of waiting) {
    const { bytes, coding } = await sentBytes(base + address, wanted);
    sizes.set(address, bytes.length);
    assert.ok(coding === wanted || bytes.length < 2_048, `${address} is not compressed`);
    const text = (coding === undefined ? bytes : unpack[wanted](bytes)).toString('utf8');
    const linked = address === page ? text.matchAll(/(?:href|src)="(\/[^"]+\.(?:js|css))"/g) : [];
    const imported = text.matchAll(/(?:\bfrom|\bimport)\s*"\.(\/[^"]+\.js)"/g);
    const shown = text.matchAll(new RegExp(`\\bimport\\("\\.(/(?:${views.join('|')})-[^"]+\\.js)"\\)`, 'g'));
    for (const [, next = ''] of [...linked, ...imported, ...shown]) if (!waiting.includes(next)) waiting.push(next);
  }
  return sizes;
}

function sentBytes(address: string, coding: string): Promise<{ bytes: Buffer; coding: string | undefined }> {
  return new Promise((resolve, reject) => {
    get(address, { headers: { 'accept-encoding': coding } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        assert.equal(response.statusCode, 200, address);
        resolve({ bytes: Buffer.concat(chunks), coding: response.headers['content-encoding'] });
      });
      response.on('error', reject);
    }).on('error', reject);
  });
}
