// The arguments of a call → the command that answers it → an exit code. Errors of use become one line on stderr;
// anything unexpected is a bug, says so, and shows its stack with --debug.
import { Command, CommanderError, Option } from 'commander';
import { exitCodes, UserError } from '../base/errors.ts';
import { neutralise } from '../base/terminal-text.ts';
import { version } from '../base/version.ts';
import type { CommandIo, CommandRow, Flag, FlagValues } from './command.ts';
import { commands, globalFlags } from './commands.ts';
import { createStyle, wantsColor } from './terminal/style.ts';

export async function runProgram(argv: readonly string[]): Promise<number> {
  const program = buildProgram();
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return Number(process.exitCode ?? exitCodes.ok);
  } catch (error) {
    return reportError(error, argv.includes('--debug'));
  }
}

function buildProgram(): Command {
  const program = new Command('clew')
    .description('Read, find and trust every session of Claude Code.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({ outputError: () => {} })
    .addHelpText(
      'after',
      '\nSESSION is a session id, the beginning of one, or a path. Run `clew COMMAND --help` for more.',
    );
  program.action(() => program.outputHelp());
  for (const row of commands) addCommand(program, row);
  return program;
}

function addCommand(program: Command, row: CommandRow): void {
  const command = program
    .command(row.name)
    .summary(row.summary)
    .description(`${row.summary[0]?.toUpperCase()}${row.summary.slice(1)}.`)
    .addHelpText('after', `\nExamples:\n${row.examples.map((example) => `  ${example}`).join('\n')}`);
  if (row.argument !== undefined) command.argument(`<${row.argument}>`);
  for (const flag of [...row.flags, ...globalFlags]) command.addOption(optionOf(flag));
  command.action(async (...values: unknown[]) => {
    const argument = row.argument === undefined ? undefined : String(values[0]);
    const { run } = await row.load();
    const flags = flagValues(command, row);
    await run({ argument, flags, io: standardIo(flags) });
  });
}

function optionOf(flag: Flag): Option {
  const option = new Option(flag.value === undefined ? flag.name : `${flag.name} <${flag.value}>`, flag.summary);
  if (flag.isHidden) option.hideHelp();
  if (flag.isRepeatable) option.argParser((value, before: readonly string[] = []) => [...before, value]);
  return option;
}

/** Commander's camel-case names back to the flags' own. */
function flagValues(command: Command, row: CommandRow): FlagValues {
  const options = command.opts();
  const values: Record<string, string | boolean | readonly string[] | undefined> = {};
  for (const { name } of [...row.flags, ...globalFlags]) {
    const key = name.replace(/^--(no-)?/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    values[name.replace(/^--/, '')] = name.startsWith('--no-') ? options[key] === false : options[key];
  }
  return values;
}

function standardIo(flags: FlagValues): CommandIo {
  const { stdout, stderr, env } = process;
  const color = flags['no-color'] === true ? false : undefined;
  return { stdout, stderr, env, cwd: process.cwd(), style: createStyle(wantsColor(stdout, env, color)) };
}

function reportError(error: unknown, debug: boolean): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.ok; // help and version
    say(`${error.message.replace(/^error: /, '').replace(/\s*\n\(?/g, ' (')}; run \`clew --help\``);
    return exitCodes.usage;
  }
  if (error instanceof UserError) {
    say(error.message);
    if (debug) process.stderr.write(`${error.stack}\n`);
    return error.exitCode;
  }
  const bug = error instanceof Error ? error : new Error(String(error));
  say(`this is a bug: ${bug.message}; run it again with --debug and report what it prints`);
  if (debug) process.stderr.write(`${bug.stack}\n`);
  return exitCodes.bug;
}

function say(message: string): void {
  process.stderr.write(`clew: ${neutralise(message).replace(/\n/g, ' ')}\n`);
}
