// The table of commands → help within 80 columns.
import type { Argument, Command, HelpConfiguration, Option } from 'commander';
import type { CommandRow } from './command/command.ts';

export const helpStyle: HelpConfiguration = {
  helpWidth: 80,
  showGlobalOptions: true,
  subcommandTerm: (command: Command) => [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
  optionTerm: (option: Option) => option.flags.replace(/[<>]/g, ''),
  commandUsage: (command: Command) => {
    const parent = command.parent === null ? '' : `${command.parent.name()} `;
    const words = command.registeredArguments.map(argumentTerm);
    const called = command.parent === null ? ['COMMAND'] : words;
    return [`${parent}${command.name()}`, ...called, '[OPTIONS]'].join(' ');
  },
  // The program's own help lists them as its options.
  visibleGlobalOptions: (command: Command) =>
    command.parent === null ? [] : command.parent.options.filter((option) => option.long !== '--version'),
};

function argumentTerm(argument: Argument): string {
  return argument.required ? argument.name() : `[${argument.name()}]`;
}

export const programNotes: string = `
On a terminal, \`clew\` alone lets you pick a session to show or resume.
SESSION is a session id, the start of one, or the path of a transcript.
Sessions are read from ~/.claude, or from --root, CLEW_ROOTS or
CLAUDE_CONFIG_DIR. Run \`clew COMMAND --help\` for the options of a command.`;

export function commandNotes({ examples }: CommandRow): string {
  return `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`;
}
