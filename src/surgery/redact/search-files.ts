// Folders and hashed values → the files that still hold a value, in any encoding, and what could not be searched. Reads every
// byte of every file below the folders, because a list of places where a secret may be is never complete.
import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
} from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemErrorCode } from '../../base/errors/index.ts';
import { isWithin, realPath } from '../../base/files/index.ts';
import { namesIn } from '../../store/index.ts';
import { HashedValueFinder, mayUnpack, visitStretch, visitTexts, visitUnpacked, whyOpaque } from '../secrets/index.ts';
import { type ArchivedContent, archivedContents } from './archived-contents.ts';
import type { PurgedValue } from './purge-journal.ts';
import { joinPieces, readStretches, readWhole } from './stretches.ts';

export interface FoundCopy {
  /** Bytes of a name that are not UTF-8 are shown as `\xNN`. */
  readonly file: string;
  /** Whether the path can be used: false if its name is not UTF-8. */
  readonly isNamed: boolean;
  /** The value is in the name, or in the target of a link. */
  readonly isInName: boolean;
  /** Of a copy in the archive. */
  readonly sessionId?: string;
  readonly values: readonly PurgedValue[];
}

export interface MissedFile {
  readonly file: string;
  readonly reason: string;
}

export interface SearchReport {
  readonly folders: readonly { readonly folder: string; readonly files: number; readonly bytes: number }[];
  readonly copies: readonly FoundCopy[];
  /** Files and folders that could not be read. */
  readonly unread: readonly MissedFile[];
  /** Links that lead out of the folders, pipes, and formats that were only searched as bytes. */
  readonly partly: readonly MissedFile[];
  /** Of the hashes, sizes and paths of all files. */
  readonly sha256: string;
  /** The values that were found: never print or write them. */
  readonly found: ReadonlyMap<PurgedValue, string>;
}

/** Files that held nothing, by path: if they did not change since, they need not be read again. */
export type CleanFiles = Map<string, { readonly identity: string; readonly sha256: string }>;

export interface SearchOptions {
  /** The folder of the archive, whose packs are unpacked. */
  readonly archive?: string;
  readonly salt: string;
  readonly values: readonly PurgedValue[];
  readonly clean?: CleanFiles;
  readonly progress?: { start(totalBytes: number): void; add(bytes: number): void; end(): void };
}

/** `places`: folders and files; each file is searched once. Changes nothing. */
export async function searchFiles(places: readonly string[], options: SearchOptions): Promise<SearchReport> {
  const search = new FileSearch(options);
  const all = outermost(places);
  if (options.progress !== undefined) options.progress.start(sum(all.map(measure)));
  for (const place of all) await search.searchPlace(place);
  for (const content of options.archive === undefined ? [] : archivedContents(options.archive)) {
    search.searchArchived(content);
    await setImmediate();
  }
  options.progress?.end();
  return search.report();
}

