// Notes what this process does to the files below a folder, in order: the archive promises an order of writes, and
// nothing else shows it. Call it before the module under test is loaded, which keeps the functions it has imported.
import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import type { TestContext } from 'node:test';

export interface DiskLog {
  /** Such as `write 000001.pack chunks`, `sync 000001.pack`, `sync .`; random parts of names are left out. */
  readonly events: string[];
  /** The next write of a record writes half of it and fails with this code. */
  /** The next write to this file stops in its middle. */
  failNextWrite(file: string, code: string): void;
}

export function watchDisk(context: TestContext, folder: string): DiskLog {
  const events: string[] = [];
  const paths = new Map<number, string>();
  let failure: { readonly file: string; readonly code: string } | undefined;
  const { openSync, writeSync, fsync, fsyncSync, renameSync, ftruncateSync, linkSync, rmSync } = fs;
  const { open, rename, link, rm } = fsPromises;
  const note = (what: string, file: string, more = ''): void => {
    const name = path.relative(folder, file) || '.';
    if (!name.startsWith('..')) events.push(`${what} ${name.replace(/[0-9a-f]{16}/, 'RANDOM')}${more}`);
  };
  fs.openSync = ((file: string, ...rest: [never, never]) => {
    const descriptor = openSync(file, ...rest);
    paths.set(descriptor, file);
    return descriptor;
  }) as typeof fs.openSync;
  fs.writeSync = ((descriptor: number, bytes: Buffer, offset: number) => {
    const kind = /"kind":"(\w+)"/.exec(bytes.toString('latin1', 0, 80))?.[1] ?? '';
    const isFailing = failure !== undefined && paths.get(descriptor) === failure.file;
    if (isFailing && offset === 0) return writeSync(descriptor, bytes, 0, bytes.length >> 1);
    if (isFailing) {
      const error = Object.assign(new Error('planted'), { code: failure?.code });
      failure = undefined;
      throw error;
    }
    note('write', paths.get(descriptor) ?? '', ` ${kind}`);
    return writeSync(descriptor, bytes, offset);
  }) as typeof fs.writeSync;
  fs.fsync = ((descriptor: number, done: (error: null) => void) => {
    note('sync', paths.get(descriptor) ?? '');
    fsync(descriptor, () => done(null));
  }) as typeof fs.fsync;
  fs.fsyncSync = (descriptor) => {
    note('sync', paths.get(descriptor) ?? '');
    fsyncSync(descriptor);
  };
  fs.renameSync = (from, to) => {
    note('rename', String(from), ` to ${path.basename(String(to))}`);
    renameSync(from, to);
  };
  fs.linkSync = (from, to) => {
    note('link', String(to));
    linkSync(from, to);
  };
  fs.rmSync = (file, options) => {
    // The lock makes sure that its own name is free.
    if (fs.existsSync(file)) note('remove', String(file));
    rmSync(file, options);
  };
  fs.ftruncateSync = (descriptor, length) => {
    note('truncate', paths.get(descriptor) ?? '', ` to ${length}`);
    ftruncateSync(descriptor, length);
  };
  fsPromises.open = (async (file: string, ...rest: [never, never]): Promise<FileHandle> => {
    const handle = await open(file, ...rest);
    const sync = handle.sync.bind(handle);
    handle.sync = () => {
      note('sync', file);
      return sync();
    };
    return handle;
  }) as typeof fsPromises.open;
  fsPromises.rename = async (from, to) => {
    note('rename', String(from), ` to ${path.basename(String(to))}`);
    return rename(from, to);
  };
  fsPromises.link = async (from, to) => {
    note('link', String(to));
    return link(from, to);
  };
  fsPromises.rm = async (file, options) => {
    note('remove', String(file));
    return rm(file, options);
  };
  syncBuiltinESMExports();
  context.after(() => {
    Object.assign(fs, { openSync, writeSync, fsync, fsyncSync, renameSync, ftruncateSync, linkSync, rmSync });
    Object.assign(fsPromises, { open, rename, link, rm });
    syncBuiltinESMExports();
  });
  return {
    events,
    failNextWrite: (file, code) => {
      failure = { file, code };
    },
  };
}
