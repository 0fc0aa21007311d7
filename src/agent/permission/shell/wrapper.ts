// Commands that run other commands. Some only change how (timeout, nice): they are looked through. The others can run
// anything: what they would run is found as far as the text shows it, because a denied command stays denied inside.
import { parseShell } from './parse.ts';
import { isLiteral, type ShellCommand, type ShellScript, type ShellWord } from './script.ts';

export type Wrapping =
  | { readonly kind: 'none' }
  /** Judge `inner` instead; `isOpen`: it gets more arguments than are written here. */
  | { readonly kind: 'through'; readonly inner: ShellCommand; readonly isOpen: boolean }
  | Runner;

export interface Runner {
  readonly kind: 'runner';
  readonly name: string;
  /** What it runs, where that is plain to see, and how many words come before it. */
  readonly inner: ShellCommand | undefined;
  readonly innerAt: number;
  /** What it runs as a text for a shell. */
  readonly script: ShellScript | undefined;
  /** What it might run: only good for finding what is denied. */
  readonly suspects: readonly ShellCommand[];
}

const shells: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh', 'fish', 'ash']);
const runners: ReadonlySet<string> = new Set([
  ...[
    'sudo',
    'doas',
    'su',
    'env',
    'xargs',
    'exec',
    'setsid',
    'parallel',
    'script',
    'strace',
    'ltrace',
    'chroot',
    'unshare',
  ],
  ...[
    'nsenter',
    'systemd-run',
    'flock',
    'ionice',
    'chrt',
    'taskset',
    'busybox',
    'caffeinate',
    'unbuffer',
    'entr',
    'builtin',
  ],
  ...['timeout', 'time', 'nice', 'nohup', 'stdbuf', 'command'],
]);
/** These join their words to a text and give it to a shell. */
const textRunners: ReadonlySet<string> = new Set(['eval', 'watch', 'ssh', 'trap', 'alias', 'source', '.']);

const through: ReadonlyMap<string, RegExp> = new Map([
  ['time', /^(?:-p )?/],
  ['nohup', /^/],
  ['command', /^/],
  ['nice', /^(?:-n -?\d+ |-\d+ )?/],
  ['stdbuf', /^(?:-[ioe][0L\d]+ )+/],
  [
    'timeout',
    /^(?:(?:--preserve-status|--foreground|-v|-k \d+[smhd]?|-s [A-Z0-9]+|--signal=[A-Z0-9]+|--kill-after=\d+[smhd]?) )*\d+(?:\.\d+)?[smhd]? /,
  ],
  ['xargs', /^/],
]);

export function unwrap(command: ShellCommand): Wrapping {
  const [head, ...rest] = command.words;
  const name = (head?.value ?? '').replace(/^.*\//, '');
  if (head === undefined || !isLiteral(head)) return { kind: 'none' };
  if (shells.has(name)) return unwrapShell(name, command);
  if (name === 'find') return unwrapFind(command);
  if (textRunners.has(name)) {
    return { ...runner(name, command), script: scriptOf(rest.filter(({ value }) => !value.startsWith('-'))) };
  }
  if (!runners.has(name)) return { kind: 'none' };
  const plain = rest.map(({ value }) => (/\s/.test(value) ? '\0' : value)).join(' ');
  const skipped = through.get(name)?.exec(`${plain} `)?.[0];
  const innerAt = 1 + (skipped === undefined ? 0 : skipped.split(' ').length - 1);
  const inner = innerOf(command, innerAt);
  if (skipped !== undefined && inner !== undefined) return { kind: 'through', inner, isOpen: name === 'xargs' };
  return { ...runner(name, command), inner: innerOf(command, 1), innerAt: 1 };
}

/** Not with a flag in front: it may belong to the wrapper. */
function innerOf(command: ShellCommand, at: number): ShellCommand | undefined {
  const words = command.words.slice(at);
  const first = words[0]?.value;
  if (first === undefined || first.startsWith('-') || first.includes('=')) return undefined;
  return { assignments: command.assignments, words, redirects: [] };
}

function runner(name: string, command: ShellCommand): Runner {
  const suspects = command.words
    .map((_, i) => ({ assignments: [], words: command.words.slice(i), redirects: [] }))
    .slice(1, 20);
  return { kind: 'runner', name, inner: undefined, innerAt: 1, script: undefined, suspects };
}

function unwrapShell(name: string, command: ShellCommand): Wrapping {
  const flag = command.words.findIndex(({ value }, i) => i > 0 && /^-[a-zA-Z]*c/.test(value));
  if (flag < 0) return { kind: 'none' };
  return { ...runner(name, command), script: scriptOf(command.words.slice(flag + 1, flag + 2)) };
}

function unwrapFind(command: ShellCommand): Wrapping {
  const starts = command.words.flatMap(({ value }, i) => (/^-(?:exec|execdir|ok|okdir)$/.test(value) ? [i] : []));
  if (starts.length === 0) return { kind: 'none' };
  const runs = starts.map((start) => {
    const length = command.words.slice(start + 1).findIndex(({ value }) => value === ';' || value === '+');
    return {
      assignments: [],
      words: command.words.slice(start + 1, length < 0 ? undefined : start + 1 + length),
      redirects: [],
    };
  });
  const script: ShellScript = { commands: runs, doubts: [], isStraight: false, isCut: false };
  return { ...runner('find', command), script };
}

/** `undefined` where the text is only known when it runs. */
function scriptOf(words: readonly ShellWord[]): ShellScript | undefined {
  if (words.length === 0 || !words.every(isLiteral)) return undefined;
  return parseShell(words.map(({ value }) => value).join(' '));
}
