// One simple command: the texts that rules match, whether it runs other commands, what it obviously needs, and the rule
// that would allow similar commands.
import { shellQuote } from '../../base/text/shell-quote.ts';
import { matchesText } from '../access/wildcard.ts';
import { parseShell, type ShellCommand, type ShellWord } from './parse.ts';
import { changeProtection } from './protected-path.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Variables that change how a program prints, not what it runs. */
const harmless =
  /^(?:CI|NODE_ENV|FORCE_COLOR|NO_COLOR|CLICOLOR|COLUMNS|LINES|TERM|TZ|DEBUG|LANG|LC_\w+|RUST_BACKTRACE|RUST_LOG|GOOS|GOARCH|LOG_LEVEL|VERBOSE)=/;
const runners = words(
  'bash sh zsh dash ksh fish ash eval trap alias source . ssh watch sudo doas su env xargs exec setsid parallel script ' +
    'strace ltrace chroot unshare nsenter systemd-run flock ionice chrt taskset busybox caffeinate unbuffer entr builtin ' +
    'timeout time nice nohup stdbuf command find',
);
/** Interpreters and the like: a rule with their name would allow everything. */
const interpreters = words(
  'python python2 python3 node deno bun perl ruby php lua osascript awk gawk sed npx pnpx uvx make just docker podman ' +
    'kubectl curl wget nc tclsh expect vim vi emacs ed gdb git-shell',
);
const wrapper = /^(?:(?:time|nohup|nice(?: -n -?\d+)?|timeout(?: (?:-k|-s) \w+)? \d+(?:\.\d+)?[smhd]?) )+/;

export function nameOf({ words: [head] }: ShellCommand): string {
  return (head?.value ?? '').replace(/^.*\//, '');
}

export function runsCommands(command: ShellCommand): boolean {
  return runners.has(nameOf(command));
}

function runsAnything(command: ShellCommand): boolean {
  return runsCommands(command) || interpreters.has(nameOf(command).replace(/[\d.]+$/, ''));
}

export function isHarmless({ raw, isLiteral }: ShellWord): boolean {
  return harmless.test(raw) && isLiteral;
}

/** Without a leading timer. */
export function unwrap(command: ShellCommand): ShellCommand {
  const text = command.words.map(({ value }) => (/\s/.test(value) ? '\0' : value)).join(' ');
  const count = (wrapper.exec(`${text} `)?.[0].split(' ').length ?? 1) - 1;
  return count < command.words.length ? { ...command, words: command.words.slice(count) } : command;
}

/** The text that an allow rule must match: each word stays one word, and variables that matter are part of it. */
export function allowText(command: ShellCommand): string {
  const weighty = command.assignments.every(isHarmless) ? [] : command.assignments.map(({ raw }) => raw);
  return [...weighty, ...command.words.map(wordText)].join(' ');
}

/** All texts that a deny rule is compared with; one match is enough. */
export function denyTexts(command: ShellCommand): readonly string[] {
  const values = command.words.map(({ value }) => value);
  const plain = [nameOf(command), ...values.slice(1)].join(' ');
  return [values.join(' '), plain, [...command.assignments.map(({ raw }) => raw), plain].join(' '), allowText(command)];
}

/** The command and everything that it may run; only for deny rules. */
export function reachable(command: ShellCommand, depth = 0): readonly ShellCommand[] {
  if (!runsCommands(command) || depth > 3) return [command];
  const inner = command.words.slice(1, 20);
  const suffixes = inner.map((_, i) => ({ assignments: [], words: inner.slice(i), redirects: [] }));
  const texts = inner.filter(({ value }) => /\s/.test(value)).flatMap(({ value }) => parseShell(value).commands);
  return [command, ...suffixes, ...texts.flatMap((each) => reachable(each, depth + 1))];
}

/** `npm run test:*` and `npm run test *` match the command with and without arguments; other stars match any text. */
export function matchesCommand(specifier: string, text: string): boolean {
  const wanted = specifier.replace(/\s+/g, ' ');
  if (!wanted.endsWith(':*') && !wanted.endsWith(' *'))
    return wanted.includes('*') ? matchesText(wanted, text) : wanted === text;
  const prefix = wanted.slice(0, -2);
  return matchesText(prefix, text) || matchesText(`${prefix} *`, text);
}

function wordText({ raw, value }: ShellWord): string {
  if (!/\s/.test(value) && value !== '') return value;
  return /^"[^"\\]*"$|^'[^']*'$/.test(raw) ? raw : shellQuote(value);
}

const network =
  /^(?:(?:curl|wget|ssh|scp|rsync|nc|telnet|ftp|docker|podman|kubectl|sudo|doas|su|apt|apt-get|brew|dnf|yum|systemctl|gh|aws|gcloud|az)(?: |$)|(?:npm|pnpm|yarn|bun) (?:i|install|ci|add|update|upgrade|publish|audit|login|outdated)\b|pip3? install|cargo (?:install|publish)|go (?:get|install)|git (?:push|pull|fetch|clone|submodule|ls-remote))/;
const writing =
  /^(?:(?:rm|mv|cp|mkdir|rmdir|touch|ln|chmod|chown|tee|dd|truncate|install|patch|unlink|shred)(?: |$)|(?:sed|perl) (?:.* )?-\w*i|git (?:add|commit|checkout|switch|merge|rebase|reset|restore|rm|mv|cherry-pick|revert|init|am|apply|clean|gc|stash(?! (?:list|show))|config (?!--get|--list|-l)\S+ \S))/;
const repository =
  /^git (?:add|commit|checkout|switch|merge|rebase|reset|restore|rm|mv|cherry-pick|revert|init|am|stash)/;

/** Whether a command obviously needs more than a sandbox allows. Only a convenience: the user is asked at once instead of
 *  after a failed attempt. Security does not depend on it. */
export function needsMore(
  commands: readonly ShellCommand[],
  canWrite: boolean,
  hasNetwork = false,
): string | undefined {
  for (const command of commands) {
    const text = [nameOf(command), ...command.words.slice(1).map(({ value }) => value)].join(' ');
    if (!hasNetwork && network.test(text)) return `runs ${nameOf(command)}`;
    if ((canWrite ? repository : writing).test(text)) return `runs ${nameOf(command)}`;
    const file = command.redirects.find(
      ({ access, target }) => access === 'write' && !/^\/(?:dev|tmp)\//.test(target.value),
    );
    if (file !== undefined && !canWrite) return `writes ${file.target.raw}`;
  }
  return undefined;
}

const bounded =
  /^(?:git (?:add|commit|checkout|switch|restore|stash|branch|tag|merge)|(?:npm|pnpm|yarn) (?:test|ci|install|(?:run )[a-z][\w:.-]*)|cargo (?:build|check|test|clippy|fmt)|go (?:build|test|vet)|dotnet (?:build|test))(?= |$)/;

/** The rule for similar commands: with the subcommand if that limits what it does, otherwise the exact text; none for a
 *  command that can run anything. */
export function offerRules(command: ShellCommand): readonly string[] {
  const text = allowText(command);
  const isPlain = command.words.every(({ isLiteral }) => isLiteral) && command.assignments.every(isHarmless);
  const isSpecial = command.words.some(({ value }) => changeProtection(value.split('/')) !== undefined);
  if (!isPlain || isSpecial || runsAnything(command)) return [];
  const prefix = bounded.exec(text)?.[0];
  if (prefix !== undefined) return [`Bash(${prefix}:*)`];
  // A star would be a pattern, and a parenthesis could look like two rules.
  return /[*()\n]/.test(text) || text.length > 300 ? [] : [`Bash(${text})`];
}
