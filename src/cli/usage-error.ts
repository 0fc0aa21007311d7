// Commander's error → one line that says what is wrong and what to do. Its own texts are several sentences long and
// suggest nothing.
import type { CommanderError } from 'commander';
import { UserError } from '../base/errors/errors.ts';
import type { CommandRow } from './command/command.ts';

export function usageError(error: CommanderError, called: CommandRow | undefined): UserError {
  const help = called === undefined ? 'clew --help' : `clew ${called.name} --help`;
  return new UserError(whatIsWrong(error, called), `run \`${help}\``);
}

function whatIsWrong({ code, message }: CommanderError, called: CommandRow | undefined): string {
  const named = /'([\s\S]*)'/.exec(message)?.[1] ?? '';
  const similar = /\n\(Did you mean (?:one of )?(.*)\?\)$/.exec(message)?.[1];
  const guess = similar === undefined ? '' : ` (did you mean ${similar}?)`;
  const name = called?.name ?? 'clew';
  switch (code) {
    case 'commander.unknownCommand':
      return `there is no command "${named}"${guess}`;
    case 'commander.unknownOption':
      return `there is no option "${named}"${guess}`;
    case 'commander.missingArgument':
      return `${name} needs a ${named}`;
    case 'commander.excessArguments':
      return `${name} takes ${called?.argument === undefined ? 'no argument' : `one ${called.argument.replace(/[[\]]/g, '')}, not more`}`;
    case 'commander.optionMissingArgument':
      return `${named.replace(/ .*/, '')} needs a value`;
    default:
      return message.replace(/^error: /, '');
  }
}
