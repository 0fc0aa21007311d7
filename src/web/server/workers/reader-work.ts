// A worker that answers questions about sessions, searches and usage.
import path from 'node:path';
import { IndexHandle } from '../../../library/index/index.ts';
import {
  SessionAnswers,
  SessionCache,
  SideAnswers,
  searchSessions,
  TailAnswers,
  UsageAnswers,
} from '../answers/index.ts';
import { ArchivedFiles, recoverFile } from '../archived/index.ts';
import { Refusal } from '../protocol/index.ts';
import type { ThreadSetup } from './thread.ts';
import type { WorkerMethods } from './worker-methods.ts';

export function readerMethods({
  roots,
  state,
  archivedFolder,
}: Pick<ThreadSetup, 'roots' | 'state' | 'archivedFolder'>): WorkerMethods['reader'] {
  const archived = new ArchivedFiles(path.join(archivedFolder, 'reader'), {
    recover: (main, folder) => recoverFile(main, folder, roots),
  });
  /** A session that is not on disk is read from the archive, or made of what is left of it. */
  const located =
    <Query extends { readonly path: string }, T>(answer: (query: Query) => T) =>
    async (query: Query): Promise<Awaited<T>> =>
      await answer({ ...query, path: await archived.locate(query.path) });
  const cache = new SessionCache();
  const sessions = new SessionAnswers(cache, state);
  const sides = new SideAnswers(cache);
  const tails = new TailAnswers(cache);
  const index = new IndexHandle({ folder: state });
  const usage = new UsageAnswers({ roots, state, index });
  return {
    prepare: located((query) => sessions.prepare(query)),
    head: located((query) => sessions.head(query)),
    turns: located((query) => sessions.turns(query)),
    place: located((query) => sessions.place(query)),
    line: located((query) => sessions.line(query)),
    text: located((query) => sessions.text(query)),
    image: located((query) => sessions.image(query)),
    find: located((query) => sessions.find(query)),
    slice: located((query) => sessions.slice(query)),
    markdown: located((query) => sessions.markdown(query)),
    context: located((query) => sessions.context(query)),
    export: located((query) => sessions.export(query)),
    side: located((query) => sides.side(query)),
    edits: located((query) => sides.edits(query)),
    know: (query) => tails.know(query),
    grown: (query) => tails.grown(query),
    recent: (query) => tails.recent(query),
    search: (query) => searchSessions(index, roots, query),
    usage: (query) => usage.usage(query),
    tools: (query) => usage.tools(query),
    spending: (query) => usage.spending(query),
    cache: (query) => usage.cache(query),
    top: (query) => usage.top(query),
    receipts: (query) => usage.receipts(query),
    people: () => {
      throw new Refusal(404, 'people and groups are in the store of a team', 'run `clew open --store`');
    },
    memory: () => ({ ...process.memoryUsage(), ...cache.counts }),
  };
}
