// What a browser must load before it shows the first page, compressed as the server sends it. Files are followed from the
// page: its links, and what the scripts import before they run.
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { openWebServer } from '../support/web-server.ts';

const limitBytes = 180 * 1024;
const codings = { br: brotliDecompressSync, gzip: gunzipSync } as const;

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

for (const [wanted, unpack] of Object.entries(codings)) {
  test(`the first load is at most 180 KB with ${wanted}`, async (context) => {
    const { base } = await openWebServer(context, {});
    const sizes: Record<string, number> = {};
    const waiting = ['/'];
    for (const address of waiting) {
      const { bytes, coding } = await sentBytes(base + address, wanted);
      sizes[address] = bytes.length;
      assert.ok(coding === wanted || bytes.length < 2_048, `${address} is not compressed`);
      const text = (coding === undefined ? bytes : unpack(bytes)).toString('utf8');
      const linked = address === '/' ? text.matchAll(/(?:href|src)="(\/[^"]+\.(?:js|css))"/g) : [];
      const imported = text.matchAll(/(?:\bfrom|\bimport)\s*"\.(\/[^"]+\.js)"/g);
      for (const [, next = ''] of [...linked, ...imported]) if (!waiting.includes(next)) waiting.push(next);
    }
    const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
    context.diagnostic(`${(total / 1024).toFixed(1)} KB in ${waiting.length} files`);
    assert.ok(waiting.length >= 3 && Object.keys(sizes).some((name) => name.endsWith('.css')), waiting.join());
    assert.ok(total <= limitBytes, `${total} bytes: ${JSON.stringify(sizes)}`);
    // React alone is larger than this: the files were followed.
    assert.ok(total > 60 * 1024, `${total} bytes`);
  });
}
