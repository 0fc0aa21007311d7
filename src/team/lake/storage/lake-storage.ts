// Where the files of a lake are. A file appears whole under its name and never replaces another one; that is all that an
// export relies on.

export interface LakeStorage {
  /** As the user named it. */
  readonly name: string;
  /** Names below the lake, `/` between folders. */
  list(): AsyncIterable<string>;
  /** `undefined` if there is no such file. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Nothing is visible before `finish`. */
  create(name: string): LakeFile;
  remove(name: string): Promise<void>;
  /** Removes what killed exports left: nobody else may be writing. */
  removeUnfinished(): Promise<void>;
}

/** Ends with `finish` or `abandon`. */
export interface LakeFile {
  write(bytes: Uint8Array): Promise<void>;
  /** `false`: another program has written a file of this name. */
  finish(): Promise<boolean>;
  abandon(): Promise<void>;
}

/** Writes a small file; `false` if there is one of this name. */
export async function writeWhole(storage: LakeStorage, name: string, bytes: Uint8Array): Promise<boolean> {
  const file = storage.create(name);
  try {
    await file.write(bytes);
    return await file.finish();
  } catch (error) {
    await file.abandon();
    throw error;
  }
}
