// A secret of this machine → hashes of folders and of names that are not ids. The secret never leaves the machine, so
// whoever has the store cannot try a list of likely folders: without the secret no guess can be checked. The price is that
// one folder has another hash on another machine, and after Clew's state folder was deleted.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import path from 'node:path';
import { isUuid } from '../../base/text/index.ts';
import { readText, writeDurably } from '../../store/index.ts';

export interface StoreKey {
  /** 32 hex digits. */
  readonly hash: (value: string) => string;
}

/** `folder`: of pushes, in Clew's state folder. */
export function loadStoreKey(folder: string): StoreKey {
  const file = path.join(folder, 'hash-key');
  let text = readText(file)?.trim();
  if (text === undefined || !/^[0-9a-f]{64}$/.test(text)) {
    text = randomBytes(32).toString('hex');
    writeDurably(file, `${text}\n`);
  }
  const secret = Buffer.from(text, 'hex');
  return { hash: (value) => createHmac('sha256', secret).update(value).digest('hex').slice(0, 32) };
}

/** Equal in copies of a call or prompt on any machine. Its ids are random, so that no list of them can be tried. */
export function copyKey(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, 22);
}

/** The id in the store: a name that is not a UUID may be text of the user. */
export function baseIdOf(transcript: string, key: StoreKey): string {
  const name = path.basename(transcript, '.jsonl');
  return isUuid(name) ? name : `x-${key.hash(name)}`;
}

/** For the second session with one id. */
export function secondIdOf(baseId: string, transcript: string, key: StoreKey): string {
  return `${baseId}@${key.hash(path.dirname(transcript)).slice(0, 12)}`;
}
