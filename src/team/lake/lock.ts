// One export writes a lake at a time: a lock of the store, on a connection of its own. A purge removes what no finished export
// names, which would include the files of an export that is still at work.
import type { Sql } from '../database/index.ts';
import { anotherExport } from './lake-settings.ts';
import type { LakeStorage } from './storage/index.ts';

/** `checkLock` throws if the connection was lost, and with it the lock. */
export async function withLakeLock<T>(
  sql: Sql,
  storage: LakeStorage,
  work: (checkLock: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const locked = await sql.reserve();
  const key = `clew.lake ${storage.name}`;
  try {
    const [answer] = await locked<{ got: boolean; pid: number }[]>`
      SELECT pg_try_advisory_lock(hashtextextended(${key}, 0)) AS got, pg_backend_pid() AS pid`;
    if (answer?.got !== true) throw anotherExport(storage);
    return await work(async () => {
      const [now] = await locked<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
      if (now?.pid !== answer.pid) throw anotherExport(storage);
    });
  } finally {
    await locked`SELECT pg_advisory_unlock(hashtextextended(${key}, 0))`.catch(() => undefined);
    locked.release();
  }
}
