// A worker that answers questions about sessions, searches and usage.
import { IndexHandle } from '../../../library/index/index.ts';
import {
  SessionAnswers,
  SessionCache,
  SideAnswers,
  searchSessions,
  TailAnswers,
  UsageAnswers,
} from '../answers/index.ts';
import type { ThreadSetup } from './thread.ts';
import type { WorkerMethods } from './worker-methods.ts';

export function readerMethods({ roots, state }: Pick<ThreadSetup, 'roots' | 'state'>): WorkerMethods['reader'] {
  const cache = new SessionCache();
  const sessions = new SessionAnswers(cache, state);
  const sides = new SideAnswers(cache);
  const tails = new TailAnswers(cache);
  const index = new IndexHandle({ folder: state });
  const usage = new UsageAnswers({ roots, state, index });
  return {
    prepare: (query) => sessions.prepare(query),
    head: (query) => sessions.head(query),
    turns: (query) => sessions.turns(query),
    place: (query) => sessions.place(query),
    line: (query) => sessions.line(query),
    text: (query) => sessions.text(query),
    image: (query) => sessions.image(query),
    find: (query) => sessions.find(query),
    markdown: (query) => sessions.markdown(query),
    context: (query) => sessions.context(query),
    export: (query) => sessions.export(query),
    side: (query) => sides.side(query),
    edits: (query) => sides.edits(query),
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
    memory: () => ({ ...process.memoryUsage(), ...cache.counts }),
  };
}
