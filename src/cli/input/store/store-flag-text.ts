// The flags of a command → how the next command names the same store: as it was typed, without its password. Loaded only with a
// store.
import { shellQuote } from '../../../base/text/index.ts';
import { hidePassword } from '../../../team/database/index.ts';
import { type CommandInput, textFlag } from '../../command/index.ts';

export function storeFlagText(flags: CommandInput['flags']): string {
  const typed = textFlag(flags, 'store') ?? '';
  return typed === '' ? '--store' : `--store ${shellQuote(hidePassword(typed))}`;
}
