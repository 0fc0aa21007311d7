// A snapshot of a tree of files: every file, folder and link with its kind, mode, time and content, so that two states can be
// compared. Links are not followed.
import { createHash } from 'node:crypto';
import { accessSync, constants, type Dirent, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

export type TreeSnapshot = ReadonlyMap<string, string>;

/** Everything below a folder, including links and folders. */
export function listTree(folder: string, isLeftOut: (file: string) => boolean = () => false): string[] {
  return readFolder(folder).flatMap((entry) => {
    const full = path.join(folder, entry.name);
    if (isLeftOut(full)) return [];
    return entry.isDirectory() ? [full, ...listTree(full, isLeftOut)] : [full];
  });
}

/** Nothing for a folder that only root could read: no program of this user can change what is in it. */
function readFolder(folder: string): readonly Dirent[] {
  return mayRead(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
}

function mayRead(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** `leftOut` are folders below `top` that may change. */
export function snapshotTree(top: string, leftOut: readonly string[]): TreeSnapshot {
  const files = listTree(top, (file) => leftOut.includes(file));
  return new Map(files.map((file) => [path.relative(top, file), describeFile(file)]));
}

/** What differs, one line each. */
export function changesOf(before: TreeSnapshot, after: TreeSnapshot): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `changed ${name}: ${before.get(name) ?? 'absent'} → ${after.get(name) ?? 'absent'}`);
}

function describeFile(file: string): string {
  const stats = lstatSync(file);
  const common = `${stats.mode.toString(8)} ${stats.mtimeMs}`;
  if (stats.isSymbolicLink()) return `${common} ${readlinkSync(file)}`;
  return stats.isFile() && mayRead(file)
    ? `${common} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`
    : common;
}
