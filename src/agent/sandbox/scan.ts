// Finds the paths below a folder that a command may not see or change. A second scan reads only folders that changed:
// adding, renaming or removing a file changes the ctime of its folder, which no program can set back.
import { type Dirent, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { PathPolicy } from '../contract/index.ts';

export interface Found {
  readonly hidden: readonly string[];
  /** The part of `hidden` that a rule denies. */
  readonly denied: readonly string[];
  /** With the target of each link, so that a replaced link is noticed. */
  readonly guarded: ReadonlyMap<string, string>;
}

interface Listing {
  readonly ctimeMs: number;
  readonly folders: readonly string[];
  readonly hidden: readonly string[];
  readonly denied: readonly string[];
  readonly guarded: readonly (readonly [string, string])[];
}

const maxFolders = 50_000;
/** A folder that changed this recently may change again within the same clock tick. */
const settleMs = 50;
/** Packages: there are many, and their keys and settings are published. They are only searched for files that a rule
 *  denies, and again when a package was added or removed. */
const packages = /\/node_modules(?:\/|$)/;

export class TreeScan {
  readonly #policy: PathPolicy;
  readonly #listings = new Map<string, Listing>();
  #version: number;

  constructor(policy: PathPolicy) {
    this.#policy = policy;
    this.#version = policy.version();
  }

  scan(root: string): Found {
    if (this.#version !== this.#policy.version()) this.#listings.clear();
    const searchesPackages = this.#policy.deniesInProject();
    this.#version = this.#policy.version();
    const hidden: string[] = [];
    const denied: string[] = [];
    const guarded = new Map<string, string>();
    const waiting = [root];
    for (let count = 0; waiting.length > 0; count++) {
      const folder = waiting.pop() ?? root;
      // If a tree is too large, everything below the end of the search is hidden.
      const listing =
        count < maxFolders
          ? this.#list(
              folder,
              folder.includes('/node_modules', root.length) && packages.test(folder.slice(root.length)),
            )
          : { ...empty, hidden: [folder] };
      // Most folders hide nothing, and a large project is scanned before each command.
      if (listing.hidden.length > 0) hidden.push(...listing.hidden);
      if (listing.denied.length > 0) denied.push(...listing.denied);
      for (const [file, target] of listing.guarded) guarded.set(file, target);
      for (const each of listing.folders) if (searchesPackages || !each.endsWith('/node_modules')) waiting.push(each);
    }
    return { hidden, denied, guarded };
  }

  #list(folder: string, isPackage: boolean): Listing {
    const known = this.#listings.get(folder);
    const isTop = isPackage && folder.endsWith('/node_modules');
    try {
      if (known !== undefined && isPackage && !isTop) return known;
      const { ctimeMs } = statSync(folder);
      if (known?.ctimeMs === ctimeMs) return known;
      if (isTop)
        for (const each of this.#listings.keys()) if (each.startsWith(`${folder}/`)) this.#listings.delete(each);
      const listing = this.#read(folder, ctimeMs, isPackage);
      if (Date.now() - ctimeMs > settleMs) this.#listings.set(folder, listing);
      return listing;
    } catch {
      return empty;
    }
  }

  #read(folder: string, ctimeMs: number, isPackage: boolean): Listing {
    const { isDenied } = this.#policy;
    const isHidden = isPackage ? isDenied : this.#policy.isHidden;
    const isGuarded = isPackage ? () => false : this.#policy.isGuarded;
    const isWhole = (test: (file: string) => boolean): boolean => test(folder) || test(`${folder}/\u0001`);
    if (isWhole(isHidden)) return { ...empty, hidden: [folder], denied: isWhole(isDenied) ? [folder] : [] };
    const entries = readdirSync(folder, { withFileTypes: true });
    if (entries.some(({ name }) => name.includes('\ufffd'))) {
      const holds = (test: (file: string) => boolean): boolean => holdsOdd(Buffer.from(folder), folder, test);
      if (holds(isHidden)) return { ...empty, hidden: [folder], denied: holds(isDenied) ? [folder] : [] };
    }
    const files = entries.map((entry) => ({ entry, file: path.join(folder, entry.name) }));
    const bad = files.filter(({ entry, file }) => isHidden(file) || entry.isSocket() || entry.isFIFO());
    return {
      ctimeMs,
      hidden: bad.flatMap(({ entry, file }) => realFile(entry, file)),
      denied: bad.filter(({ file }) => isDenied(file)).flatMap(({ entry, file }) => realFile(entry, file)),
      // Everything in a protected folder is protected.
      guarded: files
        .filter(({ file }) => !isGuarded(folder) && (isGuarded(file) || isGuarded(`${file}/\u0001`)))
        .map(({ entry, file }) => [file, entry.isSymbolicLink() ? readlinkSync(file) : '']),
      folders: files
        .filter((each) => each.entry.isDirectory() && each.entry.name !== '.git' && !bad.includes(each))
        .map(({ file }) => file),
    };
  }
}

const empty: Listing = { ctimeMs: 0, folders: [], hidden: [], denied: [], guarded: [] };

/** A name that is not UTF-8 cannot be an argument, so no mount covers the file: its whole folder is hidden. */
function holdsOdd(bytes: Buffer, folder: string, test: (file: string) => boolean, isBelowOdd = false): boolean {
  return readdirSync(bytes, { withFileTypes: true, encoding: 'buffer' }).some((entry) => {
    const name = entry.name.toString('utf8');
    const isOdd = isBelowOdd || !Buffer.from(name).equals(entry.name);
    if (!isOdd) return false;
    const file = path.join(folder, name);
    const child = Buffer.concat([bytes, Buffer.from('/'), entry.name]);
    return test(file) || (entry.isDirectory() && holdsOdd(child, file, test, true));
  });
}

/** A mount covers the target of a link, not the link. */
function realFile(entry: Dirent, file: string): readonly string[] {
  if (!entry.isSymbolicLink()) return [file];
  try {
    return [realpathSync(file)];
  } catch {
    return [];
  }
}
