// A library that grows while the index follows it.
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { IndexReport } from '../../src/library/index/indexer.ts';
import { openIndex } from '../../src/library/index/schema.ts';
import { keepCurrent } from '../../src/library/watch/live-index.ts';
import { assistant, sessionText, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { waitFor } from '../support/wait.ts';

export interface Live {
  readonly root: string;
  readonly state: string;
  readonly reports: readonly IndexReport[];
  readonly notices: readonly string[];
  /** The reports since the last call, once there is one. */
  next(): Promise<readonly IndexReport[]>;
  /** `prompts` of every session, by its id, as another process sees them. */
  prompts(): Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

export async function start(
  context: TestContext,
  tree: Readonly<Record<string, string>>,
  prepare: (root: string) => void = () => {},
): Promise<Live> {
  const folder = temporaryFolder(context);
  const [root, state] = [path.join(folder, 'root'), path.join(folder, 'state')];
  writeTree(root, tree);
  prepare(root);
  const controller = new AbortController();
  const reports: IndexReport[] = [];
  const notices: string[] = [];
  const ended = keepCurrent({
    folder: state,
    roots: [root],
    signal: controller.signal,
    onUpdate: (report) => reports.push(report),
    onNotice: (message) => notices.push(message),
    watch: { sweepMs: 3_600_000 },
  });
  const stop = (): Promise<void> => {
    controller.abort();
    return ended;
  };
  context.after(stop);
  let seen = 0;
  const live: Live = {
    root,
    state,
    reports,
    notices,
    next: async () => {
      await waitFor(
        () => reports.length > seen,
        () => notices.join(),
      );
      const fresh = reports.slice(seen);
      seen = reports.length;
      return fresh;
    },
    prompts: () => {
      const database = openIndex({ folder: state });
      const rows = database
        .prepare(
          `SELECT s.session_id, count(p.line) AS prompts FROM sessions s LEFT JOIN files f ON f.path = s.path
           LEFT JOIN prompts p ON p.file = f.id GROUP BY s.id`,
        )
        .all();
      database.close();
      return Object.fromEntries(rows.map((row) => [String(row.session_id), Number(row.prompts)]));
    },
    stop,
  };
  await live.next();
  return live;
}

export const talk: string = sessionText([user('hello'), assistant('Hi.')]);

export const more: string = sessionText([user('go on')]);
