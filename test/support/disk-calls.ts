// Records the calls that change names on disk or make bytes durable, in order, and can make one of them fail.
// The functions of node:fs and node:fs/promises are replaced for the whole process until the test ends.

import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';

export interface DiskCalls {
  /** Such as `rename A B` or `sync A`, with full paths. */
  readonly calls: string[];
}

/** `fail` runs before every call; the caller gets what it throws. */
export async function recordDiskCalls(
  context: TestContext,
  fail: (call: string) => void = () => {},
): Promise<DiskCalls> {
  const calls: string[] = [];
  const note = (call: string): void => {
    fail(call);
    calls.push(call);
  };
  const { rename, link, open } = fsPromises;
  const paths = new WeakMap<FileHandle, string>();
  const handle = await open(process.execPath, 'r');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  const { sync } = prototype;
  await handle.close();
  Object.assign(fsPromises, {
    rename: (from: string, to: string) => attempt(`rename ${from} ${to}`, () => rename(from, to)),
    link: (from: string, to: string) => attempt(`link ${from} ${to}`, () => link(from, to)),
    open: async (file: string, ...rest: [string, number?]) => {
      const opened = await open(file, ...rest);
      paths.set(opened, file);
      return opened;
    },
  });
  prototype.sync = function (this: FileHandle): Promise<void> {
    return attempt(`sync ${paths.get(this) ?? '?'}`, () => sync.call(this));
  };
  const { renameSync, fsyncSync, openSync } = fs;
  const descriptors = new Map<number, string>();
  Object.assign(fs, {
    openSync: (file: string, ...rest: [string, number?]) => {
      const descriptor = openSync(file, ...rest);
      descriptors.set(descriptor, file);
      return descriptor;
    },
    fsyncSync: (descriptor: number) => {
      note(`sync ${descriptors.get(descriptor) ?? '?'}`);
      fsyncSync(descriptor);
    },
    renameSync: (from: string, to: string) => {
      note(`rename ${from} ${to}`);
      renameSync(from, to);
    },
  });
  syncBuiltinESMExports();
  context.after(() => {
    Object.assign(fsPromises, { rename, link, open });
    Object.assign(fs, { renameSync, fsyncSync, openSync });
    prototype.sync = sync;
    syncBuiltinESMExports();
  });
  return { calls };

  async function attempt<T>(call: string, work: () => Promise<T>): Promise<T> {
    note(call);
    return work();
  }
}
