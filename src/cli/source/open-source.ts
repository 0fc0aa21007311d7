// The flags of a command → the source that it reads: this machine, or with --store the store of the team, whose code is
// loaded only then.
import type { LibrarySource } from '../../library/source/index.ts';
import type { CommandInput } from '../command/index.ts';
import { type StoreChoice, storeChoice } from '../input/index.ts';
import { LocalSource } from './local-source.ts';

export async function withSource<T>(input: CommandInput, work: (source: LibrarySource) => Promise<T>): Promise<T> {
  const choice = await storeChoice(input);
  return choice === undefined ? work(new LocalSource(input)) : withStore(choice, work);
}

type Store = Awaited<ReturnType<typeof import('../../team/source/index.ts')['openStore']>>;

/** The connection ends with the work; errors of the store are errors of the user. */
export async function withStore<T>(choice: StoreChoice, work: (store: Store) => Promise<T>): Promise<T> {
  const { openStore, storeError } = await import('../../team/source/index.ts');
  let store: Store | undefined;
  try {
    store = await openStore(choice.address, choice.people);
    return await work(store);
  } catch (error) {
    throw storeError(error, choice.address);
  } finally {
    await store?.close();
  }
}
