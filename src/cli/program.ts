// The arguments → the command that runs → an exit code. A wrong use becomes one line on stderr; an unexpected error is
// reported as a bug, with its stack if --debug is given.
import { type Argument, Command, CommanderError, type HelpConfiguration, Option } from 'commander';
import { exitCodes, explainSystemError, UserError } from '../base/errors/index.ts';
import { version } from '../base/version/index.ts';
import { type CommandIo, type CommandRow, type Flag, type FlagValues, Unread } from './command/index.ts';
import { commandGroups, commands, globalFlags } from './commands.ts';
import { createMarkedStyle, wantsColor, writeNotice, writeOut, writeText } from './terminal/index.ts';

export async function runProgram(called: readonly string[]): Promise<number> {
  const argv = withPrintCommand(called);
  catchStrayErrors(argv);
  // Commander would print help directly; collected here, it is written like any other output.
  const help: string[] = [];
  try {
    if (isForPicker(argv)) return await pick(argv);
    return await parse(withHelpFlag(argv), help);
  } catch (error) {
    const isDebug = argv.includes('--debug');
    if (!(error instanceof CommanderError)) return await reportError(error, isDebug);
    if (error.exitCode !== 0) return await reportError(usageError(error, calledRow(argv)), isDebug);
    await writeOut(help, process);
    return exitCodes.ok;
  }
}

/** Settles what a killed operation left, before a command looks at the sessions. */
export async function recoverFirst(): Promise<void> {
  const { recoverKilled } = await import('./operation/index.ts');
  await recoverKilled(process);
}

let isCatching = false;

/** Errors of streams, timers and workers that no caller waits for, and a stderr that cannot be written. */
function catchStrayErrors(argv: readonly string[]): void {
  if (isCatching) return;
  isCatching = true;
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  process.on('uncaughtException', (error) => {
    void reportError(error, argv.includes('--debug')).then((exitCode) => process.exit(exitCode));
  });
}

/** Writes output of a lean command that could not be written at once. */
export async function writeBytes(bytes: Uint8Array): Promise<void> {
  await writeOut([bytes], process);
}

/** `clew` without a command, on a terminal with cursor control. */
function isForPicker(argv: readonly string[]): boolean {
  const isAlone = argv.every((word) => globalFlags.some((flag) => flag.name === word));
  return isAlone && process.stdin.isTTY && process.stdout.isTTY && process.env.TERM !== 'dumb';
}

async function pick(argv: readonly string[]): Promise<number> {
  const { runPicker } = await import('./picker/picker.ts');
  return runPicker(standardIo({ 'no-color': argv.includes('--no-color') }), process);
}

/** What only a headless run takes. The Agent SDK starts the client with these and without a command. */
const headlessFlags: ReadonlySet<string> = new Set(['-p', '--print', '--output-format', '--input-format']);

/** `clew -p …` is `clew print -p …`. */
function withPrintCommand(argv: readonly string[]): readonly string[] {
  const flags = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const isAsked = flags.some((word) => headlessFlags.has(word.replace(/=.*/s, '')));
  return isAsked && !commands.some((row) => row.name === argv[0]) ? ['print', ...argv] : argv;
}

/** `clew` alone and `clew help COMMAND` also print help. */
function withHelpFlag(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  return first === undefined || first === 'help' ? [...rest, '--help'] : argv;
}

/** `strip --tools ID`: an optional value has taken the only word that can be the argument; moves it before the flag. */
function withArgument(argv: readonly string[], row: CommandRow | undefined): readonly string[] {
  const flagOf = (word: string): Flag | undefined =>
    row?.flags.find(({ name, short }) => name === word || short === word);
  let taken: number | undefined;
  for (let i = 1; i < argv.length; i++) {
    const [word = '', next] = argv.slice(i);
    if (word === '--') return argv;
    if (!word.startsWith('-')) return argv;
    const flag = flagOf(word);
    if (flag?.value === undefined || next === undefined) continue;
    const isOptional = flag.value.startsWith('[');
    if (isOptional && next.startsWith('-')) continue;
    if (isOptional && flag.notValue?.test(next) === true) taken = i;
    i++;
  }
  if (taken === undefined) return argv;
  const [flag = '', word = ''] = argv.slice(taken);
  return [...argv.slice(0, taken), word, flag, ...argv.slice(taken + 2)];
}

/** `find --store two words`: marks optional values that are left out, because their flag takes words of one form only. */
function withOmittedValues(argv: readonly string[], row: CommandRow | undefined): readonly string[] {
  const end = argv.indexOf('--');
  return argv.map((word, i) => {
    if (end !== -1 && i > end) return word;
    const form = row?.flags.find(({ name }) => name === word)?.onlyValue;
    return form === undefined || form.test(argv[i + 1] ?? '') ? word : `${word}=`;
  });
}

