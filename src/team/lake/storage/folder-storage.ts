// A lake in a folder: a file is written under a hidden name, synced, and linked to its own name.
import { type FileHandle, link, open, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../../../base/errors/index.ts';
import { diskError, makeFolder, privateFileMode, syncPath } from '../../../store/index.ts';
import type { LakeFile, LakeStorage } from './lake-storage.ts';

/** Engines skip names that begin with a dot. */
const unfinished = /(?:^|\/)\.[^/]+\.partial$/;

export class FolderStorage implements LakeStorage {
  readonly name: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.name = folder;
  }

  async *list(): AsyncGenerator<string> {
    for await (const name of this.#everyName('')) if (!unfinished.test(name)) yield name;
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(path.join(this.#folder, name));
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return undefined;
      throw diskError(error, 'read', path.join(this.#folder, name));
    }
  }

  create(name: string): LakeFile {
    return new FolderFile(path.join(this.#folder, name));
  }

  async remove(name: string): Promise<void> {
    await rm(path.join(this.#folder, name), { force: true });
  }

  async removeUnfinished(): Promise<void> {
    for await (const name of this.#everyName('')) if (unfinished.test(name)) await this.remove(name);
  }

  async *#everyName(below: string): AsyncGenerator<string> {
    const entries = await readdir(path.join(this.#folder, below), { withFileTypes: true }).catch((error: unknown) => {
      if (systemErrorCode(error) === 'ENOENT') return [];
      throw diskError(error, 'read', this.#folder);
    });
    for (const entry of entries) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) yield* this.#everyName(name);
      else if (entry.isFile()) yield name;
    }
  }
}

class FolderFile implements LakeFile {
  readonly #path: string;
  readonly #temporary: string;
  #handle: Promise<FileHandle> | undefined;

  constructor(file: string) {
    this.#path = file;
    this.#temporary = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.partial`);
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#guarded(async () => (await this.#open()).appendFile(bytes));
  }

  async finish(): Promise<boolean> {
    return this.#guarded(async () => {
      const handle = await this.#open();
      await handle.sync();
      await handle.close();
      const isNew = await link(this.#temporary, this.#path).then(
        () => true,
        (error: unknown) => {
          if (systemErrorCode(error) === 'EEXIST') return false;
          throw error;
        },
      );
      await rm(this.#temporary, { force: true });
      await syncPath(path.dirname(this.#path));
      return isNew;
    });
  }

  async abandon(): Promise<void> {
    await (await this.#handle)?.close().catch(() => undefined);
    await rm(this.#temporary, { force: true });
  }

  #open(): Promise<FileHandle> {
    this.#handle ??= makeFolder(path.dirname(this.#path)).then(() => open(this.#temporary, 'w', privateFileMode));
    return this.#handle;
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw diskError(error, 'write', this.#path);
    }
  }
}
