// The format of a bundle (docs/bundle.md): a line of plain text, then one compressed stream of a manifest line and the bytes
// of the files it lists. The manifest is validated here.

import { constants } from 'node:zlib';
import { UserError } from '../../base/errors/index.ts';
import { asObject, asString, isArray, type JsonObject, type JsonValue, parseJson } from '../../base/json/index.ts';
import { isUuid } from '../../base/text/index.ts';
import { foldPart, isPlainPart } from './names.ts';

export const bundleVersion = 1;
export const magic = 'CLEW-BUNDLE';
export const firstLine: string = `${magic} ${bundleVersion} brotli\n`;

/** Placeholders for the folder of the project, the user's home, and the folder of the sessions' side files. */
export const placeholders = { project: '{{project}}', home: '{{home}}', sessions: '{{sessions}}' } as const;

export interface BundleLimits {
  readonly firstLineBytes: number;
  readonly manifestBytes: number;
  /** Of all sessions. A long session with many sub-agents has some hundreds. */
  readonly files: number;
  readonly totalBytes: number;
  /** The maximum compression ratio. Real sessions have 5 to 100. */
  readonly ratio: number;
}

export const limits: BundleLimits = {
  firstLineBytes: 64,
  manifestBytes: 32 * 1024 * 1024,
  files: 10_000,
  totalBytes: 8 * 1024 ** 3,
  ratio: 1000,
};

export const brotliParameters: Readonly<Record<number, number>> = {
  [constants.BROTLI_PARAM_QUALITY]: 5,
  [constants.BROTLI_PARAM_LGWIN]: 22,
};

export interface Manifest {
  readonly version: number;
  readonly madeAt: string;
  readonly isRedacted: boolean;
  readonly sessions: readonly BundledSession[];
}

export interface BundledSession {
  readonly sessionId: string;
  readonly title: string | undefined;
  /** Whether the paths after the placeholders have backslashes. */
  readonly isWindows: boolean;
  /** The main transcript first. */
  readonly files: readonly BundledFile[];
}

export interface BundledFile {
  /** `<sessionId>.jsonl`, `<sessionId>/…`, or `file-history/…`. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export function manifestLine({ version, madeAt, isRedacted, sessions }: Manifest): Buffer {
  const value = {
    version,
    madeAt,
    redacted: isRedacted,
    sessions: sessions.map(({ sessionId, title, isWindows, files }) => ({
      sessionId,
      title: title ?? null,
      paths: isWindows ? 'windows' : 'unix',
      files: files.map((file) => ({ ...file })),
    })),
  };
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/** Throws a UserError for anything that this version does not write. */
export function parseManifest(line: Buffer): Manifest {
  const value = asObject(parseJson(line.toString('utf8')));
  if (value === undefined || !isArray(value.sessions)) throw damaged('its manifest is unreadable');
  if (value.version !== bundleVersion)
    throw new UserError(
      `the bundle has a manifest of version ${shortValue(value.version)}, but this Clew reads version ${bundleVersion}`,
      'update Clew',
    );
  if (value.sessions.length === 0) throw damaged('it has no sessions');
  refuseTooManyFiles(value.sessions.reduce<number>((sum, session) => sum + countFiles(session), 0));
  const sessions = value.sessions.map(parseSession);
  if (statedBytes(sessions) > limits.totalBytes) throw damaged('it is too large');
  const ids = sessions.map(({ sessionId }) => sessionId.toLowerCase());
  if (new Set(ids).size < ids.length) throw damaged('it has a session twice');
  return {
    version: bundleVersion,
    madeAt: asString(value.madeAt) ?? '',
    isRedacted: value.redacted === true,
    sessions,
  };
}

/** Before anything is unpacked, and before a bundle is written. */
export function refuseTooManyFiles(count: number): void {
  if (count > limits.files) throw damaged(`it has ${count} files, more than ${limits.files}`);
}

export function statedBytes(sessions: readonly BundledSession[]): number {
  return sessions.flatMap(({ files }) => files).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** A session without files counts too. */
function countFiles(session: JsonValue): number {
  const files = asObject(session)?.files;
  return isArray(files) ? Math.max(1, files.length) : 1;
}

/** Anything may be where a number is expected, also what cannot be printed because it is nested too deeply. */
function shortValue(value: JsonValue | undefined): string {
  return typeof value === 'object' && value !== null ? 'object' : String(JSON.stringify(value ?? null)).slice(0, 40);
}

export function damaged(why: string): UserError {
  return new UserError(`the bundle cannot be imported: ${why}`, 'request it again, or see docs/bundle.md');
}

function parseSession(value: JsonValue): BundledSession {
  const session = asObject(value);
  const sessionId = asString(session?.sessionId) ?? '';
  // Any other name could be another folder: the client would read `memory/MEMORY.md` as the user's notes.
  if (!isUuid(sessionId)) throw damaged('a session has an invalid id');
  const files = isArray(session?.files) ? session.files.map((file) => parseFile(asObject(file), sessionId)) : [];
  if (files[0]?.name !== `${sessionId}.jsonl`) throw damaged(`session ${sessionId} has no transcript`);
  const names = new Set(files.map(({ name }) => sameName(name)));
  if (names.size < files.length) throw damaged('it has a file twice');
  for (const { name } of files)
    for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1))
      if (names.has(sameName(name.slice(0, at)))) throw damaged('a file is also a folder');
  return { sessionId, title: asString(session?.title), isWindows: session?.paths === 'windows', files };
}

function parseFile(file: JsonObject | undefined, sessionId: string): BundledFile {
  const name = asString(file?.name) ?? '';
  if (!isAllowedName(name, sessionId)) throw damaged(`it names a forbidden file: ${JSON.stringify(name).slice(0, 80)}`);
  const sizeBytes = file?.sizeBytes;
  const sha256 = asString(file?.sha256) ?? '';
  if (typeof sizeBytes !== 'number' || !Number.isSafeInteger(sizeBytes) || sizeBytes < 0)
    throw damaged(`${name} has an invalid size`);
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw damaged(`${name} has an invalid hash`);
  return { name, sizeBytes, sha256 };
}

/**
 * Only inside the session's own folders, on any system: no `..`, drive, stream, device or control character, and only
 * sub-agents with ids like those of clients.
 */
export function isAllowedName(name: string, sessionId: string): boolean {
  if (name === `${sessionId}.jsonl`) return true;
  const parts = name.split('/');
  const last = parts.at(-1) ?? '';
  const isInPlace = parts[0] === sessionId ? parts.length > 1 : parts[0] === 'file-history' && parts.length === 2;
  const isAgent = parts[0] === sessionId && /^agent-/i.test(last);
  return isInPlace && Buffer.byteLength(name) <= 512 && parts.every(isPlainPart) && (!isAgent || agentName.test(last));
}

/** `a98ee2d`, `acompact-1f2e3d`: letters, digits and dashes. */
const agentName = /^agent-[0-9A-Za-z][0-9A-Za-z_-]{0,127}(?:\.jsonl|\.meta\.json)$/;

/** Names that are equal to some system are one file. */
function sameName(name: string): string {
  return name.split('/').map(foldPart).join('/');
}
