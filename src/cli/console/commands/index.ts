export { commandContext } from './command-context.ts';
export { slashCall, slashCommands } from './slash-commands.ts';