/** The bytes of the files below a place; what cannot be read counts nothing. */
function measure(place: string): number {
  try {
    const stats = lstatSync(place);
    if (stats.isDirectory()) return sum(namesIn(place).map((name) => measure(path.join(place, name))));
    return stats.isFile() ? stats.size : 0;
  } catch {
    return 0;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The real paths, without those inside another one. */
function outermost(places: readonly string[]): readonly string[] {
  const real = [...new Set(places.map(realPath))];
  return real.filter((place) => !real.some((other) => other !== place && isWithin(other, place)));
}

interface Entry {
  readonly path: Buffer;
  readonly stats: BigIntStats;
}

const mostUnpackedBytes = 256 << 20;

class FileSearch {
  readonly #finder: HashedValueFinder<PurgedValue>;
  readonly #options: SearchOptions;
  readonly #folders: { folder: string; files: number; bytes: number }[] = [];
  readonly #copies: FoundCopy[] = [];
  readonly #unread: MissedFile[] = [];
  readonly #partly: MissedFile[] = [];
  readonly #lines: string[] = [];
  readonly #found = new Map<PurgedValue, string>();
  #places: readonly string[] = [];

  constructor(options: SearchOptions) {
    this.#options = options;
    this.#finder = new HashedValueFinder(options.salt, options.values);
  }

  report(): SearchReport {
    const sha256 = createHash('sha256').update(this.#lines.sort().join('\n')).digest('hex');
    return {
      folders: this.#folders,
      copies: this.#copies,
      unread: this.#unread,
      partly: this.#partly.filter(({ file, reason }) => !this.#isSearchedElsewhere(file, reason)),
      sha256,
      found: this.#found,
    };
  }

  async searchPlace(place: string): Promise<void> {
    this.#places = [...this.#places, place];
    const total = { folder: place, files: 0, bytes: 0 };
    const waiting: Buffer[] = [Buffer.from(place)];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const entry = this.#look(next);
      if (entry === undefined) continue;
      if (entry.stats.isDirectory()) waiting.push(...this.#list(next));
      else if (entry.stats.isFile()) {
        total.files++;
        total.bytes += this.#searchFile(entry);
        await setImmediate();
      } else this.#noteOther(entry);
    }
    if (total.files > 0 || lstatSync(place, { throwIfNoEntry: false }) !== undefined) this.#folders.push(total);
  }

  /** Also searches the name. A file that is gone by now has no copy. */
  #look(file: Buffer): Entry | undefined {
    try {
      const stats = lstatSync(file, { bigint: true });
      const name = file.subarray(file.lastIndexOf(0x2f) + 1);
      const values = this.#valuesIn((visitor) => visitTexts(name, visitor));
      if (values.length > 0) this.#copies.push({ ...named(file), isInName: true, values });
      return { path: file, stats };
    } catch (error) {
      this.#addUnread(file, error);
      return undefined;
    }
  }

  #list(folder: Buffer): Buffer[] {
    try {
      const names = readdirSync(folder, { encoding: 'buffer' });
      const slash = Buffer.from('/');
      return names
        .sort(Buffer.compare)
        .reverse()
        .map((name) => Buffer.concat([folder, slash, name]));
    } catch (error) {
      this.#addUnread(folder, error);
      return [];
    }
  }

  /** Returns the number of bytes that were read. */
  #searchFile({ path: file, stats }: Entry): number {
    const shown = named(file).file;
    const identity = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
    const known = this.#options.clean?.get(shown);
    if (known?.identity === identity) {
      this.#lines.push(`${known.sha256} ${stats.size} ${shown}`);
      return Number(stats.size);
    }
    try {
      const { bytes, sha256, values, isPartly } = this.#readFile(file, shown);
      this.#lines.push(`${sha256} ${bytes} ${shown}`);
      if (values.length > 0) this.#copies.push({ ...named(file), isInName: false, values });
      else if (!isPartly) this.#options.clean?.set(shown, { identity, sha256 });
      return bytes;
    } catch (error) {
      this.#addUnread(file, error);
      return 0;
    }
  }

  #readFile(file: Buffer, shown: string) {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!fstatSync(descriptor).isFile()) throw Object.assign(new Error(shown), { code: 'is no longer a file' });
      const hash = createHash('sha256');
      let [bytes, isPacked, isPartly] = [0, false, false];
      const skip = (reason: string): void => {
        isPartly = true;
        this.#partly.push({ file: shown, reason });
      };
      const values = this.#valuesIn((visitor) => {
        const all = { ...visitor, skip };
        for (const { stretch, from } of readStretches(descriptor)) {
          hash.update(stretch.subarray(from));
          const isFirst = bytes === 0;
          bytes += stretch.length - from;
          this.#options.progress?.add(stretch.length - from);
          const opaque = isFirst ? whyOpaque(stretch) : undefined;
          if (opaque !== undefined) skip(`is ${opaque}, searched as bytes only`);
          isPacked ||= mayUnpack(stretch);
          visitStretch(stretch, all);
        }
        if (isPacked && bytes > mostUnpackedBytes)
          skip(`may hold packed data, but has more than ${mostUnpackedBytes >> 20} MB`);
        else if (isPacked) visitUnpacked(readWhole(descriptor, bytes), all);
      });
      return { bytes, sha256: hash.digest('hex'), values, isPartly };
    } finally {
      closeSync(descriptor);
    }
  }

  searchArchived(content: ArchivedContent): void {
    const { file, sessionId } = content;
    if ('problem' in content) {
      this.#unread.push({ file, reason: content.problem });
      return;
    }
    const pieces = content.read();
    const values = this.#valuesIn((visitor) => {
      for (const stretch of joinPieces(pieces)) visitTexts(stretch, visitor);
    });
    const owner = sessionId === undefined ? {} : { sessionId };
    if (values.length > 0) this.#copies.push({ file, isNamed: true, isInName: false, values, ...owner });
  }

  #valuesIn(look: (visitor: { visit(text: string): void; skip(reason: string): void }) => void): PurgedValue[] {
    const values = new Set<PurgedValue>();
    const visit = (text: string): void =>
      this.#finder.find(text, (found, value) => {
        values.add(found);
        this.#found.set(found, value);
      });
    look({ visit, skip: () => {} });
    return [...values];
  }

  #noteOther({ path: file, stats }: Entry): void {
    const shown = named(file).file;
    if (!stats.isSymbolicLink()) {
      this.#partly.push({ file: shown, reason: 'is a pipe, a socket or a device, which holds no bytes' });
      return;
    }
    const target = readlinkSync(file, 'buffer');
    const values = this.#valuesIn((visitor) => visitTexts(target, visitor));
    if (values.length > 0) this.#copies.push({ ...named(file), isInName: true, values });
    this.#partly.push({ file: shown, reason: linkReason });
  }

  #isSearchedElsewhere(file: string, reason: string): boolean {
    return reason === linkReason && this.#places.some((place) => isWithin(place, realPath(file)));
  }

  #addUnread(file: Buffer, error: unknown): void {
    const code = systemErrorCode(error);
    if (code !== 'ENOENT') this.#unread.push({ file: named(file).file, reason: code ?? String(error) });
  }
}

const linkReason = 'is a link to a place that is not searched';

function named(file: Buffer): Pick<FoundCopy, 'file' | 'isNamed'> {
  const text = file.toString('utf8');
  if (Buffer.from(text).equals(file)) return { file: path.resolve(text), isNamed: true };
  const shown = file.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
  return { file: shown, isNamed: false };
}
