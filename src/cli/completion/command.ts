// clew completion SHELL: the table of commands → a completion script. Session arguments are completed with
// `clew ls --ids`; its lines are data from disk, so no script lets the shell expand them.
import { UserError } from '../../base/errors/index.ts';
import type { CommandInput, CommandRow, Flag } from '../command/index.ts';
import { writeOut } from '../terminal/index.ts';

export interface FlagSpec {
  /** With its dashes: `--json`. */
  readonly name: string;
  /** `FILE` and `DIR` complete paths, `SESSION` sessions, `a|b` its choices. */
  readonly value?: string;
  readonly summary: string;
}

export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly FlagSpec[];
  readonly takesSession?: boolean;
  /** Words to offer for the first argument. */
  readonly actions?: readonly string[];
}

const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

export async function runCompletion(
  { argument, io }: CommandInput,
  commands: readonly CommandRow[],
  globalFlags: readonly Flag[],
): Promise<void> {
  const shell = shells.find((name) => name === argument);
  if (shell === undefined) throw new UserError(`no completion for "${argument}"`, `use one of ${shells.join(', ')}`);
  const specs = commands.map((row) => ({
    ...row,
    flags: [...row.flags, ...globalFlags].filter((flag) => !flag.isHidden),
    takesSession: row.argument?.includes('SESSION') === true,
  }));
  await writeOut([completionScript(shell, specs)], io);
}

export function completionScript(shell: Shell, commands: readonly CommandSpec[]): string {
  switch (shell) {
    case 'bash':
      return bashScript(commands);
    case 'zsh':
      return zshScript(commands);
    case 'fish':
      return fishScript(commands);
    default:
      shell satisfies never;
      return '';
  }
}

/** For bash 3.2, which macOS still has: no associative arrays, no `mapfile`. */
function bashScript(commands: readonly CommandSpec[]): string {
  const names = commands.map((command) => command.name).join(' ');
  return `# bash completion for clew; in ~/.bashrc: source <(clew completion bash)
_clew_words() {
  local word IFS=' '
  for word in $1; do
    if [[ $word == "$cur"* ]]; then COMPREPLY+=("$word"); fi
  done
}
_clew_lines() {
  local line
  while IFS= read -r line; do
    if [[ -n $line && $line == "$cur"* ]]; then COMPREPLY+=("$line"); fi
  done
}
_clew_sessions() { _clew_lines < <(clew ls --ids 2>/dev/null); }
_clew_paths() {
  compopt -o filenames 2>/dev/null
  _clew_lines < <(compgen "$1" -- "$cur")
}
_clew() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev='' command='' i word
  COMPREPLY=()
  if ((COMP_CWORD > 0)); then prev=\${COMP_WORDS[COMP_CWORD - 1]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word != -* ]]; then command=$word; break; fi
  done
  case "$command $prev" in
${commands.flatMap((command) => command.flags.flatMap((flag) => bashValue(command, flag))).join('')}  esac
  case "$command" in
    '') _clew_words ${quote(names)} ;;
${commands.map(bashCommand).join('')}  esac
}
complete -F _clew clew
`;
}

function bashValue(command: CommandSpec, { name, value }: FlagSpec): string[] {
  if (value === undefined) return [];
  return [`    ${quote(`${command.name} ${name}`)}) ${bashValues(value)}; return ;;\n`];
}

function bashValues(value: string): string {
  switch (value) {
    case 'DIR':
      return '_clew_paths -d';
    case 'FILE':
      return '_clew_paths -f';
    case 'SESSION':
      return '_clew_sessions';
    default:
      return `_clew_words ${quote(choicesOf(value).join(' '))}`;
  }
}

function bashCommand(command: CommandSpec): string {
  const flags = `_clew_words ${quote(command.flags.map((flag) => flag.name).join(' '))}`;
  // A SESSION may also be a path.
  const sessions = command.takesSession === true ? '_clew_sessions; ' : '';
  const actions = command.actions === undefined ? '' : `_clew_words ${quote(command.actions.join(' '))}; `;
  const rest = `${actions}${sessions}_clew_paths -f`;
  return `    ${quote(command.name)}) if [[ $cur == -* ]]; then ${flags}; else ${rest}; fi ;;\n`;
}

