// Bytes → fewer bytes and back, by a codec whose name is in the data, so that an archive stays readable when a
// later Clew writes with another one.
import { brotliCompress, brotliDecompressSync, constants, gunzipSync, gzip } from 'node:zlib';

interface Codec {
  compress(bytes: Buffer): Promise<Buffer>;
  decompress(bytes: Buffer, rawBytes: number): Buffer;
}

export type CodecName = 'brotli' | 'gzip';

/** Smaller and faster than gzip on every corpus (docs/decisions.md). */
export const defaultCodec: CodecName = 'brotli';

export const codecs: Readonly<Record<CodecName, Codec>> = {
  brotli: {
    compress: (bytes) =>
      new Promise((resolve, reject) => {
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: 5,
          [constants.BROTLI_PARAM_LGWIN]: 22,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        };
        brotliCompress(bytes, { params }, (error, result) => (error ? reject(error) : resolve(result)));
      }),
    // A damaged record must not unpack to more than it says.
    decompress: (bytes, rawBytes) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(1, rawBytes) }),
  },
  gzip: {
    compress: (bytes) =>
      new Promise((resolve, reject) => {
        gzip(bytes, { level: 6 }, (error, result) => (error ? reject(error) : resolve(result)));
      }),
    decompress: (bytes, rawBytes) => gunzipSync(bytes, { maxOutputLength: Math.max(1, rawBytes) }),
  },
};

export function isCodecName(name: unknown): name is CodecName {
  return typeof name === 'string' && Object.hasOwn(codecs, name);
}
