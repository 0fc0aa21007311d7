// The packs of a session in the store → its files, checked against their hashes while they are read. A store is not this
// machine: names that would lead out of the session's folder are refused.
import { createHash } from 'node:crypto';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { codecs, isCodecName } from '../../library/archive/pack/index.ts';
import { packChunkBytes } from '../contract/index.ts';
import type { Sql } from '../database/index.ts';
import type { StoredSession } from './sessions.ts';

export interface PackedFile {
  readonly nth: number;
  /** Below the project folder, with `/`. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly mode: number;
  readonly mtimeMs: number;
}

export interface PackedSession {
  readonly stored: StoredSession;
  /** Byte for byte as on the machine that pushed it; otherwise without secrets. */
  readonly isOriginal: boolean;
  /** The main transcript first. */
  readonly files: readonly PackedFile[];
  /** Throws after the last piece if the bytes are not those that were pushed. */
  content(file: PackedFile): AsyncGenerator<Buffer>;
}

interface FileRow {
  readonly is_original: boolean;
  readonly nth: number;
  readonly name: string;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly mode: number;
  readonly mtime_ms: number;
}

/** The original files if they are wanted and the store has and shows them, else the redacted ones. */
export async function readPacked(sql: Sql, stored: StoredSession, wantsOriginals = true): Promise<PackedSession> {
  const { person, storeId, month, session } = stored;
  const rows = await sql<FileRow[]>`
    SELECT is_original, nth, name, size_bytes, sha256, mode, mtime_ms FROM clew.packs
    WHERE person = ${person} AND month = ${month}::date AND session_id = ${storeId} AND chunk = 0 ORDER BY nth`;
  const isOriginal = wantsOriginals && rows.some((row) => row.is_original);
  const files = rows.filter((row) => row.is_original === isOriginal).map(fileOf);
  if (files.length === 0)
    throw new UserError(
      `the store has no text of session ${session.sessionId || storeId}`,
      'its person shares it from the level of text on (docs/team.md)',
      exitCodes.refused,
    );
  for (const { path } of files) refuseOutside(path, session.sessionId);
  const content = (file: PackedFile): AsyncGenerator<Buffer> => readContent(sql, stored, isOriginal, file);
  return { stored, isOriginal, files, content };
}

function fileOf(row: FileRow): PackedFile {
  const { nth, name: path, size_bytes: sizeBytes, sha256, mode, mtime_ms: mtimeMs } = row;
  return { nth, path, sizeBytes, sha256, mode: mode & 0o777, mtimeMs };
}

/** `ID.jsonl`, files in `ID/`, and the transcripts of sub-agents next to it, as older clients wrote them. */
function refuseOutside(name: string, sessionId: string): void {
  const parts = name.split('/');
  const [first = ''] = parts;
  const isOwn =
    parts.length === 1 ? first === `${sessionId}.jsonl` || /^agent-[\w-]+\.jsonl$/.test(first) : first === sessionId;
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..' && !foreign.test(part));
  if (isOwn && isPlain) return;
  throw new UserError(
    `the store has a file "${name}" that is not in the folder of session ${sessionId}`,
    'report it to the administrator of the store',
    exitCodes.refused,
  );
}

/** Separators of paths on any system; on Windows also the mark of drives and streams. */
const foreign = process.platform === 'win32' ? /[\\\0:]/ : /[\\\0]/;

const piecesPerRead = 4;

async function* readContent(
  sql: Sql,
  { person, storeId, month }: StoredSession,
  isOriginal: boolean,
  file: PackedFile,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const pieces = sql<{ codec: string; data: Buffer }[]>`
    SELECT codec, data FROM clew.packs
    WHERE person = ${person} AND month = ${month}::date AND session_id = ${storeId} AND is_original = ${isOriginal}
      AND nth = ${file.nth} ORDER BY chunk`.cursor(piecesPerRead);
  for await (const rows of pieces)
    for (const { codec, data } of rows) {
      const bytes = unpacked(codec, data, file.path);
      hash.update(bytes);
      yield bytes;
    }
  if (hash.digest('hex') !== file.sha256)
    throw new UserError(
      `the store has other bytes of ${file.path} than were pushed`,
      'push the session again',
      exitCodes.failed,
    );
}

function unpacked(codec: string, data: Buffer, name: string): Buffer {
  if (!isCodecName(codec))
    throw new UserError(`${name} is packed with "${codec}", which this Clew does not know`, 'update Clew');
  return codecs[codec].decompress(data, packChunkBytes);
}
