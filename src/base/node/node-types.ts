// Types for public signatures that need no @types/node; with @types/node they are Node's own types.

/** Environment variables, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A Node `Buffer`; without Node's types it is declared as the `Uint8Array` that it extends. */
export type Bytes = typeof globalThis extends { readonly Buffer: { readonly prototype: infer B extends Uint8Array } }
  ? B
  : Uint8Array;

/** The same bytes as a `Buffer`, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
