// clew team gateway [ACTION]: runs an instance of the gateway, manages the keys of people, shows what was forwarded.
import { UserError } from '../../base/errors/index.ts';
import { type CommandInput, countFlag } from '../command/index.ts';
import { runAddKey, runListKeys, runRevokeKeys } from './keys.ts';
import { runRetry, runStatus } from './status.ts';

export async function run(input: CommandInput): Promise<void> {
  const [action = 'serve', ...words] = input.words;
  switch (action) {
    case 'serve': {
      refuseMore(words, 0, action);
      const { runServer } = await import('./serve.ts');
      return runServer(input);
    }
    case 'forward': {
      refuseMore(words, 0, action);
      const { runForwarding } = await import('./forward.ts');
      return runForwarding(input);
    }
    case 'status':
      refuseMore(words, 0, action);
      return runStatus(input);
    case 'retry':
      refuseMore(words, 0, action);
      return runRetry(input);
    case 'key':
      return runKey(input, words);
    default:
      throw new UserError(`unknown action "${action}" of the gateway`, 'use serve, key, status or retry');
  }
}

async function runKey(input: CommandInput, [action, person, ...words]: readonly string[]): Promise<void> {
  refuseMore(words, 0, `key ${action}`);
  if (action === 'list') return runListKeys(input, person);
  if (action !== 'add' && action !== 'revoke')
    throw new UserError(`unknown action "${action ?? ''}" for keys`, 'use key add, key list or key revoke');
  if (person === undefined)
    throw new UserError(
      `clew team gateway key ${action} needs the name of someone who pushes`,
      `for example clew team gateway key ${action} ada`,
    );
  return action === 'add' ? runAddKey(input, person) : runRevokeKeys(input, person, countFlag(input.flags, 'key'));
}

function refuseMore(words: readonly string[], most: number, action: string): void {
  if (words.length > most)
    throw new UserError(`clew team gateway ${action} does not accept "${words[most]}"`, 'leave it out');
}
