// Finds the secrets in a file of a session, line by line, before anything changes. `clew redact --check` uses it for any
// file.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { asBuffer } from '../../base/node/index.ts';
import { type ArchiveOptions, archiveFolder, archiveSessions, purgeVersions } from '../../library/archive/index.ts';
import {
  type ArchiveContents,
  ArchiveDamaged,
  ChunkReader,
  type Manifest,
  readArchivedFile,
  readContents,
} from '../../library/archive/pack/index.ts';
import { sessionPlace } from '../../library/session-files/index.ts';
import { maxLineBytes, RangeReader, readLineBatches } from '../../store/index.ts';
import { rewriteLines, type SourceFile, splitLines } from '../engine/index.ts';
import type { CleanLine, Form } from '../secrets/index.ts';
import type { Redactor } from './redactor.ts';

export interface FileSurvey {
  readonly path: string;
  /** The lines with a secret; in a transcript, the first line of each record. */
  readonly lines: ReadonlySet<number>;
  readonly places: readonly SecretPlace[];
  /** By the index of the record: its signed thinking blocks with a secret. */
  readonly signed: ReadonlyMap<number, readonly number[]>;
}

export interface SecretPlace {
  readonly placeholder: string;
  readonly line: number;
  readonly count: number;
  /** The text before the secret, and at most four characters of it. */
  readonly excerpt: string;
}

export type FilePart = Pick<SourceFile, 'path' | 'name' | 'transcript'>;

/** The lines without a secret of their own in a file, by offset. Other places may reveal that they hold one. */
export type CleanLines = ReadonlyMap<number, CleanPlace>;

export type CleanPlace = Pick<CleanLine, 'isCanonical' | 'isPlain'> & Pick<Place, 'length'>;

export function learnFile(file: FilePart, redactor: Redactor): CleanLines {
  const lines = new Map<number, CleanPlace>();
  eachPart(file, (bytes, form, _line, record) => {
    const clean = redactor.learn(bytes, form);
    if (clean !== undefined && record !== undefined && record.length === bytes.length)
      lines.set(record.offset, { length: record.length, isCanonical: clean.isCanonical, isPlain: clean.isPlain });
    return bytes;
  });
  return lines;
}

/** Of a record in its file. */
interface Place {
  readonly offset: number;
  readonly length: number;
}

/** `clean`: what `learnFile` returned, if the file cannot have changed since then. */
export function surveyFile(file: FilePart, redactor: Redactor, clean?: CleanLines): FileSurvey {
  return survey(file.path, redactor, (visit) => eachPart(file, visit), clean);
}

/** The secrets in the file name, as line 0; call `learnFileName` first. */
export function surveyName({ path: file, name }: Pick<FilePart, 'path' | 'name'>, redactor: Redactor): FileSurvey {
  const renamed = path.posix.basename(redactor.renameFile(name));
  const places = redactor.findInName(name).map((placeholder): SecretPlace => {
    return { placeholder, line: 0, count: 1, excerpt: redactor.excerpt(placeholder, renamed) };
  });
  return { path: file, lines: new Set(), places, signed: new Map() };
}

export function surveyContent(bytes: Buffer, name: string, redactor: Redactor): FileSurvey {
  return survey(name, redactor, (visit) => visitContent(bytes, name, visit));
}

function survey(file: string, redactor: Redactor, each: (visit: Visit) => void, clean?: CleanLines): FileSurvey {
  const places: SecretPlace[] = [];
  const signed = new Map<number, readonly number[]>();
  each((bytes, form, line, record) => {
    const known = record === undefined ? undefined : clean?.get(record.offset);
    const isKnown = known !== undefined && known.length === bytes.length;
    if (isKnown && redactor.isUnchanged(bytes, known)) return bytes;
    const redaction = clean === undefined ? redactor.redact(bytes, form) : redactor.redactUnclean(bytes, form);
    const text = redaction.bytes === bytes ? '' : redaction.bytes.toString('utf8');
    if (form === 'text') places.push(...withExcerpts(redactor.locate(bytes), text, redactor));
    else
      for (const [placeholder, count] of redaction.found)
        places.push({ placeholder, line, count, excerpt: redactor.excerpt(placeholder, text) });
    if (record?.index !== undefined && redaction.signed.length > 0) signed.set(record.index, redaction.signed);
    for (const placeholder of redaction.signedPlaceholders)
      places.push({ placeholder, line, count: 1, excerpt: redactor.excerpt(placeholder, '') });
    return bytes;
  });
  return { path: file, lines: new Set(places.map(({ line }) => line)), places, signed };
}

/** The places of a value have the same order as its placeholders in the redacted text. */
function withExcerpts(located: readonly Omit<SecretPlace, 'excerpt'>[], text: string, redactor: Redactor) {
  const next = new Map<string, number>();
  return located.map((place): SecretPlace => {
    const from = next.get(place.placeholder) ?? 0;
    const at = text.indexOf(place.placeholder, from);
    if (at >= 0) next.set(place.placeholder, at + place.placeholder.length);
    return { ...place, excerpt: redactor.excerpt(place.placeholder, text, from) };
  });
}

export function redactFile(file: Pick<FilePart, 'path' | 'name'>, redactor: Redactor): Buffer {
  const bytes = readFileSync(file.path);
  return isBinary(bytes) ? bytes : redactContent(bytes, formOf(file.name), redactor);
}

