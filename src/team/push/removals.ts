// The operation log → what the user did to sessions that the store has. A transcript that is gone without an operation was
// deleted by Claude Code's own cleanup, and its session stays in the store.
import { appendFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import { asObject, asString, parseJson } from '../../base/json/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { privateFileMode, readText } from '../../store/index.ts';
import { listRecords, operationsFolder } from '../../surgery/journal/index.ts';
import type { TombstoneReason } from '../contract/index.ts';
import { pushFolder } from './places.ts';

export interface UserChanges {
  /** Why a transcript that is gone must go from the store; `undefined`: it stays. */
  whyRemoved(main: string): TombstoneReason | undefined;
  /** Why older content of a transcript that is there must not come back from another machine. */
  whyReplaced(main: string): TombstoneReason | undefined;
}

/** Reads the log on first use. */
export function userChanges(env: Environment): UserChanges {
  let known: Changes | undefined;
  const changes = (): Changes => {
    known ??= readChanges(env);
    return known;
  };
  return {
    whyRemoved: (main) => changes().removed.get(main),
    whyReplaced: (main) => changes().replaced.get(main),
  };
}

interface Changes {
  readonly removed: ReadonlyMap<string, TombstoneReason>;
  readonly replaced: ReadonlyMap<string, TombstoneReason>;
}

/** The last operation on a transcript counts. */
function readChanges(env: Environment): Changes {
  const removed = new Map<string, TombstoneReason>();
  const replaced = new Map<string, TombstoneReason>();
  for (const main of notedRemovals(env)) removed.set(main, 'removed');
  const seen = new Set<string>();
  // The newest first.
  for (const { operation, state, files } of listRecords(operationsFolder(env))) {
    for (const { path: file, kind } of files) {
      if (seen.has(file) || (state !== 'done' && state !== 'undone')) continue;
      seen.add(file);
      if (kind === 'removed' && state === 'done') removed.set(file, 'removed');
      else if (kind === 'made' && state === 'undone') removed.set(file, 'undone');
      if (operation === 'redact' && kind === 'replaced') replaced.set(file, state === 'done' ? 'redacted' : 'undone');
    }
  }
  return { removed, replaced };
}

/** `clew rm --no-archive` leaves no operation. The note is written only if sessions are pushed from here. */
export function noteRemoval(main: string, env: Environment): void {
  const folder = pushFolder(env);
  if (!existsSync(folder)) return;
  const note = JSON.stringify({ main: path.resolve(main), at: new Date().toISOString() });
  appendFileSync(notesFile(env), `${note}\n`, { mode: privateFileMode });
}

function notedRemovals(env: Environment): readonly string[] {
  return (readText(notesFile(env)) ?? '').split('\n').flatMap((line) => {
    const note = asObject(parseJson(line));
    const main = asString(note?.main);
    return main === undefined ? [] : [main];
  });
}

function notesFile(env: Environment): string {
  return path.join(pushFolder(env), 'removed.jsonl');
}
