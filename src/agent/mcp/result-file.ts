// Saves parts of results below `<session>/tool-results/`, where the model may read them.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolderSync } from '../../base/files/index.ts';
import type { SavePart } from './result.ts';

/** One result may not fill the disk. */
const maxBytes = 64 * 1024 * 1024;

/** `name`: the server, and the tool if there is one. */
export function saveBelow(sessionDir: string, name: readonly string[]): SavePart {
  const stem = ['mcp', ...name.map((part) => part.replace(/[^\w-]/g, '_').slice(0, 60))].join('-');
  let left = maxBytes;
  return ({ kind, extension, bytes }) => {
    left -= bytes.length;
    if (left < 0) return undefined;
    const id = `${Date.now()}-${randomBytes(3).toString('hex')}`;
    const folder = path.join(sessionDir, 'tool-results');
    const file = path.join(folder, `${stem}${kind === 'blob' ? '-blob' : ''}-${id}.${extension}`);
    try {
      makeFolderSync(folder);
      writeFileSync(file, bytes, { flag: 'wx', mode: 0o600 });
      return file;
    } catch {
      // The disk is full: the model gets the beginning.
      return undefined;
    }
  };
}
