// A command that had to be asked for → the rule that would allow its like: the command with its subcommand where that
// bounds what it does, else this very text, and nothing for what runs anything.
import { changeProtection } from '../protected-path.ts';
import { allowText, isHarmless, runsAnything } from './command.ts';
import type { ShellCommand } from './parse.ts';

const bounded =
  /^(?:git (?:add|commit|checkout|switch|restore|stash|branch|tag|merge)|(?:npm|pnpm|yarn) (?:test|ci|install|(?:run )[a-z][\w:.-]*)|cargo (?:build|check|test|clippy|fmt)|go (?:build|test|vet)|dotnet (?:build|test))(?= |$)/;

export function offerRules(command: ShellCommand): readonly string[] {
  const text = allowText(command);
  const isPlain = command.words.every(({ isLiteral }) => isLiteral) && command.assignments.every(isHarmless);
  const isSpecial = command.words.some(({ value }) => changeProtection(value.split('/')) !== undefined);
  if (!isPlain || isSpecial || runsAnything(command)) return [];
  const prefix = bounded.exec(text)?.[0];
  if (prefix !== undefined) return [`Bash(${prefix}:*)`];
  // A star would be read as a pattern, and a parenthesis could be mistaken for two rules.
  return /[*()\n]/.test(text) || text.length > 300 ? [] : [`Bash(${text})`];
}
