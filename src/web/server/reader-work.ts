// A worker: questions about sessions, searches and usage → answers. It reads and counts; it changes nothing.
import { ReaderIndex } from './reader-index.ts';
import { SearchAnswers } from './search-answers.ts';
import { SessionAnswers } from './session-answers.ts';
import { Shelf } from './shelf.ts';
import { TailAnswers } from './tail-answers.ts';
import type { ThreadSetup } from './thread.ts';
import { UsageAnswers } from './usage-answers.ts';
import type { Methods } from './worker.ts';

export function readerMethods(setup: ThreadSetup): Methods {
  const shelf = new Shelf();
  const sessions = new SessionAnswers(shelf, setup.state);
  const tails = new TailAnswers(shelf);
  const index = new ReaderIndex(setup.state);
  const searches = new SearchAnswers(setup.roots, index);
  const usage = new UsageAnswers(setup.roots, index);
  const own = (target: object, ...names: readonly string[]): Methods =>
    Object.fromEntries(names.map((name) => [name, Reflect.get(target, name).bind(target)]));
  return {
    ...own(sessions, 'prepare', 'head', 'turns', 'place', 'line', 'text', 'image', 'find', 'markdown'),
    ...own(tails, 'know', 'grown', 'recent'),
    ...own(searches, 'search'),
    ...own(usage, 'usage', 'tools', 'top', 'receipts'),
    memory: () => ({ ...process.memoryUsage(), ...shelf.counts }),
  };
}
