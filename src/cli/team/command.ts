// clew team: sets up a store and administers it. The first word is the action.
import { UserError } from '../../base/errors/index.ts';
import type { CommandInput } from '../command/index.ts';
import { actions } from './actions.ts';

export async function run(input: CommandInput): Promise<void> {
  const [name = 'status', ...words] = input.words;
  const load = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (load === undefined)
    throw new UserError(`there is no "clew team ${name}"`, `use ${Object.keys(actions).join(', ')}`);
  const act = await load();
  await act({ ...input, words, argument: words[0] });
}
