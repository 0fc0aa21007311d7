// Every command in the groups and the order of the help. Help and completion scripts are made from this table, so
// printing them loads no command.
import type { CommandRow, Flag } from './command/index.ts';
import { keepCommands, repairCommands } from './keep-commands.ts';
import { findCommands, readCommands, showCommands } from './read-commands.ts';
import { reshapeCommands } from './reshape-commands.ts';
import { runCommands, traceCommands } from './run-commands.ts';
import { teamCommands } from './team-commands.ts';

export const globalFlags: readonly Flag[] = [
  { name: '--no-color', summary: 'print without colours' },
  { name: '--debug', summary: 'print the stack trace of an error' },
];

export interface CommandGroup {
  readonly heading: string;
  readonly commands: readonly CommandRow[];
}

export const commandGroups: readonly CommandGroup[] = [
  { heading: 'Read', commands: readCommands },
  { heading: 'Find and count', commands: findCommands },
  { heading: 'Keep', commands: keepCommands },
  { heading: 'Repair', commands: repairCommands },
  { heading: 'Reshape', commands: reshapeCommands },
  { heading: 'Show and share', commands: showCommands },
  { heading: 'Trace', commands: traceCommands },
  { heading: 'Team', commands: teamCommands },
  {
    heading: 'Run',
    commands: [
      ...runCommands,
      {
        name: 'completion',
        argument: 'SHELL',
        actions: ['bash', 'zsh', 'fish'],
        summary: 'print a completion script for bash, zsh or fish',
        flags: [],
        examples: ['source <(clew completion bash)', 'clew completion fish | source'],
        load: async () => {
          const { runCompletion } = await import('./completion/command.ts');
          return { run: (input) => runCompletion(input, commands, globalFlags) };
        },
      },
    ],
  },
];

export const commands: readonly CommandRow[] = commandGroups.flatMap((group) => group.commands);
