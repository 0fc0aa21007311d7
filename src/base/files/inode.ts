// What the system says of a file → its inode number, without a loss. Overlay file systems, ZFS and NFS have inode numbers above
// 2^53, where neighbours are the same number in JavaScript, and where `node:sqlite` refuses to read what it stored.
import { fstatSync, type Stats, statSync } from 'node:fs';

/** The number; above 2^53 a text such as `i9223372036854775809`, which SQLite and JSON keep as it is. */
export type Inode = number | string;

/** Of the file, by its path or descriptor, that `stats` describes. */
export function readInode(file: string | number, { ino }: Pick<Stats, 'ino'>): Inode {
  if (Number.isSafeInteger(ino)) return ino;
  const exact = typeof file === 'number' ? fstatSync(file, asBigInts) : statSync(file, asBigInts);
  // A bigint of Node is signed.
  return `i${BigInt.asUintN(64, exact?.ino ?? BigInt(ino))}`;
}

const asBigInts = { bigint: true, throwIfNoEntry: false } as const;

/** An inode that was stored as a value of SQLite or JSON. */
export function storedInode(value: unknown): Inode {
  return typeof value === 'string' && value.startsWith('i') ? value : Number(value);
}
