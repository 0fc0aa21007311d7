// Finishes killed runs: releases committed batches, and traces their sessions again. A session that cannot be recovered is
// logged, and does not stop the others.
import path from 'node:path';
import { asObject, asString, parseJson } from '../../base/json/index.ts';
import { abandonedNote, isHeld, namesIn, withLock } from '../../store/index.ts';
import { pendingOwners } from '../outbox/index.ts';
import { logFailure } from '../state/index.ts';
import type { TraceContext } from './context.ts';
import { finishPending, traceSession } from './trace-session.ts';

/** Finishes what killed runs of the tracer left. Returns the number of sessions. */
export async function recoverSessions(context: TraceContext): Promise<number> {
  const { places } = context;
  const outbox = path.join(places.folder, 'outbox');
  const owners = new Set(namesIn(outbox).flatMap((destination) => [...pendingOwners(places, destination)]));
  let recovered = 0;
  const attempt = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
      recovered++;
    } catch (error) {
      logFailure(places.log, `recover ${name}`, error);
    }
  };
  for (const lock of namesIn(places.sessions).filter((name) => name.endsWith('.lock'))) {
    const note = asObject(parseJson(abandonedNote(path.join(places.sessions, lock)) ?? ''));
    const file = asString(note?.file);
    if (file === undefined) continue;
    const sessionId = path.basename(file, '.jsonl');
    owners.delete(lock.slice(0, -'.lock'.length));
    const atEnd = note?.atEnd === 'turn' || note?.atEnd === 'session' ? note.atEnd : undefined;
    const run = { file, sessionId, atEnd, endMs: undefined, fromStart: false } as const;
    await attempt(sessionId, () => traceSession(run, context));
  }
  for (const key of owners) {
    const name = `${key}.lock`;
    if (isHeld(path.join(places.sessions, name))) continue;
    const lock = { name, what: 'tracing this session', waitMs: 1_000, pollMs: 15 };
    await attempt(key, () => withLock(places.sessions, lock, () => finishPending(context, key)));
  }
  return recovered;
}
