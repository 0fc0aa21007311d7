// The worker `reader` of a page over a store: sessions are read as on this machine, once their files are fetched; searches and
// sums are answered by the store.
import path from 'node:path';
import type { StoreChoice } from '../../../team/source/index.ts';
import { SessionAnswers, SessionCache, SideAnswers } from '../answers/index.ts';
import { Refusal } from '../protocol/index.ts';
import { StoreConnection, StoredFiles, StoredUsage, searchStored } from '../stored/index.ts';
import type { ThreadSetup } from './thread.ts';
import type { WorkerMethods } from './worker-methods.ts';

export function storedReaderMethods(
  { state, archivedFolder }: Pick<ThreadSetup, 'state' | 'archivedFolder'>,
  choice: StoreChoice,
): WorkerMethods['reader'] {
  const store = new StoreConnection(choice);
  const files = new StoredFiles(store, path.join(archivedFolder, 'store'));
  const fetched =
    <Query extends { readonly path: string }, T>(answer: (query: Query) => T) =>
    async (query: Query): Promise<Awaited<T>> =>
      await answer({ ...query, path: await files.locate(query.path) });
  const cache = new SessionCache();
  const sessions = new SessionAnswers(cache, state);
  const sides = new SideAnswers(cache);
  const usage = new StoredUsage(store);
  return {
    prepare: fetched((query) => sessions.prepare(query)),
    head: fetched((query) => sessions.head(query)),
    turns: fetched((query) => sessions.turns(query)),
    place: fetched((query) => sessions.place(query)),
    line: fetched((query) => sessions.line(query)),
    text: fetched((query) => sessions.text(query)),
    image: fetched((query) => sessions.image(query)),
    find: fetched((query) => sessions.find(query)),
    slice: fetched((query) => sessions.slice(query)),
    markdown: fetched((query) => sessions.markdown(query)),
    context: fetched((query) => sessions.context(query)),
    export: fetched((query) => sessions.export(query)),
    side: fetched((query) => sides.side(query)),
    edits: fetched((query) => sides.edits(query)),
    // A pushed session does not grow while it is read: it is pushed again as a whole.
    know: () => Promise.resolve(null),
    grown: () => Promise.resolve({ append: null, lines: [] }),
    recent: () => Promise.resolve([]),
    search: (query) => searchStored(store, query),
    usage: (query) => usage.usage(query),
    tools: (query) => usage.tools(query),
    spending: () => notStored('what the output of tools cost is counted from transcripts'),
    cache: (query) => usage.cache(query),
    top: (query) => usage.top(query),
    receipts: () => notStored('receipts are lines of transcripts'),
    people: (query) => usage.people(query),
    memory: () => ({ ...process.memoryUsage(), ...cache.counts }),
  };
}

function notStored(what: string): never {
  throw new Refusal(403, `${what}, and the store has sums`, 'run `clew open` on the machine that has them');
}
