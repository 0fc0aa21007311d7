// Texts that are read in the place of a file: doctor restores records from a file in another encoding or with broken lines,
// and everything that reads the file by its lines and offsets then reads the restored text. Nothing is written to the disk.
const texts = new Map<string, Buffer>();

/** From now on whoever reads the lines or ranges of this path gets these bytes. No file may have the path. */
export function keepText(path: string, bytes: Buffer): void {
  texts.set(path, bytes);
}

export function textAt(path: string): Buffer | undefined {
  return texts.size === 0 ? undefined : texts.get(path);
}