export function redactContent(bytes: Buffer, form: FileForm, redactor: Redactor): Buffer {
  if (form !== 'lines') return redactor.redact(bytes, form).bytes;
  return Buffer.concat(splitLines(bytes).map((line) => redactor.redact(line, 'record').bytes));
}

/** The placeholders of the secrets that are found. */
export function inspectContent(bytes: Buffer, name: string, redactor: Redactor): readonly string[] {
  if (isBinary(bytes)) return [];
  const form = formOf(name);
  if (form !== 'lines') return redactor.inspect(bytes, form);
  return splitLines(bytes).flatMap((line) => redactor.inspect(line, 'record'));
}

/** The same for a file, of which only one line at a time is in memory if it has lines. */
export function inspectFile(file: Pick<FilePart, 'path' | 'name'>, redactor: Redactor): readonly string[] {
  if (formOf(file.name) !== 'lines') return inspectContent(readFileSync(file.path), file.name, redactor);
  if (isBinary(new RangeReader(file.path, headBytes).read(0, headBytes))) return [];
  const found: string[] = [];
  for (const batch of readLineBatches(file.path, { maxLineBytes: Number.MAX_SAFE_INTEGER })) {
    for (const { bytes, terminated } of batch) {
      const line = terminated ? Buffer.concat([bytes, newline]) : bytes;
      found.push(...redactor.inspect(asBuffer(line), 'record'));
    }
  }
  return found;
}

const newline = Buffer.from('\n');

export type FileForm = 'lines' | 'json' | 'text';

export function formOf(name: string): FileForm {
  const extension = path.posix.extname(name);
  return extension === '.jsonl' ? 'lines' : extension === '.json' ? 'json' : 'text';
}

const headBytes = 8192;

/** Such as images, which are not searched. */
export function isBinary(bytes: Buffer): boolean {
  const head = bytes.subarray(0, headBytes);
  return head.includes(0) && !head.includes('{"');
}

type Visit = (bytes: Buffer, form: Form, line: number, record?: Place & { readonly index?: number }) => Buffer;

export function eachPart({ path: file, name, transcript }: FilePart, visit: Visit): void {
  if (transcript !== undefined) {
    const patch = {
      isTouched: () => true,
      apply: (bytes: Buffer, line: number, node?: Place & { readonly index: number }): Buffer => {
        refuseTooLong(bytes.length, file, line);
        return visit(bytes, 'record', line, node);
      },
    };
    for (const _ of rewriteLines(transcript, { patch }));
    return;
  }
  if (formOf(name) !== 'lines') {
    visitContent(readFileSync(file), name, visit);
    return;
  }
  for (const batch of readLineBatches(file)) {
    for (const line of batch) {
      if (line.bytes.length < line.length) refuseTooLong(line.length, file, line.number);
      visit(line.bytes, 'record', line.number, { offset: line.offset, length: line.length });
    }
  }
}

function visitContent(bytes: Buffer, name: string, visit: Visit): void {
  if (isBinary(bytes)) return;
  const form = formOf(name);
  if (form !== 'lines') visit(bytes, form, 1);
  else for (const [i, line] of splitLines(bytes).entries()) visit(line, 'record', i + 1);
}

function refuseTooLong(length: number, file: string, line: number): void {
  if (length > maxLineBytes)
    throw new UserError(
      `line ${line} of ${file} is too long to search for secrets`,
      'run `clew doctor` on the session',
    );
}

/** Returns the number of removed copies. `isArchived`: an interrupted call may have removed them before. */
export async function redactArchive(
  main: string,
  redactor: Redactor,
  options: ArchiveOptions & { readonly isArchived?: boolean } = {},
): Promise<number> {
  const folder = options.folder ?? archiveFolder();
  const isUnwanted = (manifest: Manifest, contents: ArchiveContents): boolean =>
    isOf(manifest, main) && holdsSecret(manifest, new ChunkReader(contents), redactor);
  const { versions } = await purgeVersions(isUnwanted, { ...options, folder });
  if (versions > 0 || options.isArchived === true) await archiveSessions([{ path: main }], { ...options, folder });
  return versions;
}

/** The number of copies that `redactArchive` would remove. */
export function countArchived(main: string, redactor: Redactor, folder: string): number {
  const contents = readContents(folder);
  const reader = new ChunkReader(contents);
  const versions = [...contents.sessions.values()].flatMap((session) => session.versions);
  return versions.filter((manifest) => isOf(manifest, main) && holdsSecret(manifest, reader, redactor)).length;
}

/** In any folder: a moved session has the same id. */
function isOf(manifest: Manifest, main: string): boolean {
  return manifest.sessionId === sessionPlace(main).sessionId;
}

/** An unreadable copy counts as one with a secret. */
function holdsSecret(manifest: Manifest, reader: ChunkReader, redactor: Redactor): boolean {
  try {
    return manifest.files.some((file) => {
      if (redactor.holdsValue(Buffer.from(file.path))) return true;
      const pieces = [...readArchivedFile(reader, manifest, file)];
      return inspectContent(Buffer.concat(pieces), file.path, redactor).length > 0;
    });
  } catch (error) {
    if (error instanceof ArchiveDamaged) return true;
    throw error;
  }
}
