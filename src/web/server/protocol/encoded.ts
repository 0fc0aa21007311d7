// A response body that a worker has already encoded, so that the thread of the server only passes its bytes on.

export interface Encoded<T> {
  /** Content type. */
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Never set: it carries the type that the bytes decode to. */
  readonly decoded?: T;
}

export function isEncoded(value: unknown): value is Encoded<unknown> {
  return typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array;
}
