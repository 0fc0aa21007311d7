// clew completion SHELL: a completion script made from the table of commands.
import { UserError } from '../base/errors.ts';
import type { CommandInput } from './command.ts';
import { commands, globalFlags } from './commands.ts';
import { completionScript, type Shell } from './completion.ts';
import { writeOut } from './terminal/output.ts';

const shells: readonly Shell[] = ['bash', 'zsh', 'fish'];

export async function run({ argument, io }: CommandInput): Promise<void> {
  const shell = shells.find((name) => name === argument);
  if (shell === undefined)
    throw new UserError(`no completion for "${argument}"`, `there is one for ${shells.join(', ')}`);
  const rows = commands.map((row) => ({
    name: row.name,
    summary: row.summary,
    flags: [...row.flags, ...globalFlags].filter((flag) => !flag.isHidden),
    takesSession: row.argument?.includes('SESSION') === true,
  }));
  await writeOut([completionScript(shell, rows)], io);
}
