// An archived session → its title, by the same order as in lists: what the user called it, the client's title, a summary,
// the last prompt, the first one. Only lines that can hold one are parsed.
import { asObject, asString, isArray, type JsonObject, parseJson } from '../../base/json/index.ts';
import { oneLine } from '../../base/text/index.ts';
import { scanRecord } from '../../format/scan/index.ts';
import { type ArchiveContents, ArchiveDamaged, ChunkReader, type Manifest, readArchivedFile } from './pack/index.ts';

/** For lists and messages: one line, not too long. */
export function shortTitle(title: string | undefined): string {
  return oneLine(title ?? '', 200);
}

/** `undefined` if no line has one, or the bytes are damaged. */
export function archivedTitle(contents: ArchiveContents, manifest: Manifest): string | undefined {
  return readMain(contents, manifest, (lines) => {
    const finder = new TitleFinder();
    for (const line of lines) finder.add(line);
    return finder.title;
  });
}

/** The first folder that a line of an archived session names; `undefined` where none does, or its bytes are damaged. */
export function archivedFolder(contents: ArchiveContents, manifest: Manifest): string | undefined {
  return readMain(contents, manifest, (lines) => {
    for (const line of lines) {
      const cwd = scanRecord(line)?.cwd;
      if (cwd !== undefined) return cwd;
    }
    return undefined;
  });
}

/** The first prompt of an archived session; `undefined` where its first lines have none, or its bytes are damaged. */
export function archivedPrompt(contents: ArchiveContents, manifest: Manifest): string | undefined {
  return readMain(contents, manifest, (lines) => {
    const finder = new TitleFinder();
    for (const line of lines) {
      finder.add(line);
      if (finder.prompt !== undefined || finder.isPastOpening) return finder.prompt;
    }
    return finder.prompt;
  });
}

function readMain(
  contents: ArchiveContents,
  manifest: Manifest,
  read: (lines: Iterable<Buffer>) => string | undefined,
): string | undefined {
  const [main] = manifest.files;
  if (main === undefined) return undefined;
  try {
    return read(readArchivedFile(new ChunkReader(contents), manifest, main));
  } catch (error) {
    if (error instanceof ArchiveDamaged) return undefined;
    throw error;
  }
}

/** Takes the lines of a transcript, in their order. */
export class TitleFinder {
  readonly #found = new Map<string, string>();
  #lines = 0;
  #prompt: string | undefined;

  add(line: Buffer): void {
    this.#lines += 1;
    const isOpening = this.#lines <= openingLines && this.#prompt === undefined;
    const isShort = line.length <= longestLine;
    const isTitle = isShort && markers.some((marker) => line.subarray(0, headBytes).includes(marker));
    if (!isOpening && !isTitle) return;
    const entry = asObject(parseJson(line.toString('utf8')));
    if (entry === undefined) return;
    if (isOpening) this.#prompt = promptIn(entry);
    const type = asString(entry.type) ?? '';
    const title = isTitle ? titleIn(type, entry) : undefined;
    if (title !== undefined) this.#found.set(type, title);
  }

  get prompt(): string | undefined {
    return this.#prompt;
  }

  /** Later lines are not searched for a prompt. */
  get isPastOpening(): boolean {
    return this.#lines >= openingLines;
  }

  get title(): string | undefined {
    for (const type of Object.keys(fields)) if (this.#found.has(type)) return this.#found.get(type);
    return this.#prompt;
  }
}

/** Lines that are read to find the first prompt: it is near the beginning, or there is none. */
const openingLines = 200;

/** By precedence. */
const fields: Readonly<Record<string, string>> = {
  'custom-title': 'customTitle',
  'ai-title': 'aiTitle',
  summary: 'summary',
  'last-prompt': 'lastPrompt',
};
const markers = Object.keys(fields).map((type) => `"${type}"`);
/** The type of such a line is at its start, and the line is short. */
const headBytes = 200;
const longestLine = 64 * 1024;

function titleIn(type: string, entry: JsonObject): string | undefined {
  const field = fields[type];
  const text = field === undefined ? undefined : asString(entry[field])?.trim();
  if (text === undefined || text === '') return undefined;
  // What the client noted for its tasks and other sessions: nobody typed it.
  return type === 'last-prompt' && text.startsWith('<') ? undefined : text;
}

function promptIn(entry: JsonObject): string | undefined {
  if (entry.type !== 'user' || entry.isMeta === true || entry.isSidechain === true) return undefined;
  const content = asObject(entry.message)?.content;
  if (typeof content === 'string') return content.startsWith('<') ? undefined : content;
  const [first] = isArray(content) ? content : [];
  return asString(asObject(first)?.text);
}