/** Runs the command and returns its exit code. */
async function parse(argv: readonly string[], help: string[]): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const program = new Command('clew')
    .description('Read, find and trust every session of Claude Code.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .exitOverride()
    .configureHelp(helpStyle)
    .configureOutput({ writeOut: (text) => help.push(text), outputError: () => {} })
    .addHelpText('after', programNotes);
  for (const flag of globalFlags) program.addOption(optionOf(flag));
  // Setting up all forty commands takes time that a call by name does not need.
  const called = commands.find((row) => row.name === argv[0]);
  const groups = called === undefined ? commandGroups : [{ heading: '', commands: [called] }];
  for (const { heading, commands: rows } of groups) {
    program.commandsGroup(`${heading}:`);
    for (const row of rows) {
      addCommand(program, row, (code) => {
        exitCode = code;
      });
    }
  }
  await program.parseAsync([...withArgument(withOmittedValues(argv, called), called)], { from: 'user' });
  return exitCode;
}

function addCommand(program: Command, row: CommandRow, onEnd: (exitCode: number) => void): void {
  const command = program
    .command(row.name)
    .summary(row.summary)
    .description(`${row.summary[0]?.toUpperCase()}${row.summary.slice(1)}.`)
    .addHelpText('after', commandNotes(row));
  const names = row.argument?.split(' ') ?? [];
  for (const name of names) command.argument(bracketed(name));
  for (const flag of row.flags) command.addOption(optionOf(flag));
  command.action(async (...values: unknown[]) => {
    const words = values
      .slice(0, names.length)
      .flatMap((value) => value ?? [])
      .map(String);
    const { run } = await row.load();
    const flags = flagValues(command, row);
    const io = standardIo(flags);
    const unread = new Unread(io.stderr);
    const answer = await run({ argument: words[0], words, flags, io, unread });
    const exitCode = typeof answer === 'number' ? answer : exitCodes.ok;
    onEnd(exitCode === exitCodes.ok && unread.size > 0 ? exitCodes.failed : exitCode);
  });
}

function optionOf(flag: Flag): Option {
  const option = new Option(
    [flag.short ?? [], flag.value === undefined ? flag.name : `${flag.name} ${bracketed(flag.value)}`]
      .flat()
      .join(', '),
    flag.summary,
  );
  if (flag.isHidden) option.hideHelp();
  if (flag.isRepeatable) option.argParser((value, before: readonly string[] = []) => [...before, value]);
  return option;
}

/** A word in brackets is optional. */
function bracketed(word: string): string {
  return word.startsWith('[') ? word : `<${word}>`;
}

/** Commander's camel-case names back to the flags' own. */
function flagValues(command: Command, row: CommandRow): FlagValues {
  const options = command.optsWithGlobals();
  const values: Record<string, string | boolean | readonly string[] | undefined> = {};
  for (const { name } of [...row.flags, ...globalFlags]) {
    const key = name.replace(/^--?(no-)?/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    values[name.replace(/^--?/, '')] = name.startsWith('--no-') ? options[key] === false : options[key];
  }
  return values;
}

function calledRow(argv: readonly string[]): CommandRow | undefined {
  const name = argv.find((word) => !word.startsWith('-'));
  return commands.find((row) => row.name === name);
}

function standardIo(flags: FlagValues): CommandIo {
  const { stdout, stderr, env } = process;
  const color = flags['no-color'] === true ? false : undefined;
  return { stdout, stderr, env, cwd: process.cwd(), style: createMarkedStyle(wantsColor(stdout, env, color)) };
}

/** One line on stderr; returns the exit code. */
export async function reportError(error: unknown, debug: boolean): Promise<number> {
  const explained = explainSystemError(error);
  const message = error instanceof Error ? error.message : String(error);
  const bug = `this is a bug: ${message}; run it again with --debug and report the output`;
  writeNotice(process.stderr, explained?.message ?? bug);
  if (debug && error instanceof Error) {
    const { sourceStack } = await import('./debug-stack.ts');
    writeText(process.stderr, `${sourceStack(error.stack ?? '')}\n`);
  }
  return explained?.exitCode ?? exitCodes.bug;
}

const helpStyle: HelpConfiguration = {
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

const programNotes: string = `
On a terminal, \`clew\` alone lets you pick a session to show or resume.
SESSION is a session id, the start of one, or the path of a transcript.
Sessions are read from ~/.claude, or from --root, CLEW_ROOTS or
CLAUDE_CONFIG_DIR. Run \`clew COMMAND --help\` for the options of a command.`;

function commandNotes({ examples }: CommandRow): string {
  return `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`;
}

function usageError(error: CommanderError, called: CommandRow | undefined): UserError {
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
