// What the tests of the session list share.
import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { Database } from '../../src/library/index/database.ts';
import { updateRows } from '../../src/library/index/indexer.ts';
import { openIndex } from '../../src/library/index/schema.ts';
import { listSessions, type SessionList } from '../../src/library/index/session-list.ts';
import { type SessionSummary, summariseFile } from '../../src/session/facts/summary.ts';
import { discoverSessions } from '../../src/store/discover.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

export function openEmpty(context: TestContext): Database {
  const database = openIndex({ folder: temporaryFolder(context) });
  context.after(() => database.close());
  return database;
}

export async function list(database: Database, root: string): Promise<SessionList> {
  updateRows(database, { roots: [root] });
  return listSessions(database, { roots: [root] });
}

/** Rows and summaries from one reading, as `clew ls` makes them. */
export async function listInOnePass(database: Database, root: string): Promise<SessionList> {
  const summaries = new Map();
  updateRows(database, { roots: [root], summaries });
  return listSessions(database, { roots: [root], summaries });
}

/** The rows of `ls` from reading every transcript, without the index. */
export async function readThemAll(root: string): Promise<{ sessions: object[]; foreign: string[] }> {
  const sessions: object[] = [];
  const foreign: string[] = [];
  for (const found of (await discoverSessions([root])).sessions) {
    const summary: SessionSummary | undefined = await summariseFile(found.path);
    if (summary === undefined) foreign.push(found.path);
    else
      sessions.push({ ...summary, project: found.slug, root: found.root, mtimeMs: found.mtimeMs, verdict: undefined });
  }
  return { sessions, foreign };
}

export async function isEqual(database: Database, root: string, listAll: typeof list = list): Promise<number> {
  const wanted = await readThemAll(root);
  for (const _ of ['made', 'kept']) {
    const { sessions, foreign } = await listAll(database, root);
    assert.deepEqual({ sessions: sessions.map(({ firstPrompt, ...rest }) => rest), foreign }, wanted);
  }
  assert.equal((await list(database, root)).filesRead, 0);
  return wanted.sessions.length;
}

export function rootsOf(files: readonly string[]): string[] {
  return [...new Set(files.map((file) => path.dirname(path.dirname(file))))];
}
