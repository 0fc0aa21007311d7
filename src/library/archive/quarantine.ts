// What is taken out of an archive because it is damaged, or because nobody knows what it is: kept in a folder of its own,
// one for each time, and never deleted by Clew.
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import { diskError, makeFolder, renameDurably, writeNewFile } from '../../store/index.ts';
import { readRange } from './pack/index.ts';

export class Quarantine {
  readonly folder: string;

  constructor(archive: string) {
    const time = new Date().toISOString().slice(0, 19).replace(/[-:]/g, '');
    this.folder = path.join(archive, 'quarantine', `${time}-${randomBytes(3).toString('hex')}`);
  }

  /** Moves a file here; returns its new path. */
  async move(file: string): Promise<string> {
    const target = path.join(this.folder, path.basename(file));
    try {
      await makeFolder(this.folder);
      renameDurably(file, target);
    } catch (error) {
      throw diskError(error, 'write', target);
    }
    return target;
  }

  copyFile(file: string): Promise<string> {
    return this.copy(file, 0, statSync(file).size);
  }

  /** Copies the bytes of a file from `start` on; returns the path of the copy. */
  async copy(file: string, start: number, end: number): Promise<string> {
    const target = path.join(this.folder, start === 0 ? path.basename(file) : `${path.basename(file)}-from-${start}`);
    await writeNewFile(target, pieces(file, start, end));
    return target;
  }

  async writeNote(name: string, text: string): Promise<void> {
    await writeNewFile(path.join(this.folder, name), Buffer.from(text));
  }
}

const pieceBytes = 1 << 20;

function* pieces(file: string, start: number, end: number): Generator<Buffer> {
  for (let at = start; at < end; at += pieceBytes) yield readRange(file, at, Math.min(pieceBytes, end - at));
}
