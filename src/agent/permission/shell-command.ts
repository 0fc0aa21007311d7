// One simple command: the texts that rules match, whether it runs other commands, what it obviously needs, and the rule
// that would allow similar commands.
import { shellQuote } from '../../base/text/index.ts';
import { matchesText } from '../access/index.ts';
import { changeProtection } from './path.ts';

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

// A shell text → its simple commands, to compare with rules. Only plain text is parsed exactly: words, quotes,
// variables, redirects, operators, groups. A pattern rule allows no other text; for deny rules, such text is split at
// everything that could begin a command.

export interface ShellScript {
  readonly commands: readonly ShellCommand[];
  /** Whether the commands are exactly what runs. */
  readonly isPlain: boolean;
}

export interface ShellCommand {
  readonly assignments: readonly ShellWord[];
  readonly words: readonly ShellWord[];
  /** To and from files, without `/dev/null`. */
  readonly redirects: readonly Redirect[];
}

export interface Redirect {
  readonly access: 'read' | 'write';
  readonly target: ShellWord;
}

interface ShellWord {
  /** As written. */
  readonly raw: string;
  /** Without quotes and escapes. */
  readonly value: string;
  /** The command sees exactly `value`: the shell expands nothing in it. */
  readonly isLiteral: boolean;
}

/** They look like a blank or like nothing, but the shell reads them as letters. */
const invisible =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\xa0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u2066-\u206f\u3000\ufeff]/;
const keywords = /^(?:if|then|elif|else|fi|while|until|do|done|for|select|case|esac|function|coproc|\[\[)$/;
const variable = String.raw`\$(?:\w+|\{\w+\}|[@*#?$!-])`;
const quoted = String.raw`\\[^\n]|'[^']*'|"(?:[^"\\$${'`'}]|\\[\s\S])*"`;
const piece = String.raw`[^\s;&|()<>'"\\$${'`'}*?[\]{}~]+|${quoted}|"(?:[^"\\$${'`'}]|\\[\s\S]|${variable})*"|${variable}|[*?[\]{}~]`;
const token = new RegExp(
  [
    String.raw`(?<blank>(?:[ \t]|(?<=\s)\\\n|(?<=^|[\s;&|()])#[^\n]*)+)`,
    String.raw`(?<sign>(?:\d+|&)?(?:>>|>\||<>|[<>]&|[<>]))`,
    String.raw`(?<joint>&&|\|\||\|&|;;|[;&|\n()])`,
    `(?<raw>(?:${piece})+)`,
  ].join('|'),
  'y',
);

export function parseShell(text: string): ShellScript {
  const commands = invisible.test(text) ? undefined : readPlain(text);
  return { commands: commands ?? cutEverywhere(text), isPlain: commands !== undefined };
}

/** `undefined` for a text that is not plain. */
function readPlain(text: string): readonly ShellCommand[] | undefined {
  const commands = [{ assignments: [] as ShellWord[], words: [] as ShellWord[], redirects: [] as Redirect[] }];
  let sign: string | undefined;
  let depth = 0;
  for (token.lastIndex = 0; token.lastIndex < text.length; ) {
    const found = token.exec(text)?.groups;
    const command = commands.at(-1);
    if (found === undefined || command === undefined) return undefined;
    const isStart = command.words.length === 0;
    const joint = found.joint ?? (isStart && /^[{}!]$/.test(found.raw ?? '') ? found.raw : undefined);
    if (found.blank !== undefined) continue;
    // A parenthesis after a word defines a function or a list; a redirect needs a file.
    if ((found.raw === undefined && sign !== undefined) || (joint === '(' && !isStart)) return undefined;
    sign ??= found.sign;
    if (joint !== undefined) {
      depth += joint === '(' ? 1 : joint === ')' ? -1 : 0;
      if (depth < 0) return undefined;
      commands.push({ assignments: [], words: [], redirects: [] });
    } else if (found.raw !== undefined) {
      if (isStart && sign === undefined && /^[A-Za-z_]\w*\[/.test(found.raw)) return undefined;
      if (isStart && sign === undefined && keywords.test(found.raw)) return undefined;
      const word = readWord(found.raw);
      if (sign !== undefined) command.redirects.push(...readRedirect(sign, word));
      else (isStart && /^[A-Za-z_]\w*\+?=/.test(word.raw) ? command.assignments : command.words).push(word);
      sign = undefined;
    }
  }
  if (depth !== 0 || sign !== undefined) return undefined;
  return commands.filter((each) => each.assignments.length + each.words.length + each.redirects.length > 0);
}

function readRedirect(sign: string, target: ShellWord): readonly Redirect[] {
  const nowhere = sign.endsWith('&') ? /^\d+$|^\d*-$/ : /^\/dev\/(?:null|stdout|stderr)$/;
  if (nowhere.test(target.value)) return [];
  const read: Redirect = { access: 'read', target };
  const write: Redirect = { access: 'write', target };
  return [...(sign.includes('<') ? [read] : []), ...(sign.includes('>') ? [write] : [])];
}

function readWord(raw: string): ShellWord {
  const bare = raw.replace(new RegExp(quoted, 'g'), '');
  const value = raw.replace(
    /\\([^\n])|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"/g,
    (_, escaped, single, double) => escaped ?? single ?? double.replace(/\\([$`"\\\n])/g, '$1'),
  );
  return { raw, value, isLiteral: raw === '[' || raw === '{}' || !/["$*?[\]{}~]/.test(bare) };
}

/** Every sequence of words that may be a command, with all quotes removed. */
function cutEverywhere(text: string): readonly ShellCommand[] {
  const plain = text
    .replace(/\\\n/g, '')
    .replace(/\\x([0-9a-fA-F]{1,2})|\\u([0-9a-fA-F]{1,4})|\\([0-7]{1,3})/g, (_, hex, unicode, octal) =>
      String.fromCharCode(octal === undefined ? Number.parseInt(hex ?? unicode, 16) : Number.parseInt(octal, 8)),
    )
    .replace(/\$(?=['"])|['"\\]/g, '');
  const parts = plain.split(/[;&|\n(){}`<>]|(?<=^|\s)(?:if|then|elif|else|while|until|do|in|coproc|time|!)(?=\s)/);
  return parts.flatMap((part) => {
    const words = part.split(/\s+/).filter((word) => word !== '');
    const first = words.findIndex((word) => !/^\w+\+?=/.test(word));
    return first < 0 ? [] : [{ assignments: [], words: words.slice(first).map(plainWord), redirects: [] }];
  });
}

function plainWord(value: string): ShellWord {
  return { raw: value, value, isLiteral: !/[$*?[{~]/.test(value) };
}
