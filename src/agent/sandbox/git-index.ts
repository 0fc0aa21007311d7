// Which files a repository tracks. git shows their content from its objects (`git show :.env`), where no mask can cover
// them one by one, so a repository that tracks a hidden file is hidden as a whole.
import { readFileSync } from 'node:fs';
import path from 'node:path';

export function tracksHidden(gitDir: string, isHidden: (file: string) => boolean): boolean {
  let index: Buffer;
  try {
    index = readFileSync(path.join(gitDir, 'index'));
  } catch {
    return false;
  }
  const version = index.length < 12 ? 0 : index.readUInt32BE(4);
  // Other versions compress the names: what is tracked is not known.
  if (version !== 2 && version !== 3) return true;
  const top = path.dirname(gitDir);
  for (let left = index.readUInt32BE(8), at = 12; left > 0; left--) {
    if (at + 62 > index.length) return true;
    const start = at + ((index.readUInt16BE(at + 60) & 0x4000) === 0 ? 62 : 64);
    const end = index.indexOf(0, start);
    const file = path.join(top, index.toString('utf8', start, end < 0 ? start : end));
    if (isHidden(file)) return true;
    at += Math.floor((end - at + 8) / 8) * 8;
  }
  return false;
}
