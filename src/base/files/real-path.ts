// A path → the real path, even if the file does not exist yet. Links are followed one by one, as the system does, because
// `link/..` is not the folder of the link, and a link to a missing file decides where a new file appears.
import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';

const maxLinks = 40;

/** `undefined` for links in a circle. */
export function followLinks(file: string): string | undefined {
  const left = file.split('/').reverse();
  let at = '/';
  let links = 0;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = path.dirname(at);
      continue;
    }
    const next = path.join(at, name);
    const target = linkTarget(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (links > maxLinks) return undefined;
    if (target.startsWith('/')) at = '/';
    left.push(...target.split('/').reverse());
  }
  return at;
}

function linkTarget(file: string): string | undefined {
  try {
    return lstatSync(file).isSymbolicLink() ? readlinkSync(file) : undefined;
  } catch {
    return undefined;
  }
}

/** The path itself for links in a circle. */
export function realPath(file: string): string {
  const absolute = path.resolve(file);
  return followLinks(absolute) ?? absolute;
}

export function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith('../') && !path.isAbsolute(relative);
}
