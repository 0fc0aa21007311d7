// Finds and deletes batches that hold a secret of a session that was redacted in place. A batch is compressed and counted
// as a whole, so it is deleted: its spans are never sent.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { asObject, asString, parseJson } from '../../base/json/json.ts';
import { namesIn, syncFolder } from './durable.ts';
import type { TracePlaces } from './places.ts';

export interface HeldBatch {
  readonly file: string;
  readonly sessionId: string | undefined;
}

/** Waiting and refused batches; `holds` gets what the server would get. */
export function findBatches(places: TracePlaces, holds: (bytes: Buffer) => boolean): readonly HeldBatch[] {
  const folders = ['outbox', 'dead'].flatMap((kind) => {
    const top = path.join(places.folder, kind);
    return namesIn(top).map((destination) => path.join(top, destination));
  });
  return folders.flatMap((folder) =>
    namesIn(folder).flatMap((name) => {
      const file = path.join(folder, name);
      const content = batchContent(file);
      if (content === undefined || !holds(content)) return [];
      const head = content.toString('utf8', 0, content.indexOf(0x0a));
      return [{ file, sessionId: asString(asObject(parseJson(head))?.sessionId) }];
    }),
  );
}

export function deleteHeldBatch({ file }: HeldBatch): void {
  rmSync(file, { force: true });
  rmSync(file.replace(/\.batch$/, '.reason'), { force: true });
  syncFolder(path.dirname(file));
}

/** The head line and the uncompressed spans; of another file, its bytes. */
function batchContent(file: string): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return undefined; // sent and deleted meanwhile
  }
  const end = bytes.indexOf(0x0a) + 1;
  const body = bytes.subarray(end);
  if (body[0] !== 0x1f || body[1] !== 0x8b) return bytes;
  try {
    return Buffer.concat([bytes.subarray(0, end), gunzipSync(body)]);
  } catch {
    return bytes;
  }
}