function zshScript(commands: readonly CommandSpec[]): string {
  return `#compdef clew
# zsh completion for clew; in ~/.zshrc: source <(clew completion zsh)
_clew_sessions() {
  local -a ids
  ids=("\${(@f)$(clew ls --ids 2>/dev/null)}")
  ids=(\${ids:#})
  compadd -a ids
}
_clew_session_or_file() { _clew_sessions; _files }
_clew() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
${commands.map((command) => `        ${quote(`${command.name}:${command.summary}`)}\n`).join('')}      )
      _describe command commands
      ;;
    argument)
      case $line[1] in
${commands.map(zshCommand).join('')}      esac
      ;;
  esac
}
if [[ $funcstack[1] == _clew ]]; then _clew "$@"; else compdef _clew clew; fi
`;
}

function zshCommand(command: CommandSpec): string {
  const rest = command.takesSession === true ? '*:session:_clew_session_or_file' : '*:file:_files';
  const action = command.actions === undefined ? [] : [`1:action:(${command.actions.join(' ')})`];
  const specs = [...command.flags.map(zshFlag), ...action, rest].map(quote);
  return `        ${quote(command.name)}) _arguments ${specs.join(' ')} ;;\n`;
}

function zshFlag({ name, value, summary }: FlagSpec): string {
  const about = summary.replace(/[\\[\]:]/g, '\\$&');
  if (value === undefined) return `${name}[${about}]`;
  return `${name}[${about}]:${value.toLowerCase().replace(/\W/g, ' ')}:${zshValues(value)}`;
}

function zshValues(value: string): string {
  switch (value) {
    case 'DIR':
      return '_files -/';
    case 'FILE':
      return '_files';
    case 'SESSION':
      return '_clew_sessions';
    default:
      return choicesOf(value).length > 0 ? `(${choicesOf(value).join(' ')})` : ' ';
  }
}

function fishScript(commands: readonly CommandSpec[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c clew -n __fish_use_subcommand -f -a ${fishQuote(command.name)} -d ${fishQuote(command.summary)}`,
    ...command.flags.map((flag) => fishFlag(command, flag)),
    ...(command.takesSession === true
      ? [`complete -c clew -n ${fishSeen(command)} -a '(clew ls --ids 2>/dev/null)'`]
      : []),
    ...(command.actions === undefined
      ? []
      : [`complete -c clew -n ${fishSeen(command)} -a ${fishQuote(command.actions.join(' '))}`]),
  ]);
  return `# fish completion for clew: clew completion fish > ~/.config/fish/completions/clew.fish
${lines.join('\n')}
`;
}

function fishFlag(command: CommandSpec, { name, value, summary }: FlagSpec): string {
  const option = name.startsWith('--') ? `-l ${fishQuote(name.slice(2))}` : `-s ${fishQuote(name.slice(1))}`;
  const values = value === undefined ? '' : fishValues(value);
  return `complete -c clew -n ${fishSeen(command)} ${option}${values} -d ${fishQuote(summary)}`;
}

function fishValues(value: string): string {
  switch (value) {
    case 'DIR':
      return " -x -a '(__fish_complete_directories)'";
    case 'FILE':
      return ' -r';
    case 'SESSION':
      return " -x -a '(clew ls --ids 2>/dev/null)'";
    default:
      return choicesOf(value).length > 0 ? ` -x -a ${fishQuote(choicesOf(value).join(' '))}` : ' -x';
  }
}

function fishSeen(command: CommandSpec): string {
  return fishQuote(`__fish_seen_subcommand_from ${command.name}`);
}

function choicesOf(value: string): readonly string[] {
  return value.includes('|') ? value.split('|') : [];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** In fish a backslash escapes inside single quotes too. */
function fishQuote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
