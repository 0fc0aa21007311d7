// An archived file → why it cannot be restored, if it cannot: all its bytes are read and compared with their hash.
import { setImmediate } from 'node:timers/promises';
import {
  type ArchiveContents,
  ArchiveDamaged,
  type ArchivedFile,
  ChunkReader,
  type Manifest,
  readArchivedFile,
} from './pack/index.ts';

export class FileChecker {
  readonly #reader: ChunkReader;
  /** Files that other copies have as well are read once. */
  readonly #sound = new Set<string>();

  constructor(contents: Pick<ArchiveContents, 'blocks'>) {
    this.#reader = new ChunkReader(contents);
  }

  /** `undefined` if it can be restored. */
  async findDamage(manifest: Manifest, file: ArchivedFile): Promise<string | undefined> {
    const sameFile = JSON.stringify([manifest.sessionId, file.sha256, file.groups]);
    const reason = this.#sound.has(sameFile) ? undefined : await this.#read(manifest, file);
    if (reason === undefined) this.#sound.add(sameFile);
    return reason;
  }

  async isWhole(manifest: Manifest): Promise<boolean> {
    for (const file of manifest.files) if ((await this.findDamage(manifest, file)) !== undefined) return false;
    return true;
  }

  async #read(manifest: Manifest, file: ArchivedFile): Promise<string | undefined> {
    let unawaited = 0;
    try {
      for (const piece of readArchivedFile(this.#reader, manifest, file)) {
        unawaited += piece.length;
        if (unawaited < breathBytes) continue;
        unawaited = 0;
        await setImmediate();
      }
      return undefined;
    } catch (error) {
      if (error instanceof ArchiveDamaged) return error.message;
      throw error;
    }
  }
}

const breathBytes = 4 << 20;
