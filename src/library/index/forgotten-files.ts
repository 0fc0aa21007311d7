// Files that are gone or replaced → the index without what came from them, before other files or other lines take their place.
import path from 'node:path';
import type { TranscriptFile } from '../../store/index.ts';
import type { Database } from './database.ts';
import type { IndexState, KnownFile } from './index-state.ts';
import { forgetDocuments } from './schema.ts';

/**
 * Removes everything that came from a file from the index. Its row in `files` stays: a file that is read again in the
 * same transaction keeps its id, and no new file may get it.
 */
export function forgetContents(database: Database, file: string, { id, session, isMain }: KnownFile): void {
  for (const table of ['prompts', 'tool_calls']) database.prepare(`DELETE FROM ${table} WHERE file = ?`).run(id);
  forgetDocuments(database, id);
  database.prepare(forgetFacts).run(id);
  database.prepare('DELETE FROM places WHERE path = ?').run(file);
  database.prepare(timesOfOthers).run(session);
  if (isMain) database.prepare(forgetSummary).run(session);
}

const forgetFacts = `UPDATE files SET text_offset = 0, text_line = 0, started_at = NULL, ended_at = NULL WHERE id = ?`;
const timesOfOthers = `UPDATE sessions SET started_at = (SELECT min(started_at) FROM files WHERE session = sessions.id),
  ended_at = (SELECT max(ended_at) FROM files WHERE session = sessions.id) WHERE id = ?`;
const forgetSummary = `UPDATE sessions SET cwd = NULL, first_prompt = NULL, summary_state = NULL, is_foreign = 0 WHERE id = ?`;

/** Files that no longer exist in the listed roots; files of other roots stay. */
export function forgetMissing(
  database: Database,
  files: readonly TranscriptFile[],
  state: IndexState,
  roots: readonly string[],
): number {
  const present = new Set(files.map((file) => file.path));
  const searched = roots.map((root) => `${path.resolve(root)}${path.sep}`);
  const gone = [...state.files].filter(
    ([file]) => !present.has(file) && searched.some((root) => file.startsWith(root)),
  );
  if (gone.length === 0) return 0;
  database.transaction(() => {
    for (const [file, known] of gone) {
      forgetContents(database, file, known);
      database.prepare('DELETE FROM files WHERE id = ?').run(known.id);
      state.files.delete(file);
    }
    forgetEmptySessions(database);
  });
  return gone.length;
}

/** Sessions whose last file is gone or belongs to another one. */
export function forgetEmptySessions(database: Database): void {
  database.exec('DELETE FROM sessions WHERE id NOT IN (SELECT session FROM files)');
}
