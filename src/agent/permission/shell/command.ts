// One simple command: the texts that rules are compared with, and whether it runs other commands.
import { shellQuote } from '../../../base/shell-quote.ts';
import { matchesText } from '../../wildcard.ts';
import { parseShell, type ShellCommand, type ShellWord } from './parse.ts';

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

export function runsAnything(command: ShellCommand): boolean {
  return runsCommands(command) || interpreters.has(nameOf(command).replace(/[\d.]+$/, ''));
}

export function isHarmless({ raw, isLiteral }: ShellWord): boolean {
  return harmless.test(raw) && isLiteral;
}

/** Without a timer in front of it. */
export function unwrap(command: ShellCommand): ShellCommand {
  const text = command.words.map(({ value }) => (/\s/.test(value) ? '\0' : value)).join(' ');
  const count = (wrapper.exec(`${text} `)?.[0].split(' ').length ?? 1) - 1;
  return count < command.words.length ? { ...command, words: command.words.slice(count) } : command;
}

/** What a rule that allows must match: each word stays one word, and a variable that matters is part of the text. */
export function allowText(command: ShellCommand): string {
  const weighty = command.assignments.every(isHarmless) ? [] : command.assignments.map(({ raw }) => raw);
  return [...weighty, ...command.words.map(wordText)].join(' ');
}

/** Everything that a rule that forbids is compared with: one hit is enough. */
export function denyTexts(command: ShellCommand): readonly string[] {
  const values = command.words.map(({ value }) => value);
  const plain = [nameOf(command), ...values.slice(1)].join(' ');
  return [values.join(' '), plain, [...command.assignments.map(({ raw }) => raw), plain].join(' '), allowText(command)];
}

/** The command and all that it may run: only good for finding what is denied. */
export function reachable(command: ShellCommand, depth = 0): readonly ShellCommand[] {
  if (!runsCommands(command) || depth > 3) return [command];
  const inner = command.words.slice(1, 20);
  const suffixes = inner.map((_, i) => ({ assignments: [], words: inner.slice(i), redirects: [] }));
  const texts = inner.filter(({ value }) => /\s/.test(value)).flatMap(({ value }) => parseShell(value).commands);
  return [command, ...suffixes, ...texts.flatMap((each) => reachable(each, depth + 1))];
}

/** `npm run test:*` and `npm run test *` match the command alone and with arguments; other stars match any text. */
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
